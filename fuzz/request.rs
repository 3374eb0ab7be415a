//! A request that was written down, as people may have changed it: read, and written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use oxicl_compiler::request_file::{from_bytes, to_text};

fuzz_target!(|data: &[u8]| {
    match from_bytes(data) {
        Ok(request) => {
            assert_eq!(from_bytes(to_text(&request).as_bytes()), Ok(request), "it is written as it was read")
        }
        Err(why) => assert!(!why.is_empty(), "a failure has a reason"),
    }
});
