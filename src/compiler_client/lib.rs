//! The application's side of the compiler process, and the on-disk cache in front of it.
//!
//! - **Takes**: a [`SourceRequest`], a [`CompileRequest`], or a [`Unit`] of a module that several requests are made of,
//!   from any number of threads at once.
//! - **Gives**: a [`SourceModule`], an [`Image`], or whether there can be one, from the cache or from the compiler; or
//!   the build log.
//! - **Never**: links LLVM; lets the application notice a child process, a signal or an inherited descriptor; trusts
//!   what it reads from disk.
//! - **Spec**: none of OpenCL; `clone(2)` and `wait(2)` of Linux for what a host can notice.

mod cache;
mod connection;
mod identity;
mod product;
mod regular;
mod shared;
mod socket;
mod spawn;
mod unit;

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use once_cell::sync::OnceCell;
use oxicl_abi::Image;
use oxicl_caps::Dump;
use oxicl_caps::config::Config;
use oxicl_protocol::{
    BUILD_ARGUMENT, BuildFailure, CompileRequest, Diagnostic, Severity, SourceModule, SourceRequest, Stage, encode,
};
use serde::Serialize;

use cache::{Cache, Key};
pub use cache::{Contents, Unusable, clear, contents, is_usable, usable};
use connection::Connection;
use product::Product;
pub use shared::{COMPILER, set_up};
use socket::{End, Socket};
pub use unit::{SharedModule, Step, Unit, Urgency};

/// How often a request is sent at most: an idle supervisor may have ended just when the request was on its way.
const TRIES: u32 = 3;

/// How often a request is sent at most to compilers that do not answer. Each try costs the whole patience.
const SILENT_TRIES: u32 = 2;

/// How long a compiler may neither send a word, as it does every second, nor use processor time. A bound, for processes
/// that are stopped or are no compilers; a compiler that starts from a slow disk needs some of it.
const PATIENCE: Duration = Duration::from_secs(20);

/// How a [`Compiler`] is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Absolute path of the executable; `None` for the one beside this library.
    pub compiler: Option<PathBuf>,
    /// Version and build of the library. A compiler of another build does not serve it.
    pub build: String,
    /// A fault that workers bring on themselves, for tests.
    pub fault: Option<String>,
    /// What workers write of each request, and the folder for it.
    pub dump: Option<Dump>,
    /// Folder of the on-disk cache; `None` for none.
    pub cache: Option<PathBuf>,
    /// Seconds of processor time that the compiler may use for a request; `None` for what follows from its size.
    pub build_seconds: Option<NonZeroU32>,
    /// How long a compiler may stand still until another is started.
    pub patience: Duration,
    /// The most requests of each kind that are served at a time. The kinds are builds, code that somebody waits for,
    /// and other code.
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
            build: String::new(),
            fault: config.compiler_fault.clone(),
            dump: config.dump.clone(),
            cache: config.cache.clone(),
            build_seconds: config.build_seconds,
            patience: PATIENCE,
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
    executable: OnceCell<PathBuf>,
    cache: OnceCell<Cache>,
    connection: Mutex<Slot>,
}

/// The connection belongs to the process that opened it: a child that was forked opens its own.
#[derive(Default)]
struct Slot {
    process: u32,
    connection: Option<Arc<Connection>>,
}

/// A request on its way.
struct Job<P> {
    /// The beginning of the request, if others begin alike.
    start: Arc<[u8]>,
    /// The rest of it.
    payload: Vec<u8>,
    instructions: u32,
    key: Option<Key>,
    result: Option<Result<P, BuildFailure>>,
    /// Why the last compiler that was asked did not answer.
    end: Option<End>,
    /// The result is from the cache.
    cached: bool,
}

impl Compiler {
    /// A compiler; nothing is started or read yet.
    pub fn new(settings: Settings) -> Self {
        Compiler {
            settings,
            executable: OnceCell::new(),
            cache: OnceCell::new(),
            connection: Mutex::new(Slot::default()),
        }
    }

    /// Compiles `request`, or finds its image in the cache.
    ///
    /// # Errors
    /// The build log: the compiler's, or one that says why there is no compiler.
    pub fn compile(&self, request: &CompileRequest) -> Result<Compiled, BuildFailure> {
        let mut results = self.compile_all(std::slice::from_ref(request));
        results.pop().unwrap_or_else(|| Err(process_failure("a request was not answered")))
    }

