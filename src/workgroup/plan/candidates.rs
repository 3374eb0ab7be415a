//! Candidate plans and their prices: work-items one after the other, or each region by whole gangs of so many lanes.
//!
//! Three things speak for more lanes than a register has 32-bit numbers. Narrow numbers: a register of 8 numbers of 32
//! bits holds 32 bytes, which cost no more to add. Loops that wait for their own results: the machine does something
//! else meanwhile. And what a gang does once for all lanes. Against more lanes speak values for which there are no
//! registers, lanes that wait for the last one in a loop, the remainder of a row, and the length of the code.

use std::fmt::{self, Display, Formatter};

use crate::bounds::{MOST_LANES, WRITTEN};
use crate::ir::listed;
use crate::plan::costs::Costs;
use crate::plan::decisions::Cost;
use crate::plan::estimate::Estimate;
use crate::plan::gangs::Gangs;
use crate::plan::pricing::{ITERATION, Pricing};

/// A frequency: how often rows of work-groups are shorter than the longest gangs.
const OFTEN_SHORT: f64 = 0.5;

/// A way to run a region, or a kernel, and its price.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Candidate {
    /// Lanes of a whole gang; 1 for work-items one after the other.
    pub(crate) lanes: u32,
    /// Cycles a work-item if nothing waits for results, as work-items one after the other are priced.
    pub(super) time: f64,
    /// The same with waiting for results, the length of the code, and the remainder of a row.
    pub(crate) price: f64,
}

/// The candidates of a region.
#[derive(Clone, Debug, Default)]
struct OfRegion {
    /// The fewest lanes first.
    all: Vec<Candidate>,
    /// How much longer the usual gangs take under a mask, as a part of their time where they are whole.
    masked: f64,
}

/// The candidates of a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    pub(super) single: Candidate,
    /// The most lanes that whole gangs may have. Candidates of more are for rows that run together.
    most: u32,
    /// The baseline tier's.
    is_plain: bool,
    /// In order of the states.
    regions: Vec<OfRegion>,
}

