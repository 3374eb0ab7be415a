//! Writes `docs/capabilities.md` to standard output; with `golden`, what the golden test compares.

use oxicl_caps::{DeviceCaps, capabilities_document, describe_queries};

fn main() {
    if std::env::args().any(|argument| argument == "golden") {
        print!("{}", describe_queries(&DeviceCaps::example()));
    } else {
        print!("{}", capabilities_document());
    }
}
