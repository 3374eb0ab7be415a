//! The environment variables that oxicl obeys, read once, here and nowhere else.

use std::env;
use std::ffi::OsStr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::choice::{Chosen, choose};
use crate::cpu::CpuFeature;
use crate::decision::{Limit, Switches};
use crate::dump::Dump;
use crate::features::hideable;

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

/// Names by which applications know the platform and the device, where the environment wants others. Some applications take
/// a device only if they find a word in its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// `OXICL_PLATFORM_NAME`.
    pub platform: Option<String>,
    /// `OXICL_VENDOR`: the vendor of the platform and of the device.
    pub vendor: Option<String>,
    /// `OXICL_VENDOR_ID`: the number of the device's vendor, decimal or hexadecimal.
    pub vendor_id: Option<u32>,
    /// `OXICL_DEVICE_NAME`.
    pub device: Option<String>,
    /// `OXICL_DRIVER_VERSION`.
    pub driver_version: Option<String>,
}

/// What the environment asks for. `docs/manual/src/environment.md` has the same table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// `OXICL_COMPILER`: absolute path of the compiler executable, instead of the one beside the library.
    pub compiler: Option<PathBuf>,
    /// `OXICL_COMPILER_FAULT`: `<kernel>:<stage>:<kind>:<tier>`, a fault that a compiler worker brings on itself, so
    /// that tests can watch the recovery from it. The compiler refuses a value that it does not understand.
    pub compiler_fault: Option<String>,
    /// `OXICL_DUMP`: the folder that the compiler writes what each stage made into, and the names of what is written, if not all.
    /// There is no cache then, as what comes from there goes through no stage.
    pub dump: Option<Dump>,
    /// Folder of the on-disk cache: `OXICL_CACHE_DIR`, else `$XDG_CACHE_HOME/oxicl`, else `$HOME/.cache/oxicl`; `None`
    /// with `OXICL_CACHE=off` or where none of these is an absolute path.
    pub cache: Option<PathBuf>,
    /// `OXICL_BUILD_SECONDS`: seconds of processor time that the compiler may use for a source, and for each part of a
    /// module that it compiles at a time. What is no number above 0 is ignored.
    pub build_seconds: Option<NonZeroU32>,
    /// `OXICL_BUILD=eager`: a build generates the code of all kernels before it is over; else it is over when the program is
    /// proved, and code is generated when it is needed. With `OXICL_DUMP` builds are eager, as all stages are looked at.
    pub build_eagerly: bool,
    /// `OXICL_CPU`: the processor that code is generated for, which has no more than that of the machine; `None` for all
    /// that the machine has.
    pub cpu: Option<Chosen>,
    /// `OXICL_DEVICE=reference`: kernels are interpreted, not compiled.
    pub reference_device: bool,
    /// `OXICL_DISABLE` and `OXICL_DECISIONS`: which decisions the work-group compiler may take; and `OXICL_PASSES`.
    pub switches: Switches,
    /// `OXICL_INCLUDE`: which files sources may read.
    pub include: Include,
    /// `OXICL_LOG`, with any value but `off` and `0`: what goes wrong is told on standard error.
    pub log: bool,
    /// Names of the platform and the device.
    pub names: Names,
    /// `OXICL_HIDE`: names of extensions, with commas between them, that the device is to be without.
    pub hidden: Vec<&'static str>,
    /// What of the environment is not obeyed, a sentence each, for the log.
    pub refused: Vec<String>,
    /// `OXICL_CHECK_STACKS=on`: for tests; kernels that use more stack than the compiler said fail.
    pub check_stacks: bool,
}