impl Candidates {
    /// Prices gangs of the usual lanes, for which `usual` and `found` are the costs and the estimate; of up to `most`
    /// lanes; and of up to `together` lanes for rows that run together. `costs` gives the costs for so many lanes.
    pub(super) fn of<'f, 'm: 'f>(
        usual: &Costs<'_>,
        found: &Estimate,
        costs: impl Fn(u32) -> Costs<'f>,
        gangs: &Gangs,
        most: u32,
        together: u32,
    ) -> Candidates {
        let mut pricing: Vec<_> = gangs.regions.iter().map(|region| Pricing::new(usual, region)).collect();
        let instructions: usize = pricing.iter().map(|region| region.instructions).sum();
        let regions: f64 = gangs.regions.iter().map(|region| region.often).sum();
        // As with gangs, what the loops add overlaps with the rest.
        let time = (found.single / f64::from(gangs.lanes)).hypot(ITERATION * regions);
        let single = Candidate { lanes: 1, time, price: time * (1.0 + WRITTEN * instructions as f64) };
        let doubled = std::iter::successors(gangs.lanes.checked_mul(2), |lanes| lanes.checked_mul(2));
        for lanes in doubled.take_while(|lanes| *lanes <= most.max(together).min(MOST_LANES)) {
            if pricing.iter().all(|region| region.is_done) {
                break;
            }
            let costs = costs(lanes);
            pricing.iter_mut().filter(|region| !region.is_done).for_each(|region| region.price(&costs));
        }
        let of_region = |region: Pricing<'_>| OfRegion { masked: region.masked, all: region.all };
        Candidates { single, most, is_plain: gangs.is_plain, regions: pricing.into_iter().map(of_region).collect() }
    }

    /// The longest row, in work-items, whose price one after the other is at most `part` of that of a usual gang under
    /// a mask. The gang costs the same however many lanes are missing: a gather waits as long for one number.
    pub(super) fn scalar_rows(&self, part: f64) -> u32 {
        let Some((lanes, price)) = self.partial_gang().filter(|_| self.single.price > 0.0) else { return 0 };
        ((part * price / self.single.price) as u32).min(lanes - 1)
    }

    /// The lanes of a usual gang, and its price in cycles if some lanes are missing; `None` if there are no gangs.
    pub(super) fn partial_gang(&self) -> Option<(u32, f64)> {
        self.gang(|region| 1.0 + region.masked)
    }

    /// The same if no lanes are missing.
    pub(super) fn whole_gang(&self) -> Option<(u32, f64)> {
        self.gang(|_| 1.0)
    }

    fn gang(&self, part: impl Fn(&OfRegion) -> f64) -> Option<(u32, f64)> {
        let of = |region: &OfRegion| region.all.first().map(|usual| (usual.lanes, usual.price * part(region)));
        let usual = self.regions.iter().filter_map(of).reduce(|(lanes, sum), (_, price)| (lanes, sum + price));
        usual.map(|(lanes, price)| (lanes, f64::from(lanes) * price))
    }

    /// The cheapest candidate for a region's whole gangs.
    pub(super) fn best(&self, region: usize) -> Candidate {
        self.up_to(region, self.most)
    }

    /// The same of at most so many lanes.
    pub(super) fn up_to(&self, region: usize, most: u32) -> Candidate {
        let possible = self.regions[region].all.iter().filter(|candidate| candidate.lanes <= most);
        possible.copied().reduce(|best, more| if more.price < best.price { more } else { best }).unwrap_or_default()
    }

    /// How much more a region's usual gangs cost under a mask than whole ones of so many lanes, as a part of the price
    /// of the usual ones where these are whole.
    pub(super) fn saved_by_whole(&self, region: usize, lanes: u32) -> f64 {
        let OfRegion { all, masked } = &self.regions[region];
        let whole = all.iter().find(|candidate| candidate.lanes == lanes);
        all.first().zip(whole).map_or(0.0, |(usual, whole)| 1.0 + masked - whole.price / usual.price)
    }

    /// What gangs of so many lanes save, as a part of the time of rows that are too short for a region's longest gangs.
    /// Without them, such rows run in gangs of `shorter` lanes, or in the usual ones under a mask.
    pub(super) fn saved_by(&self, region: usize, lanes: u32, shorter: Option<u32>) -> f64 {
        let OfRegion { all, masked } = &self.regions[region];
        let time = |lanes: u32| all.iter().find(|candidate| candidate.lanes == lanes).map(|candidate| candidate.time);
        let otherwise = match shorter {
            Some(shorter) => time(shorter),
            None => all.first().map(|usual| usual.time * (1.0 + masked)),
        };
        time(lanes).zip(otherwise).map_or(0.0, |(time, otherwise)| OFTEN_SHORT * (1.0 - time / otherwise))
    }

    /// The costs of the best gangs and of single work-items, in cycles a work-item, if nothing waits for results.
    pub(super) fn cost(&self) -> Cost {
        let of_gang = (0..self.regions.len()).map(|number| self.best(number).time).sum();
        Cost { of_gang, one_by_one: self.single.time }
    }

    /// The price of the best gangs as a part of that of single work-items; without waiting, as `bounds::WORTH_IN_BASELINE`
    /// was measured, in that tier.
    pub(super) fn part(&self) -> f64 {
        if self.is_plain {
            return self.cost().part();
        }
        let of_gangs: f64 = (0..self.regions.len()).map(|number| self.best(number).price).sum();
        if self.single.price > 0.0 { of_gangs / self.single.price } else { 1.0 }
    }

    /// The candidates of a region: lanes and prices.
    pub(super) fn of_region(&self, region: usize) -> impl Iterator<Item = (u32, f64)> {
        self.regions.get(region).into_iter().flat_map(|region| &region.all).map(|one| (one.lanes, one.price))
    }

    /// The price of gangs of so many lanes in each region, or of work-items one after the other for `None`; and that of
    /// the next best plan, which is another candidate for one region, or work-items one after the other.
    pub(super) fn priced(&self, lanes: Option<&[u32]>) -> Option<(Priced, Priced)> {
        if self.regions.is_empty() {
            return None;
        }
        let single = Priced { price: self.single.price, lanes: vec![1] };
        let best: Vec<Candidate> = (0..self.regions.len()).map(|number| self.best(number)).collect();
        let Some(lanes) = lanes else { return Some((single, priced(&best))) };
        let of = |(region, lanes): (&OfRegion, &u32)| region.all.iter().find(|one| one.lanes == *lanes).copied();
        let chosen: Vec<Candidate> = self.regions.iter().zip(lanes).map(of).collect::<Option<_>>()?;
        let others = self.regions.iter().enumerate().flat_map(|(number, region)| {
            let others = region.all.iter().filter(|one| **one != chosen[number] && one.lanes <= self.most);
            let with = |other: &Candidate| {
                let mut all = chosen.clone();
                all[number] = *other;
                priced(&all)
            };
            others.map(with).collect::<Vec<_>>()
        });
        let next = others.chain([single]).min_by(|one, other| one.price.total_cmp(&other.price))?;
        Some((priced(&chosen), next))
    }
}

/// The price of a plan.
pub(crate) struct Priced {
    /// Cycles a work-item, all regions together.
    pub(crate) price: f64,
    /// Lanes of each region.
    lanes: Vec<u32>,
}

impl Display for Priced {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} cycles a work-item ", self.price)?;
        match &self.lanes[..] {
            [1] => f.write_str("one at a time"),
            [first, rest @ ..] if rest.iter().all(|lanes| lanes == first) => write!(f, "in gangs of {first}"),
            lanes => write!(f, "in gangs of {}, by region", listed(lanes)),
        }
    }
}

/// The price of a candidate for each region.
fn priced(all: &[Candidate]) -> Priced {
    Priced { price: all.iter().map(|one| one.price).sum(), lanes: all.iter().map(|one| one.lanes).collect() }
}

#[cfg(test)]
mod tests {
    use super::{Candidate, Candidates, OfRegion};

    #[test]
    fn rows_are_too_short_that_cost_so_much_less_one_after_the_other() {
        let scalar_rows = |prices: &[f64]| {
            let usual = |price: &f64| Candidate { lanes: 16, time: 0.0, price: price / 16.0 };
            let region = |price| OfRegion { all: vec![usual(price)], masked: 0.25 };
            let single = Candidate { lanes: 1, time: 0.0, price: 10.0 };
            let regions = prices.iter().map(region).collect();
            Candidates { single, most: 16, is_plain: false, regions }.scalar_rows(0.8)
        };
        // The part, 0.8, leaves nothing of what the mask adds, 0.25.
        assert_eq!([9.0, 10.0, 39.0, 1000.0].map(|price| scalar_rows(&[price])), [0, 1, 3, 15]);
        assert_eq!(scalar_rows(&[30.0, 10.0]), 4);
        assert_eq!(scalar_rows(&[]), 0);
    }
}
