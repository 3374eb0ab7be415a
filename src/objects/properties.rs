//! Property lists: pairs of 64-bit values ended by a zero, as several create functions take.

use crate::ApiError;

/// A property list as the application gave it. Queries give it back unchanged, so "no list" and "an empty list" differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PropertyList {
    pairs: Option<Vec<(u64, u64)>>,
}

impl PropertyList {
    /// More pairs than any list can have without naming a property twice, which every list forbids.
    pub const MAX_PAIRS: usize = 256;

    /// No list: a null pointer.
    pub const fn absent() -> Self {
        PropertyList { pairs: None }
    }

    /// A list.
    pub fn new(pairs: Vec<(u64, u64)>) -> Self {
        PropertyList { pairs: Some(pairs) }
    }

    /// Name and value of each property, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.pairs.iter().flatten().copied()
    }

    /// The value of a property.
    pub fn get(&self, name: u64) -> Option<u64> {
        self.iter().find(|pair| pair.0 == name).map(|pair| pair.1)
    }

    /// Checks that every name is one of `known` and stands at most once; else `error`.
    pub fn check(&self, known: &[u64], error: ApiError) -> Result<(), ApiError> {
        let mut seen: Vec<u64> = Vec::new();
        for (name, _) in self.iter() {
            if !known.contains(&name) || seen.contains(&name) {
                return Err(error);
            }
            seen.push(name);
        }
        Ok(())
    }

    /// The words as queries answer them: the pairs and the final zero; nothing if there was no list.
    pub fn words(&self) -> Vec<u64> {
        match &self.pairs {
            None => Vec::new(),
            Some(pairs) => pairs.iter().flat_map(|pair| [pair.0, pair.1]).chain([0]).collect(),
        }
    }
}
