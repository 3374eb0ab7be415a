//! The names of the environment variables, and what of their values is not understood: for who has to explain a set-up.

use std::ffi::OsStr;
use std::path::Path;

/// All variables of oxicl. `docs/manual/src/environment.md` says what each means.
pub const VARIABLES: &[&str] = &[
    "OXICL_BUILD",
    "OXICL_BUILD_SECONDS",
    "OXICL_CACHE",
    "OXICL_CACHE_DIR",
    "OXICL_CHECK_STACKS",
    "OXICL_COMPILER",
    "OXICL_COMPILER_FAULT",
    "OXICL_CPU",
    "OXICL_DECISIONS",
    "OXICL_DEVICE",
    "OXICL_DEVICE_NAME",
    "OXICL_DISABLE",
    "OXICL_DRIVER_VERSION",
    "OXICL_DUMP",
    "OXICL_HIDE",
    "OXICL_INCLUDE",
    "OXICL_LOG",
    "OXICL_PASSES",
    "OXICL_PLATFORM_NAME",
    "OXICL_VENDOR",
    "OXICL_VENDOR_ID",
];

/// Most letters that a misspelt name may differ in. A bound: what differs in more may mean anything.
const MISSPELT: usize = 3;

/// The variable that a name which is none was probably meant to be.
pub fn meant(name: &str) -> Option<&'static str> {
    let known = VARIABLES.iter().map(|known| (distance(name, known), *known));
    known.filter(|(letters, _)| *letters <= MISSPELT).min().map(|(_, known)| known)
}

/// How many letters have to be replaced, added or removed to make one text of the other.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in other.bytes().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

/// Why a variable's value is not obeyed, in a sentence; `None` if it is, or is empty. What lists and numbers have wrong is
/// among [`Config::refused`](crate::config::Config::refused).
pub fn misunderstood(name: &str, value: &OsStr) -> Option<String> {
    let shown = value.to_string_lossy();
    let wrong = match (name, value.to_str()) {
        _ if value.is_empty() => return None,
        ("OXICL_CACHE_DIR" | "OXICL_COMPILER", _) => {
            (!Path::new(value).is_absolute()).then_some("is no absolute path, so it is ignored")
        }
        (_, None) => Some("is no UTF-8, so it is ignored"),
        ("OXICL_BUILD", Some(text)) => {
            (!["eager", "lazy"].contains(&text)).then_some("is neither `eager` nor `lazy`, so it is ignored")
        }
        ("OXICL_BUILD_SECONDS", Some(text)) => {
            let number = text.trim().parse::<std::num::NonZeroU32>();
            number.is_err().then_some("is no whole number above 0, so it is ignored")
        }
        ("OXICL_CACHE", Some(text)) => {
            (!["off", "0", "on", "1"].contains(&text)).then_some("is not `off`, so it is ignored")
        }
        ("OXICL_CHECK_STACKS", Some(text)) => {
            (!["on", "off", "0"].contains(&text)).then_some("is not `on`, so it is ignored")
        }
        ("OXICL_DEVICE", Some(text)) => (text != "reference").then_some("is not `reference`, so it is ignored"),
        ("OXICL_PASSES", Some(text)) => (text != "all").then_some("is not `all`, so it is ignored"),
        ("OXICL_INCLUDE", Some(text)) => (!["all", "listed", "none"].contains(&text))
            .then_some("is none of `all`, `listed` and `none`, so sources may read no file"),
        _ => None,
    };
    wrong.map(|wrong| format!("{name}={shown} {wrong}"))
}

#[cfg(test)]
mod tests {
    use super::{VARIABLES, meant, misunderstood};
    use std::ffi::OsStr;
    use std::fs;
    use std::path::Path;

    /// Names of oxicl's in a text, behind any of `marks`.
    fn named(text: &str, mark: &str) -> Vec<String> {
        let names = text.split(mark).skip(1).filter(|rest| rest.starts_with("OXICL_"));
        let end = |c: char| !c.is_ascii_uppercase() && c != '_';
        let mut names: Vec<String> = names.map(|rest| rest.split(end).next().unwrap_or_default().to_owned()).collect();
        names.sort();
        names.dedup();
        names
    }

    #[test]
    fn the_list_is_what_is_read_and_what_is_documented() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let read = |path: &str| fs::read_to_string(folder.join(path)).expect(path);
        let config = read("config.rs");
        let code = config.split("mod tests").next().unwrap_or_default();
        assert_eq!(named(code, "(\""), VARIABLES);
        assert_eq!(named(&read("../../docs/manual/src/environment.md"), "\n| `"), VARIABLES);
    }

    #[test]
    fn a_misspelt_name_finds_the_one_that_was_meant() {
        assert_eq!(meant("OXICL_CACHEDIR"), Some("OXICL_CACHE_DIR"));
        assert_eq!(meant("OXICL_COMPILLER"), Some("OXICL_COMPILER"));
        assert_eq!(meant("OXICL_NUMBER_OF_THREADS"), None);
    }

    #[test]
    fn values_that_are_not_obeyed_are_told_and_others_are_not() {
        for (name, good, bad) in [
            ("OXICL_CACHE_DIR", "/c", "c"),
            ("OXICL_COMPILER", "/c", "./c"),
            ("OXICL_BUILD", "eager", "Eager"),
            ("OXICL_BUILD_SECONDS", " 7 ", "7s"),
            ("OXICL_CACHE", "off", "no"),
            ("OXICL_CHECK_STACKS", "on", "yes"),
            ("OXICL_DEVICE", "reference", "cpu"),
            ("OXICL_INCLUDE", "listed", "list"),
            ("OXICL_PASSES", "all", "few"),
        ] {
            assert_eq!(misunderstood(name, OsStr::new(good)), None, "{name}");
            let told = misunderstood(name, OsStr::new(bad)).expect(name);
            assert!(told.contains(name) && told.contains(bad), "{told}");
            assert_eq!(misunderstood(name, OsStr::new("")), None, "{name}: nothing is no value");
        }
        assert_eq!(misunderstood("OXICL_DEVICE_NAME", OsStr::new("Any")), None);
    }
}
