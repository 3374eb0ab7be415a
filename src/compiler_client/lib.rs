//! The application's side of the compiler process, and the on-disk cache before it.
//!
//! - **Takes**: a [`CompileRequest`], from any number of threads at once.
//! - **Gives**: an [`Image`], from the cache or from the compiler, or the build log.
//! - **Never**: links LLVM; lets the application notice a child process, a signal or an inherited descriptor; trusts
//!   what it reads from disk.
//! - **Spec**: none of OpenCL; `clone(2)` and `wait(2)` of Linux for what a host can notice.

mod cache;
mod connection;
mod identity;
mod spawn;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use oxicl_caps::config::Config;
use oxicl_protocol::{BuildFailure, CompileRequest, CompileResponse, Image, Stage, decode, encode};

use cache::Cache;
use connection::Connection;

/// How often a request is sent: a supervisor may have left, after its idle time, just when the request was on its way.
const TRIES: u32 = 3;

/// How a [`Compiler`] is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Absolute path of the executable; `None` for the one beside this library.
    pub compiler: Option<PathBuf>,
    /// A fault that workers bring on themselves, for tests.
    pub fault: Option<String>,
    /// Folder of the on-disk cache; `None` for none.
    pub cache: Option<PathBuf>,
    /// The most kernels that are compiled at a time.
    pub workers: usize,
    /// Runs what may block for long. The application's threads enter the library in sections that hold up `fork`; this
    /// leaves the section meanwhile.
    pub outside: fn(&mut dyn FnMut()),
}

impl Default for Settings {
    /// What the environment asks for.
    fn default() -> Self {
        let config = Config::get();
        Settings {
            compiler: config.compiler.clone(),
            fault: config.compiler_fault.clone(),
            cache: config.cache.clone(),
            workers: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            outside: |block| block(),
        }
    }
}

/// What a request gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The object code.
    pub image: Image,
    /// True if no compiler was asked.
    pub cached: bool,
}

/// The compiler process, started when it is needed, and the cache.
pub struct Compiler {
    settings: Settings,
    executable: OnceLock<Result<PathBuf, String>>,
    cache: OnceLock<Option<Cache>>,
    connection: Mutex<Slot>,
}

/// The connection belongs to the process that opened it: a child that was forked opens its own.
#[derive(Default)]
struct Slot {
    process: u32,
    connection: Option<Arc<Connection>>,
}

impl Compiler {
    /// A compiler; nothing is started or read yet.
    pub fn new(settings: Settings) -> Self {
        Compiler {
            settings,
            executable: OnceLock::new(),
            cache: OnceLock::new(),
            connection: Mutex::new(Slot::default()),
        }
    }

    /// Compiles `request`, or finds its image in the cache.
    ///
    /// # Errors
    /// The build log: the compiler's, or one that says why there is no compiler.
    pub fn compile(&self, request: &CompileRequest) -> Result<Compiled, BuildFailure> {
        let payload = encode(request).map_err(process_failure)?;
        let executable = self.executable()?;
        let cache = self.cache.get_or_init(|| Cache::open(self.settings.cache.as_deref()?, executable));
        let key = cache.as_ref().map(|cache| cache.key(&payload));
        if let (Some(cache), Some(key)) = (cache, &key)
            && let Some(image) = cache.find(key)
        {
            return Ok(Compiled { image, cached: true });
        }
        let answer = self.ask(request.instruction_count(), &payload)?;
        match decode(&answer).map_err(process_failure)? {
            CompileResponse::Image(image) => {
                if let (Some(cache), Some(key)) = (cache, &key) {
                    cache.keep(key, &image);
                }
                Ok(Compiled { image, cached: false })
            }
            CompileResponse::Failure(failure) => Err(failure),
        }
    }

    fn executable(&self) -> Result<&PathBuf, BuildFailure> {
        let found = self.executable.get_or_init(|| spawn::find_compiler(self.settings.compiler.as_deref()));
        found.as_ref().map_err(process_failure)
    }

    /// Sends a request, and again to another supervisor if the first is gone.
    fn ask(&self, instructions: u32, payload: &[u8]) -> Result<Vec<u8>, BuildFailure> {
        for _ in 0..TRIES {
            let connection = self.connect()?;
            let mut answer = None;
            (self.settings.outside)(&mut || answer = connection.request(instructions, payload));
            match answer {
                Some(answer) => return Ok(answer),
                None => self.disconnect(&connection),
            }
        }
        let path = self.executable()?.display();
        Err(process_failure(format!("the compiler process ended {TRIES} times before it answered: {path}")))
    }

    fn connect(&self) -> Result<Arc<Connection>, BuildFailure> {
        let mut slot = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        if slot.process != process {
            *slot = Slot { process, connection: None };
        }
        if let Some(connection) = &slot.connection {
            return Ok(Arc::clone(connection));
        }
        let mut arguments = vec!["--serve".to_owned(), self.settings.workers.to_string()];
        arguments.extend(self.settings.fault.clone());
        let socket = spawn::start(self.executable()?, &arguments).map_err(process_failure)?;
        let connection = Arc::new(Connection::new(socket));
        slot.connection = Some(Arc::clone(&connection));
        Ok(connection)
    }

    /// Forgets a connection that broke, unless another thread has already made a new one.
    fn disconnect(&self, broken: &Arc<Connection>) {
        let mut slot = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.connection.as_ref().is_some_and(|connection| Arc::ptr_eq(connection, broken)) {
            slot.connection = None;
        }
    }
}

fn process_failure(message: impl std::fmt::Display) -> BuildFailure {
    BuildFailure::new(Stage::CompilerProcess, message.to_string())
}
