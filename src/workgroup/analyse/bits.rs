//! Sets of small numbers.

/// A set of numbers below a bound given at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    pub(crate) fn new(bound: usize) -> Self {
        Bits(vec![0; bound.div_ceil(64)])
    }

    /// Adds a number; true if it was new.
    pub(crate) fn insert(&mut self, index: usize) -> bool {
        let word = &mut self.0[index / 64];
        let new = *word >> (index % 64) & 1 == 0;
        *word |= 1 << (index % 64);
        new
    }

    pub(crate) fn remove(&mut self, index: usize) {
        self.0[index / 64] &= !(1 << (index % 64));
    }

    /// Adds all of another set; true if one was new.
    pub(crate) fn union(&mut self, other: &Bits) -> bool {
        let mut changed = false;
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            changed |= *more & !*word != 0;
            *word |= more;
        }
        changed
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(i, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    i * 64 + bit
                })
            })
        })
    }
}
