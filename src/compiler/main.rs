//! The compiler executable.
fn main() {}
