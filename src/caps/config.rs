//! The environment variables that oxicl obeys, read once, here and nowhere else.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

/// Which files OpenCL C may read: by `#include`, `#embed` and whatever else names one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Include {
    /// All that the user may read.
    #[default]
    All,
    /// Those below the folders that `-I` lists, by the names that they have without symbolic links; and embedded headers.
    Listed,
    /// Embedded headers of `clCompileProgram`.
    None,
}

impl Include {
    /// The value of `OXICL_INCLUDE`. A value that is misspelt was meant to forbid something, and nobody can tell what: so it
    /// forbids all.
    fn from_value(value: Option<&OsStr>) -> Include {
        match value.map(OsStr::as_encoded_bytes) {
            None | Some(b"" | b"all") => Include::All,
            Some(b"listed") => Include::Listed,
            Some(_) => Include::None,
        }
    }
}

/// What the environment asks for. `docs/architecture.md` has the same table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// `OXICL_COMPILER`: absolute path of the compiler executable, instead of the one beside the library.
    pub compiler: Option<PathBuf>,
    /// `OXICL_COMPILER_FAULT`: `<kernel>:<stage>:<kind>:<tier>`, a fault that a compiler worker brings on itself, so
    /// that tests can watch the recovery from it. The compiler refuses a value that it does not understand.
    pub compiler_fault: Option<String>,
    /// `OXICL_DUMP`: absolute path of the folder that the compiler writes what each stage made into. There is no cache
    /// then, as what comes from there goes through no stage.
    pub dump: Option<PathBuf>,
    /// Folder of the on-disk cache: `OXICL_CACHE_DIR`, else `$XDG_CACHE_HOME/oxicl`, else `$HOME/.cache/oxicl`; `None`
    /// with `OXICL_CACHE=off` or where none of these is an absolute path.
    pub cache: Option<PathBuf>,
    /// `OXICL_DEVICE=reference`: kernels are interpreted, not compiled.
    pub reference_device: bool,
    /// `OXICL_INCLUDE`: which files sources may read.
    pub include: Include,
    /// `OXICL_LOG`, with any value but `off` and `0`: what goes wrong is told on standard error.
    pub log: bool,
}

impl Config {
    /// The configuration of this process.
    pub fn get() -> &'static Config {
        static CONFIG: OnceLock<Config> = OnceLock::new();
        CONFIG.get_or_init(|| Config::from_variables(|name| env::var_os(name).map(PathBuf::from)))
    }

    /// The configuration that `variable`, called with names, describes. Empty values count as absent.
    fn from_variables(variable: impl Fn(&str) -> Option<PathBuf>) -> Config {
        let path = |name: &str| variable(name).filter(|path| path.is_absolute());
        let text = |name: &str| variable(name).and_then(|value| value.to_str().map(str::to_owned));
        let dump = path("OXICL_DUMP");
        let cache = match text("OXICL_CACHE").as_deref() {
            Some("off" | "0") => None,
            _ if dump.is_some() => None,
            _ => path("OXICL_CACHE_DIR")
                .or_else(|| path("XDG_CACHE_HOME").map(|folder| folder.join("oxicl")))
                .or_else(|| path("HOME").map(|folder| folder.join(".cache").join("oxicl"))),
        };
        Config {
            compiler: path("OXICL_COMPILER"),
            compiler_fault: text("OXICL_COMPILER_FAULT").filter(|fault| !fault.is_empty()),
            dump,
            cache,
            reference_device: text("OXICL_DEVICE").as_deref() == Some("reference"),
            include: Include::from_value(variable("OXICL_INCLUDE").as_deref().map(Path::as_os_str)),
            log: !matches!(text("OXICL_LOG").as_deref(), None | Some("" | "off" | "0")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(variables: &[(&str, &str)]) -> Config {
        Config::from_variables(|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| PathBuf::from(*value))
        })
    }

    #[test]
    fn the_cache_folder_follows_the_most_specific_variable() {
        let all = [("HOME", "/h"), ("XDG_CACHE_HOME", "/x"), ("OXICL_CACHE_DIR", "/c")];
        assert_eq!(config(&all).cache, Some(PathBuf::from("/c")));
        assert_eq!(config(&all[..2]).cache, Some(PathBuf::from("/x/oxicl")));
        assert_eq!(config(&all[..1]).cache, Some(PathBuf::from("/h/.cache/oxicl")));
        assert_eq!(config(&[]).cache, None);
    }

    #[test]
    fn the_cache_can_be_switched_off() {
        assert_eq!(config(&[("HOME", "/h"), ("OXICL_CACHE", "off")]).cache, None);
        let dumping = config(&[("HOME", "/h"), ("OXICL_DUMP", "/d")]);
        assert_eq!((dumping.cache, dumping.dump), (None, Some(PathBuf::from("/d"))));
    }

    #[test]
    fn only_the_name_of_the_reference_device_chooses_it() {
        assert!(config(&[("OXICL_DEVICE", "reference")]).reference_device);
        assert!(!config(&[("OXICL_DEVICE", "cpu")]).reference_device);
        assert!(!config(&[]).reference_device);
    }

    #[test]
    fn the_log_is_off_unless_it_is_asked_for() {
        for (value, log) in [("1", true), ("on", true), ("off", false), ("0", false), ("", false)] {
            assert_eq!(config(&[("OXICL_LOG", value)]).log, log, "{value}");
        }
        assert!(!config(&[]).log);
    }

    #[test]
    fn what_sources_may_read_is_nothing_if_the_value_is_unknown() {
        for (value, include) in [
            ("", Include::All),
            ("all", Include::All),
            ("listed", Include::Listed),
            ("none", Include::None),
            ("Listed", Include::None),
            ("listed ", Include::None),
            ("off", Include::None),
        ] {
            assert_eq!(config(&[("OXICL_INCLUDE", value)]).include, include, "{value}");
        }
        assert_eq!(config(&[]).include, Include::All);
    }

    #[test]
    fn relative_and_empty_paths_are_ignored() {
        let config = config(&[("OXICL_COMPILER", "bin/c"), ("HOME", ""), ("OXICL_COMPILER_FAULT", "")]);
        assert_eq!(config, Config::default());
    }
}
