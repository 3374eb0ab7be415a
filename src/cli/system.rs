//! All that `doctor` judges, as plain facts: a test can make up any.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use oxicl_caps::config::Config;
use oxicl_compiler_client::Unusable;

use crate::child;
use crate::host::Host;
use crate::icd::{self, Named, Vendors};
use crate::loader::{self, Loader, Origin};
use crate::locate::{self, LIBRARY, NotRun, Version};
use crate::machine::{self, Machine};
use crate::probe::Opened;

/// The compiler of the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// Where the library looks for it.
    pub path: PathBuf,
    /// What it is, or why it does not run.
    pub version: Result<Version, NotRun>,
}

/// A library on a mount where nothing may be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoExec {
    /// The library.
    pub library: PathBuf,
    /// Where the file system is mounted.
    pub mount: PathBuf,
}

/// A system.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// Loaders, in the order in which programs find them.
    pub loaders: Vec<Loader>,
    /// Where these look for drivers, and what they find.
    pub vendors: Vendors,
    /// The vendors folders of Python environments.
    pub environments: Vec<Vendors>,
    /// The library that programs see, else the one that this command belongs to.
    pub library: Option<PathBuf>,
    /// The library that this command belongs to.
    pub own: Option<PathBuf>,
    /// The library as a driver.
    pub driver: Option<Result<Opened, String>>,
    /// Its compiler.
    pub compiler: Option<Compiler>,
    /// Milliseconds that a build takes, or why there is none.
    pub build: Option<Result<u64, String>>,
    /// The folder of the cache; `None` if it is off.
    pub cache: Option<PathBuf>,
    /// What keeps the cache from being used.
    pub cache_usable: Option<Result<(), Unusable>>,
    /// Whether written memory may become executable.
    pub executable_memory: Option<Result<(), String>>,
    /// Libraries of oxicl's that are where nothing may be run.
    pub noexec: Vec<NoExec>,
    /// The machine.
    pub machine: Machine,
    /// The environment variables.
    pub variables: BTreeMap<String, OsString>,
    /// What oxicl makes of them.
    pub config: Config,
}

impl System {
    /// The system of a host. Drivers and loaders are opened by processes that may die of them.
    pub fn look(host: &Host) -> System {
        let python = loader::python_environments(host);
        let mut loaders = loader::loaders(host, &python);
        for loader in &mut loaders {
            loader.opened = child::ask_loader(&host.command, "loader", loader);
        }
        let mut vendors = icd::vendors(host);
        let folders = python.iter().map(|prefix| prefix.join("etc").join("OpenCL").join("vendors"));
        let folders = folders.filter(|folder| folder.is_dir() && *folder != vendors.place);
        let mut environments: Vec<Vendors> =
            folders.map(|folder| icd::at(host, Some("VIRTUAL_ENV"), folder.as_os_str())).collect();
        let all = vendors.named.iter_mut().chain(environments.iter_mut().flat_map(|vendors| &mut vendors.named));
        all.for_each(|named| named.opened = open(host, named));
        let own = locate::beside(&host.command);
        let seen = vendors.named.iter().find(|named| named.is_oxicl()).and_then(|named| named.library.clone().ok());
        let library = seen.or_else(|| own.clone());
        let config = host.config();
        let system = System {
            compiler: library.as_deref().map(|library| compiler(host, library)),
            driver: library.as_deref().map(|library| child::ask(&host.command, "driver", Some(library))),
            noexec: noexec(host, vendors.named.iter().filter_map(|named| named.library.as_ref().ok()).chain(&own)),
            cache_usable: config.cache.as_deref().map(oxicl_compiler_client::usable),
            cache: config.cache.clone(),
            executable_memory: Some(child::ask(&host.command, "memory", None)),
            machine: Machine::look(host),
            variables: host.variables.clone(),
            loaders,
            vendors,
            environments,
            library,
            own,
            config,
            build: None,
        };
        let build = system.try_build(host);
        System { build, ..system }
    }

    /// The loader that a program gets by its name.
    pub fn loader(&self) -> Option<&Loader> {
        self.loaders.iter().find(|loader| loader.origin != Origin::Python).or_else(|| self.loaders.first())
    }

    /// Whether a program sees oxicl.
    pub fn is_seen(&self) -> bool {
        self.loader().and_then(|loader| loader.opened.as_ref().ok()).is_some_and(Opened::has_oxicl)
    }

    /// Builds as a program would; through the library itself where a program does not see it.
    fn try_build(&self, host: &Host) -> Option<Result<u64, String>> {
        match (self.loader().filter(|_| self.is_seen()), &self.library) {
            (Some(loader), _) => Some(child::ask_loader(&host.command, "build-through", loader)),
            (None, Some(library)) => Some(child::ask(&host.command, "build-directly", Some(library))),
            (None, None) => None,
        }
    }
}

fn open(host: &Host, named: &Named) -> Result<Opened, String> {
    match &named.library {
        Ok(library) if library.is_absolute() && !library.exists() => Err("there is no such file".to_owned()),
        Ok(library) => child::ask(&host.command, "driver", Some(library)),
        Err(why) => Err(why.clone()),
    }
}

fn compiler(host: &Host, library: &Path) -> Compiler {
    let path = locate::compiler(host, library);
    let version = locate::version(&path);
    Compiler { path, version }
}

/// Those of the libraries that have oxicl's name and are where nothing may be run, each once.
fn noexec<'a>(host: &Host, libraries: impl Iterator<Item = &'a PathBuf>) -> Vec<NoExec> {
    let ours = libraries.filter(|library| library.file_name().is_some_and(|name| name == LIBRARY));
    let mut found: Vec<NoExec> = Vec::new();
    for library in ours {
        if let Some(mount) = machine::noexec_mount(host, library)
            && found.iter().all(|known| known.library != *library)
        {
            found.push(NoExec { library: library.clone(), mount });
        }
    }
    found
}