    /// Compiles requests side by side; the results are in their order.
    pub fn compile_all(&self, requests: &[CompileRequest]) -> Vec<Result<Compiled, BuildFailure>> {
        let jobs = requests.iter().map(|request| self.look_up::<Image>(request, request.instruction_count())).collect();
        let compiled = |job: Job<Image>| {
            let cached = job.cached;
            self.result(job).map(|image| Compiled { image, cached })
        };
        self.finish_all(jobs).into_iter().map(compiled).collect()
    }

    /// Compiles OpenCL C to SPIR-V, or finds the result in the cache.
    ///
    /// # Errors
    /// The build log: the compiler's, or one that says why there is no compiler.
    pub fn compile_source(&self, request: &SourceRequest) -> Result<SourceModule, BuildFailure> {
        let job = self.look_up::<SourceModule>(request, request.instruction_count());
        match self.finish_all(vec![job]).pop() {
            Some(job) => self.result(job),
            None => Err(process_failure("a request was not answered")),
        }
    }

    /// Ends the compiler process if there is one. The next request starts another.
    pub fn unload(&self) {
        let mut slot = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        // Requests under way keep the connection until they are answered.
        slot.connection = None;
    }

    /// Serialises a request, and looks into the cache.
    fn look_up<P: Product>(&self, request: &impl Serialize, instructions: u32) -> Job<P> {
        let start = Arc::default();
        let mut job =
            Job { start, payload: Vec::new(), instructions, key: None, result: None, end: None, cached: false };
        match encode(request) {
            Ok(payload) => job.payload = payload,
            Err(message) => job.result = Some(Err(process_failure(message))),
        }
        if let (None, Some(cache)) = (&job.result, self.cache()) {
            let key = cache.key::<P>(&job.payload);
            job.result = cache.find::<P>(&key).map(Ok);
            job.cached = job.result.is_some();
            job.key = Some(key);
        }
        job
    }

    /// The cache; none if it cannot be used, or if there is no compiler that its entries could come from. Until it can
    /// be used, each call tries again, since its folder may be mended.
    fn cache(&self) -> Option<&Cache> {
        let open = || Cache::open(self.settings.cache.as_deref()?, self.executable().ok()?, &self.settings.build);
        self.cache.get_or_try_init(|| open().ok_or(())).ok()
    }

    /// Has the compiler answer what the cache could not.
    fn finish_all<P: Product>(&self, mut jobs: Vec<Job<P>>) -> Vec<Job<P>> {
        self.try_often(&mut jobs, |jobs, connection| self.ask(connection, jobs));
        jobs
    }

    /// Asks for jobs that have no result yet, as often as there is hope.
    fn try_often<P: Product>(&self, jobs: &mut [Job<P>], mut ask: impl FnMut(&mut [Job<P>], &Arc<Connection>)) {
        let mut silent = 0;
        for _ in 0..TRIES {
            silent += u32::from(jobs.iter().any(|job| job.result.is_none() && job.end == Some(End::Silent)));
            let other = jobs.iter().any(|job| matches!(job.end, Some(End::OtherBuild(_))));
            if jobs.iter().all(|job| job.result.is_some()) || other || silent >= SILENT_TRIES {
                break;
            }
            match self.connect() {
                Ok(connection) => ask(jobs, &connection),
                Err(failure) => jobs.iter_mut().for_each(|job| {
                    job.result.get_or_insert_with(|| Err(failure.clone()));
                }),
            }
        }
    }

    /// What became of a job.
    fn result<P>(&self, job: Job<P>) -> Result<P, BuildFailure> {
        job.result.unwrap_or_else(|| Err(self.gave_up(job.end)))
    }

    /// Sends jobs that have no result yet, and waits. A job that is not answered, because the supervisor is gone, stays
    /// as it is.
    fn ask<P: Product>(&self, connection: &Arc<Connection>, jobs: &mut [Job<P>]) {
        let mut answers: Vec<(usize, Result<Vec<u8>, End>)> = Vec::new();
        let open = jobs.iter().enumerate().filter(|(_, job)| job.result.is_none());
        let open: Vec<(usize, &Job<P>)> = open.collect();
        (self.settings.outside)(&mut || {
            let send = |job: &Job<P>| {
                let id = connection.number();
                connection.send(id, P::REQUEST, job.instructions, [&job.start, &job.payload]).map(|()| id)
            };
            let sent: Vec<Result<u64, End>> = open.iter().map(|(_, job)| send(job)).collect();
            for ((index, _), id) in open.iter().zip(sent) {
                answers.push((*index, id.and_then(|id| connection.wait(id))));
            }
        });
        if answers.iter().any(|(_, answer)| answer.is_err()) {
            self.disconnect(connection);
        }
        for (index, answer) in answers {
            let Some(job) = jobs.get_mut(index) else { continue };
            match answer {
                Ok(answer) => job.result = Some(self.take_answer(&answer, job.key.as_ref())),
                Err(end) => job.end = Some(end),
            }
        }
    }

