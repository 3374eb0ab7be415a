//! A list that is mostly empty or of one element, and then needs no allocation.

/// Elements in no particular order.
#[derive(Debug)]
pub(super) struct Few<T> {
    one: Option<T>,
    more: Vec<T>,
}

impl<T> Default for Few<T> {
    fn default() -> Self {
        Few { one: None, more: Vec::new() }
    }
}

impl<T> Few<T> {
    pub(super) fn push(&mut self, value: T) {
        match &self.one {
            None => self.one = Some(value),
            Some(_) => self.more.push(value),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.one.iter().chain(&self.more)
    }
}

impl<T> IntoIterator for Few<T> {
    type Item = T;
    type IntoIter = std::iter::Chain<std::option::IntoIter<T>, std::vec::IntoIter<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.one.into_iter().chain(self.more)
    }
}
