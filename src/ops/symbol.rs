//! Names of functions and variables that the stages write.

/// A zeroed descriptor: that of an image without texels.
pub const NO_IMAGE: &str = "oxicl.no_image";

/// The entry function of the `number`th kernel of a module.
pub fn entry(number: usize) -> String {
    format!("oxicl.entry.{number}")
}

/// The function that runs a work-group of the `number`th kernel.
pub fn group(number: usize) -> String {
    format!("oxicl.group.{number}")
}

/// The second function that runs a work-group of the `number`th kernel; `which` says when.
pub fn other_group(number: usize, which: &str) -> String {
    format!("{}.{which}", group(number))
}

/// The function that runs a fiber of the `number`th kernel.
pub fn fiber(number: usize) -> String {
    format!("oxicl.fiber.{number}")
}

/// The function that stores a vector of type `ty`, aligned to `align` bytes. Its operands are the vector, its address, and a
/// mask: the store is a streaming store if the address has none of the mask's bits.
pub fn streaming_store(align: u32, ty: &str) -> String {
    format!("{STREAMING_STORE}{align}.{ty}")
}

/// The alignment of the function's ordinary store, if a name is that of such a function.
pub fn parse_streaming_store(name: &str) -> Option<u32> {
    name.strip_prefix(STREAMING_STORE)?.split('.').next()?.parse().ok()
}

const STREAMING_STORE: &str = "oxicl.streaming_store.";

/// The function that copies elements of `bytes` bytes between pointers of two types.
pub fn async_copy(bytes: u64, align: u32, to: &str, from: &str) -> String {
    format!("oxicl.async_copy.{bytes}.{align}.{to}.{from}")
}