impl Config {
    /// The configuration of this process.
    pub fn get() -> &'static Config {
        static CONFIG: OnceLock<Config> = OnceLock::new();
        CONFIG.get_or_init(|| Config::from_variables(|name| env::var_os(name).map(PathBuf::from)))
    }

    /// The configuration that `variable`, called with names, describes. Empty values count as absent.
    pub fn from_variables(variable: impl Fn(&str) -> Option<PathBuf>) -> Config {
        let path = |name: &str| variable(name).filter(|path| path.is_absolute());
        let text = |name: &str| variable(name).and_then(|value| value.to_str().map(str::to_owned));
        let mut refused = Vec::new();
        let dump = variable("OXICL_DUMP").filter(|dump| !dump.as_os_str().is_empty());
        let dump = dump.and_then(|dump| match Dump::parse(dump.as_os_str()) {
            Ok(dump) => Some(dump),
            Err(why) => {
                refused.push(format!("OXICL_DUMP={} {why}", dump.display()));
                None
            }
        });
        let cache = match text("OXICL_CACHE").as_deref() {
            Some("off" | "0") => None,
            _ if dump.is_some() => None,
            _ => path("OXICL_CACHE_DIR")
                .or_else(|| path("XDG_CACHE_HOME").map(|folder| folder.join("oxicl")))
                .or_else(|| path("HOME").map(|folder| folder.join(".cache").join("oxicl"))),
        };
        let word = |name: &str| text(name).filter(|value| !value.is_empty());
        let vendor_id = word("OXICL_VENDOR_ID").and_then(|text| number(&text, &mut refused));
        let cpu = word("OXICL_CPU").and_then(|text| cpu(&text, &mut refused));
        let mut switches = Switches::default();
        for name in word("OXICL_DISABLE").map(|list| switches.disable(&list)).unwrap_or_default() {
            refused.push(format!("OXICL_DISABLE does not disable `{name}`: there is no such decision"));
        }
        switches.limit = word("OXICL_DECISIONS").and_then(|text| limit(&text, &mut refused));
        switches.all_passes = text("OXICL_PASSES").as_deref() == Some("all");
        let hidden = word("OXICL_HIDE").map(|list| hidden(&list, &mut refused)).unwrap_or_default();
        Config {
            compiler: path("OXICL_COMPILER"),
            compiler_fault: text("OXICL_COMPILER_FAULT").filter(|fault| !fault.is_empty()),
            build_eagerly: dump.is_some() || text("OXICL_BUILD").as_deref() == Some("eager"),
            dump,
            cache,
            build_seconds: text("OXICL_BUILD_SECONDS").and_then(|seconds| seconds.trim().parse().ok()),
            cpu,
            reference_device: text("OXICL_DEVICE").as_deref() == Some("reference"),
            include: Include::from_value(variable("OXICL_INCLUDE").as_deref().map(Path::as_os_str)),
            log: !matches!(text("OXICL_LOG").as_deref(), None | Some("" | "off" | "0")),
            names: Names {
                platform: word("OXICL_PLATFORM_NAME"),
                vendor: word("OXICL_VENDOR"),
                vendor_id,
                device: word("OXICL_DEVICE_NAME"),
                driver_version: word("OXICL_DRIVER_VERSION"),
            },
            hidden,
            switches,
            refused,
            check_stacks: text("OXICL_CHECK_STACKS").as_deref() == Some("on"),
        }
    }
}

/// A number of 32 bits, decimal or with 0x in front.
fn number(text: &str, refused: &mut Vec<String>) -> Option<u32> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let number = digits.map_or_else(|| text.parse(), |digits| u32::from_str_radix(digits, 16));
    if number.is_err() {
        refused.push(format!("OXICL_VENDOR_ID is ignored: `{text}` is no number of 32 bits"));
    }
    number.ok()
}

/// How far decisions are taken.
fn limit(text: &str, refused: &mut Vec<String>) -> Option<Limit> {
    let limit = Limit::parse(text);
    if limit.is_none() {
        refused.push(format!(
            "OXICL_DECISIONS is ignored: `{text}` is neither a number nor a kernel's name, `:` and a number"
        ));
    }
    limit
}

/// A processor that the machine can do as.
fn cpu(text: &str, refused: &mut Vec<String>) -> Option<Chosen> {
    choose(text, &CpuFeature::of_host()).unwrap_or_else(|why| {
        refused.push(format!("OXICL_CPU is ignored: {why}"));
        None
    })
}

