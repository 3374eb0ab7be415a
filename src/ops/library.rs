//! Names of the device library's functions, as they are linked with what `lower` makes.

use crate::PREFIX;

/// Prefix of the names of functions of images.
const OF_IMAGES: &str = "oxicl.image_";

/// The name of a function for numbers of a type.
pub fn name(function: &str, ty: &str) -> String {
    format!("{PREFIX}{function}.{ty}")
}

/// May a function of the library have this name? Names of the library's functions have a type behind the function's
/// name; those of queries have none.
pub fn is_of_library(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|rest| rest.contains('.'))
}

/// Is it the name of a function of images, or of a version of one?
pub fn is_of_images(name: &str) -> bool {
    name.starts_with(OF_IMAGES)
}
