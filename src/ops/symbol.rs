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

/// The function that copies elements of `bytes` bytes between pointers of two types.
pub fn async_copy(bytes: u64, align: u32, to: &str, from: &str) -> String {
    format!("oxicl.async_copy.{bytes}.{align}.{to}.{from}")
}