/// The extensions of a list.
fn hidden(list: &str, refused: &mut Vec<String>) -> Vec<&'static str> {
    let mut names = Vec::new();
    for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        match hideable(name) {
            Some(name) if names.contains(&name) => {}
            Some(name) => names.push(name),
            None if name == "cl_khr_icd" => {
                refused.push(format!("OXICL_HIDE does not hide `{name}`: loaders take no platform without it"));
            }
            None => refused.push(format!("OXICL_HIDE does not hide `{name}`: the device has no such extension")),
        }
    }
    // The order of the list is no matter of the device's.
    names.sort_unstable();
    names
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
        assert_eq!((dumping.cache, dumping.dump), (None, Some(Dump::all(Path::new("/d")))));
    }

    #[test]
    fn a_dump_of_unknown_parts_is_none_and_is_told() {
        let unknown = config(&[("HOME", "/h"), ("OXICL_DUMP", "/d,plam")]);
        assert_eq!((unknown.dump, unknown.cache.is_some(), unknown.build_eagerly), (None, true, false));
        assert!(unknown.refused[0].contains("`plam`"), "{:?}", unknown.refused);
    }

    #[test]
    fn only_the_name_of_the_reference_device_chooses_it() {
        assert!(config(&[("OXICL_DEVICE", "reference")]).reference_device);
        assert!(!config(&[("OXICL_DEVICE", "cpu")]).reference_device);
        assert!(!config(&[]).reference_device);
    }

    #[test]
    fn seconds_for_builds_are_a_number_above_0() {
        let seconds = |value| config(&[("OXICL_BUILD_SECONDS", value)]).build_seconds.map(NonZeroU32::get);
        assert_eq!(seconds("900"), Some(900));
        assert_eq!(seconds(" 1 "), Some(1));
        for value in ["", "0", "-1", "1.5", "off", "99999999999"] {
            assert_eq!(seconds(value), None, "{value}");
        }
        assert_eq!(config(&[]).build_seconds, None);
    }

    #[test]
    fn builds_are_eager_only_where_that_is_asked_for() {
        assert!(config(&[("OXICL_BUILD", "eager")]).build_eagerly);
        assert!(config(&[("OXICL_DUMP", "/d")]).build_eagerly);
        for value in ["", "lazy", "1"] {
            assert!(!config(&[("OXICL_BUILD", value)]).build_eagerly, "{value}");
        }
        assert!(!config(&[]).build_eagerly);
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
    fn names_are_words_and_the_vendors_number_is_decimal_or_hexadecimal() {
        let names =
            config(&[("OXICL_DEVICE_NAME", "Intel"), ("OXICL_VENDOR", ""), ("OXICL_VENDOR_ID", "0x8086")]).names;
        assert_eq!(names, Names { device: Some("Intel".into()), vendor_id: Some(0x8086), ..Names::default() });
        assert_eq!(config(&[("OXICL_VENDOR_ID", "4130")]).names.vendor_id, Some(0x1022));
        for bad in ["x", "0x", "-1", "0x100000000", "8086h"] {
            let config = config(&[("OXICL_VENDOR_ID", bad)]);
            assert_eq!(config.names.vendor_id, None, "{bad}");
            assert!(config.refused.len() == 1 && config.refused[0].contains(bad), "{:?}", config.refused);
        }
    }

    #[test]
    fn extensions_are_hidden_by_name_and_others_are_told() {
        let known = config(&[("OXICL_HIDE", "cl_khr_fp64, cl_khr_fp16,,cl_khr_fp64")]);
        assert_eq!((known.hidden, known.refused), (vec!["cl_khr_fp16", "cl_khr_fp64"], vec![]));
        let unknown = config(&[("OXICL_HIDE", "cl_khr_fp46,cl_khr_icd")]);
        assert!(unknown.hidden.is_empty());
        assert!(unknown.refused[0].contains("`cl_khr_fp46`") && unknown.refused[1].contains("loaders"));
    }

    #[test]
    fn the_processor_is_one_that_the_machine_can_do_as() {
        let least = config(&[("OXICL_CPU", "native,+sse3")]);
        assert_eq!((least.cpu.map(|cpu| cpu.features), least.refused), (Some(CpuFeature::of_host()), vec![]));
        for none in ["", "native"] {
            assert_eq!(config(&[("OXICL_CPU", none)]), Config::default(), "{none}");
        }
        let unknown = config(&[("OXICL_CPU", "z80")]);
        assert_eq!(unknown.cpu, None);
        assert!(unknown.refused[0].starts_with("OXICL_CPU is ignored: `z80`"), "{:?}", unknown.refused);
    }

    #[test]
    fn decisions_are_disabled_by_name_and_counted() {
        let known = config(&[("OXICL_DISABLE", "guards,pairs"), ("OXICL_DECISIONS", "k:7")]);
        assert_eq!((known.switches.disabled.len(), known.refused), (2, vec![]));
        assert_eq!(known.switches.limit, Some(Limit { count: 7, kernel: Some("k".into()) }));
        let unknown = config(&[("OXICL_DISABLE", "guard"), ("OXICL_DECISIONS", "few")]);
        assert_eq!(unknown.switches, Switches::default());
        assert!(
            unknown.refused[0].contains("`guard`") && unknown.refused[1].contains("`few`"),
            "{:?}",
            unknown.refused
        );
    }

    #[test]
    fn all_passes_are_run_only_where_that_is_asked_for() {
        assert!(config(&[("OXICL_PASSES", "all")]).switches.all_passes);
        for value in ["", "few", "All"] {
            assert!(!config(&[("OXICL_PASSES", value)]).switches.all_passes, "{value}");
        }
    }

    #[test]
    fn stacks_are_checked_only_where_that_is_switched_on() {
        assert!(config(&[("OXICL_CHECK_STACKS", "on")]).check_stacks);
        for value in ["off", "0", ""] {
            assert!(!config(&[("OXICL_CHECK_STACKS", value)]).check_stacks, "{value}");
        }
        assert!(!config(&[]).check_stacks);
    }

    #[test]
    fn relative_and_empty_paths_are_ignored() {
        let config = config(&[("OXICL_COMPILER", "bin/c"), ("HOME", ""), ("OXICL_COMPILER_FAULT", "")]);
        assert_eq!(config, Config::default());
    }
}
