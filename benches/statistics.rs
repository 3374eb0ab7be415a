//! Medians and their noise.

/// Measurements of one driver in one row, in seconds.
#[derive(Clone, Debug, Default)]
pub struct Sample(pub Vec<f64>);

impl Sample {
    /// The median.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// Half of the range of the middle half, relative to the median.
    pub fn noise(&self) -> f64 {
        (self.quantile(0.75) - self.quantile(0.25)) / 2.0 / self.median()
    }

    /// This one's time over another's: the median over the turns. What slows a machine down for a while slows down both
    /// measurements of a turn, so this says more than the ratio of two medians, or of two least times.
    pub fn over(&self, other: &Sample) -> f64 {
        Sample(self.0.iter().zip(&other.0).map(|(own, other)| own / other).collect()).median()
    }

    /// The value below which a part of the measurements lies, interpolated between neighbours.
    pub fn quantile(&self, part: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let place = part * sorted.len().saturating_sub(1) as f64;
        let (low, high) = (place.floor() as usize, place.ceil() as usize);
        match (sorted.get(low), sorted.get(high)) {
            (Some(a), Some(b)) => a + (b - a) * place.fract(),
            _ => f64::NAN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Sample;

    #[test]
    fn median_is_the_middle_and_noise_half_of_the_middle_half() {
        let sample = Sample(vec![5.0, 1.0, 2.0, 4.0, 3.0]);
        assert_eq!(sample.median(), 3.0);
        assert_eq!(sample.noise(), 1.0 / 3.0);
        assert_eq!(Sample(vec![1.0, 2.0]).median(), 1.5);
    }

    #[test]
    fn a_ratio_is_that_of_most_turns() {
        // Of the two medians it is 3/4, of the least times 1/3.
        let (one, other) = (Sample(vec![3.0, 9.0, 1.0]), Sample(vec![6.0, 4.0, 3.0]));
        assert_eq!([one.over(&other), other.over(&one)], [0.5, 2.0]);
    }

    #[test]
    fn no_measurement_has_no_median() {
        assert!(Sample::default().median().is_nan());
    }
}
