//! Writes `docs/capabilities.md` to standard output; with `extensions`, `docs/extensions.md`; with `golden`, what the golden
//! test compares.

use oxicl_caps::{DeviceCaps, capabilities_document, describe_queries, extensions_document};

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("golden") => print!("{}", describe_queries(&DeviceCaps::example())),
        Some("extensions") => print!("{}", extensions_document()),
        _ => print!("{}", capabilities_document()),
    }
}
