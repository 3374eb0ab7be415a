//! `oxicl cache`: the cache of compiled kernels.

use std::path::Path;
use std::process::ExitCode;

use oxicl_compiler_client::{Contents, clear, contents};

use crate::arguments::{Cache, CacheAction};
use crate::doctor::size;
use crate::host::Host;

/// Shows or clears it.
pub fn cache(arguments: &Cache) -> ExitCode {
    let Some(folder) = Host::new(Path::new("/")).config().cache else {
        println!("There is no cache: OXICL_CACHE or OXICL_DUMP is set, or no variable names a folder for it.");
        return ExitCode::SUCCESS;
    };
    let shown = folder.display();
    let done = match arguments.action {
        CacheAction::Show => contents(&folder),
        CacheAction::Clear => clear(&folder),
    };
    match done {
        Ok(Contents { entries, bytes }) => {
            let removed = if arguments.action == CacheAction::Clear { " removed" } else { "" };
            println!("{shown}: {}{removed}, {}", entries_in_words(entries), size(bytes));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("oxicl cache: {shown}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn entries_in_words(count: u64) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}
