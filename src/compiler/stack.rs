//! How much stack a kernel takes: the code generator's frames, added up along calls.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use oxicl_llvm::Frame;

/// What a call leaves on the stack between two frames: the return address, in bytes.
const RETURN: u64 = 8;
/// The ABI's red zone, in bytes: a function that calls nothing may use as much below its frame without moving the stack
/// pointer.
const RED_ZONE: u64 = 128;
/// The most stack that a kernel may take, in bytes. A matter of correctness: offsets in a frame are signed numbers of
/// 32 bits.
pub(crate) const MOST: u64 = i32::MAX as u64;

/// A function: the object that it is in, and its number there.
type Id = (usize, usize);

/// The functions of the objects that make an image.
pub(crate) struct Frames<'a> {
    objects: Vec<&'a [Frame]>,
    /// The numbers of each object's functions.
    names: Vec<HashMap<&'a str, usize>>,
    /// What functions take with all that they call, in bytes; `None` while that is added up.
    known: HashMap<Id, Option<u64>>,
}

/// A function whose callees are being visited.
struct Visit {
    id: Id,
    next: usize,
    /// The most that one of them takes.
    below: u64,
}

impl Visit {
    fn new(id: Id) -> Self {
        Visit { id, next: 0, below: RED_ZONE }
    }
}

impl<'a> Frames<'a> {
    /// The frames of each object. Functions may call those of other objects by their names.
    pub(crate) fn new(objects: &[&'a [Frame]]) -> Self {
        let numbers = |frames: &&'a [Frame]| frames.iter().enumerate().map(|(n, f)| (f.name.as_str(), n)).collect();
        let names = objects.iter().map(numbers).collect();
        Frames { objects: objects.to_vec(), names, known: HashMap::new() }
    }

    /// Bytes of stack that a call of the function `entry` of the first object takes, with its return address. The stack
    /// of services, which it calls by addresses that it is given, is not in it. A function whose address is taken
    /// counts as called.
    ///
    /// # Errors
    /// One sentence that says why there is no bound, or that it is too high.
    pub(crate) fn needed(&mut self, entry: &str) -> Result<u64, String> {
        let root = self.find(0, entry)?;
        let mut visits = Vec::new();
        if let Entry::Vacant(unknown) = self.known.entry(root) {
            unknown.insert(None);
            visits.push(Visit::new(root));
        }
        while let Some(visit) = visits.last_mut() {
            let (object, number) = visit.id;
            let frame = &self.objects[object][number];
            let Some(name) = frame.callees.get(visit.next) else {
                let own =
                    frame.bytes.ok_or_else(|| format!("function '{}' has a frame of no fixed size", frame.name))?;
                let bytes = own.saturating_add(RETURN).saturating_add(visit.below);
                self.known.insert(visit.id, Some(bytes));
                visits.pop();
                if let Some(caller) = visits.last_mut() {
                    caller.below = caller.below.max(bytes);
                }
                continue;
            };
            visit.next += 1;
            let callee = self.find(object, name)?;
            match self.known.get(&callee) {
                Some(Some(bytes)) => visit.below = visit.below.max(*bytes),
                Some(None) => return Err(format!("function '{name}' calls itself, for which no stack is enough")),
                None => {
                    self.known.insert(callee, None);
                    visits.push(Visit::new(callee));
                }
            }
        }
        match self.known.get(&root).copied().flatten() {
            Some(bytes) if bytes <= MOST => Ok(bytes),
            Some(bytes) => Err(format!("it takes {bytes} bytes of stack, of which a kernel can have at most {MOST}")),
            None => Err(format!("the stack of function '{entry}' is not known")),
        }
    }

    /// The function that `name` means in an object: its own, or any other's.
    fn find(&self, object: usize, name: &str) -> Result<Id, String> {
        let objects = std::iter::once(object).chain(0..self.names.len());
        let mut found = objects.filter_map(|object| Some((object, *self.names.get(object)?.get(name)?)));
        found.next().ok_or_else(|| format!("the frame of function '{name}' is not known"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(name: &str, bytes: impl Into<Option<u64>>, callees: &[&str]) -> Frame {
        let callees = callees.iter().map(|name| (*name).to_owned()).collect();
        Frame { name: name.to_owned(), bytes: bytes.into(), callees }
    }

    fn needed(objects: &[&[Frame]]) -> Result<u64, String> {
        Frames::new(objects).needed("k")
    }

    #[test]
    fn the_deepest_way_counts() {
        let own = [
            frame("k", 100, &["a", "b"]),
            frame("a", 1000, &["c"]),
            frame("b", 40, &["c", "move"]),
            frame("c", 8, &[]),
        ];
        // In another object a name may mean another function.
        let other = [frame("c", 5000, &[]), frame("move", 16, &["c"])];
        assert_eq!(needed(&[&own, &other]), Ok(100 + 40 + 16 + 5000 + 4 * RETURN + RED_ZONE));
        assert_eq!(needed(&[&own[..2], &own[2..]]), Err("the frame of function 'move' is not known".into()));
        assert_eq!(needed(&[&[frame("k", 0, &[])]]), Ok(RETURN + RED_ZONE));
    }

    #[test]
    fn many_ways_to_the_same_function_are_gone_once() {
        let names: Vec<String> = (0..200).map(|n| if n == 0 { "k".to_owned() } else { format!("f{n}") }).collect();
        let chain: Vec<Frame> = (0..200)
            .map(|n| frame(&names[n], 8, &names[n + 1..].iter().map(String::as_str).take(2).collect::<Vec<_>>()))
            .collect();
        assert_eq!(needed(&[&chain]), Ok(200 * (8 + RETURN) + RED_ZONE));
    }

    #[test]
    fn what_has_no_bound_is_refused_by_name() {
        let log =
            needed(&[&[frame("k", 8, &["a"]), frame("a", 8, &["b"]), frame("b", 8, &["a"])]]).expect_err("a circle");
        assert_eq!(log, "function 'a' calls itself, for which no stack is enough");
        let log = needed(&[&[frame("k", 8, &["a"]), frame("a", None, &[])]]).expect_err("a frame that grows");
        assert_eq!(log, "function 'a' has a frame of no fixed size");
        let log = needed(&[&[frame("k", MOST, &[])]]).expect_err("too large");
        assert_eq!(log, "it takes 2147483783 bytes of stack, of which a kernel can have at most 2147483647");
        assert!(needed(&[&[frame("k", u64::MAX, &["k2"]), frame("k2", u64::MAX, &[])]]).is_err());
    }
}
