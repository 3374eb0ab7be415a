//! Which commands of a command buffer wait for which.

/// The order of recorded commands, as it grows.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    /// For each command those that it waits for.
    waits: Vec<Box<[u32]>>,
    /// Commands for which none waits.
    loose: Vec<bool>,
    /// In order: the last command. Out of order: the last barrier. Everything to come waits for it.
    gate: Option<u32>,
    /// Out of order: the first command that is not behind a barrier which waits for all before it.
    since: u32,
}

impl Sequence {
    /// Number of commands.
    pub(super) fn len(&self) -> usize {
        self.waits.len()
    }

    /// Adds a command that waits for some of those before it.
    pub(super) fn add(&mut self, waits: &[u32], in_order: bool, barrier: bool) {
        let index = u32::try_from(self.waits.len()).unwrap_or(u32::MAX);
        let mut all: Vec<u32> = match self.gate {
            // Whatever is in the list ends before the command before this one does.
            Some(gate) if in_order => vec![gate],
            // Who waits for a command behind the barrier waits for the barrier.
            Some(gate) if !waits.iter().any(|&other| other > gate) => waits.iter().copied().chain([gate]).collect(),
            _ => waits.to_vec(),
        };
        if barrier && waits.is_empty() && !in_order {
            all.extend((self.since..index).filter(|&other| self.loose.get(other as usize) == Some(&true)));
            self.since = index;
        }
        all.sort_unstable();
        all.dedup();
        for &other in &all {
            if let Some(loose) = self.loose.get_mut(other as usize) {
                *loose = false;
            }
        }
        self.waits.push(all.into());
        self.loose.push(true);
        if in_order || barrier {
            self.gate = Some(index);
        }
    }

    /// The order of all of them.
    pub(super) fn finish(&self) -> Order {
        let mut counts = vec![0usize; self.waits.len() + 1];
        for &other in self.waits.iter().flatten() {
            counts[other as usize + 1] += 1;
        }
        for index in 1..counts.len() {
            counts[index] += counts[index - 1];
        }
        let mut next = counts.clone();
        let mut targets = vec![0; self.waits.iter().map(|waits| waits.len()).sum()];
        for (index, waits) in (0u32..).zip(&self.waits) {
            for &other in waits {
                targets[next[other as usize]] = index;
                next[other as usize] += 1;
            }
        }
        let blockers: Vec<u32> = self.waits.iter().map(|waits| waits.len() as u32).collect();
        // The last first: they are taken from the end.
        let first = (0u32..).zip(&blockers).filter(|(_, blockers)| **blockers == 0).map(|(index, _)| index);
        let mut first: Vec<u32> = first.collect();
        first.reverse();
        Order { blockers, starts: counts, targets, first }
    }
}

/// The order of the commands of a finalised command buffer. Commands are named by their number.
#[derive(Debug)]
pub(crate) struct Order {
    /// How many each waits for.
    blockers: Vec<u32>,
    /// Where in `targets` those begin that wait for a command; one more than there are commands.
    starts: Vec<usize>,
    targets: Vec<u32>,
    first: Vec<u32>,
}

impl Order {
    /// How many commands each command waits for.
    pub(crate) fn blockers(&self) -> impl Iterator<Item = u32> + '_ {
        self.blockers.iter().copied()
    }

    /// The commands that wait for none, the last recorded first.
    pub(crate) fn first(&self) -> &[u32] {
        &self.first
    }

    /// The commands that wait for this one.
    pub(crate) fn after(&self, index: usize) -> &[u32] {
        let range = self.starts.get(index).zip(self.starts.get(index + 1));
        range.and_then(|(start, end)| self.targets.get(*start..*end)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Sequence;

    fn waits(sequence: &Sequence) -> Vec<Vec<u32>> {
        sequence.waits.iter().map(|waits| waits.to_vec()).collect()
    }

    #[test]
    fn in_order_each_command_waits_for_the_one_before_it_alone() {
        let mut sequence = Sequence::default();
        sequence.add(&[], true, false);
        sequence.add(&[], true, false);
        sequence.add(&[0, 1], true, true);
        sequence.add(&[], true, false);
        assert_eq!(waits(&sequence), [vec![], vec![0], vec![1], vec![2]]);
    }

    #[test]
    fn out_of_order_a_command_waits_for_its_list_and_the_last_barrier() {
        let mut sequence = Sequence::default();
        sequence.add(&[], false, false);
        sequence.add(&[0, 0], false, false);
        sequence.add(&[], false, false);
        // Waits for what nobody waits for: 1, behind which is 0, and 2.
        sequence.add(&[], false, true);
        sequence.add(&[], false, false);
        sequence.add(&[4], false, false);
        sequence.add(&[1], false, false);
        // A barrier with a list lets what is not in the list go on.
        sequence.add(&[4], false, true);
        sequence.add(&[], false, false);
        sequence.add(&[], false, true);
        let expected: [&[u32]; 10] = [&[], &[0], &[], &[1, 2], &[3], &[4], &[1, 3], &[4], &[7], &[5, 6, 7, 8]];
        assert_eq!(waits(&sequence), expected.map(<[u32]>::to_vec));
    }

    #[test]
    fn the_finished_order_lists_who_comes_after_whom() {
        let mut sequence = Sequence::default();
        sequence.add(&[], false, false);
        sequence.add(&[], false, false);
        sequence.add(&[0, 1], false, false);
        sequence.add(&[0], false, false);
        let order = sequence.finish();
        assert_eq!(order.blockers().collect::<Vec<_>>(), [0, 0, 2, 1]);
        assert_eq!(order.first(), [1, 0]);
        assert_eq!((order.after(0), order.after(1), order.after(2)), (&[2, 3][..], &[2][..], &[][..]));
        assert!(order.after(99).is_empty());
        assert!(Sequence::default().finish().first().is_empty());
    }
}