    /// The product or failure in an answer. A product goes to the cache if it may be kept.
    fn take_answer<P: Product>(&self, answer: &[u8], key: Option<&Key>) -> Result<P, BuildFailure> {
        let product = P::from_answer(answer);
        if let (Ok(product), Some(cache), Some(key)) = (&product, self.cache(), key)
            && product.can_be_kept()
        {
            cache.keep(key, product);
        }
        product
    }

    fn gave_up(&self, end: Option<End>) -> BuildFailure {
        let path = self.executable().map(|path| path.display().to_string()).unwrap_or_default();
        if let Some(End::OtherBuild(build)) = &end {
            return self.other_build(build, &path);
        }
        if end == Some(End::Silent) {
            let seconds = self.settings.patience.as_secs();
            return process_failure(format!(
                "the compiler process was given up {SILENT_TRIES} times, as it did not answer for {seconds} s or more: {path}"
            ));
        }
        let mut failure =
            process_failure(format!("the compiler process ended {TRIES} times before it answered: {path}"));
        if let Some(why) = spawn::too_little_stack() {
            failure.diagnostics.push(note(why));
        }
        failure
    }

    /// The failure for a compiler at `path` that is of another `build`: it was exchanged while the application ran, or
    /// a wrong one was chosen.
    fn other_build(&self, build: &str, path: &str) -> BuildFailure {
        let own = &self.settings.build;
        let mend = match &self.settings.compiler {
            Some(_) => "OXICL_COMPILER has to name a compiler of the library's build, or none",
            None => "oxicl was exchanged while the application ran, so restart the application",
        };
        let mut failure = process_failure(format!(
            "this application uses the library of oxicl {own}, but the compiler is of oxicl {build}: {mend}"
        ));
        failure
            .diagnostics
            .push(note(format!("the compiler is {path}; `oxicl doctor` says whether library and compiler fit")));
        failure
    }

    fn executable(&self) -> Result<&PathBuf, BuildFailure> {
        let find = || spawn::find_compiler(self.settings.compiler.as_deref());
        self.executable.get_or_try_init(find).map_err(process_failure)
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
        let build = format!("{BUILD_ARGUMENT}={}", self.settings.build);
        let mut arguments = vec!["--serve".to_owned(), self.settings.workers.to_string(), build];
        arguments.extend(self.settings.fault.clone());
        if let Some(dump) = &self.settings.dump {
            let dump = dump.to_text().ok_or_else(|| process_failure("OXICL_DUMP is no UTF-8"))?;
            arguments.push(format!("--dump={dump}"));
        }
        if let Some(seconds) = self.settings.build_seconds {
            arguments.push(format!("--build-seconds={seconds}"));
        }
        let started = spawn::start(self.executable()?, &arguments).map_err(process_failure)?;
        let connection = Arc::new(Connection::new(Socket::new(started, self.settings.patience)));
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

fn note(message: String) -> Diagnostic {
    Diagnostic { severity: Severity::Note, ..Diagnostic::error(message) }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::{Compiler, Settings};

    #[test]
    fn a_cache_that_cannot_be_used_is_when_its_folder_is_mended() {
        let folder = std::env::temp_dir().join(format!("oxicl-mended-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("created");
        let allow = |mode| std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).expect("changed");
        let own = std::env::current_exe().expect("this program");
        let settings = Settings { compiler: Some(own), cache: Some(folder.clone()), ..Settings::default() };
        let compiler = Compiler::new(settings);
        allow(0o777);
        assert!(compiler.cache().is_none());
        allow(0o700);
        let cache = compiler.cache().map(std::ptr::from_ref);
        assert!(cache.is_some());
        assert_eq!(compiler.cache().map(std::ptr::from_ref), cache, "it is opened once");
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
