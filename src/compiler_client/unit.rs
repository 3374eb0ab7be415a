//! Code of single kernels: requested one by one, urgently or not, and reported step by step.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use once_cell::sync::OnceCell;
use oxicl_abi::{Image, KernelFacts};
use oxicl_protocol::{BuildFailure, CompileOptions, CompileRequest, FrameKind, Proof, Tier, decode, instruction_count};
use oxicl_target::Target;

use crate::cache::Keys;
use crate::connection::Connection;
use crate::product::Product;
use crate::socket::End;
use crate::{Compiler, Job, process_failure};

/// A module whose kernels are compiled one by one. It is serialised once for all of them.
#[derive(Clone)]
pub struct SharedModule {
    bytes: Arc<[u8]>,
    instructions: u32,
    /// The common beginning of the keys of its images in the cache.
    keys: Arc<OnceCell<Keys>>,
}

impl SharedModule {
    /// The module of these words.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn new(words: &[u32]) -> Result<SharedModule, BuildFailure> {
        let bytes = CompileRequest::encode_module(words).map_err(process_failure)?;
        Ok(SharedModule { bytes: bytes.into(), instructions: instruction_count(words), keys: Arc::default() })
    }
}

/// What a request asks for: kernels of a module.
#[derive(Clone)]
pub struct Unit {
    module: SharedModule,
    rest: Vec<u8>,
    /// A fingerprint of what its code depends on in the module, where that is known.
    depends_on: Option<[u8; 32]>,
}

impl Unit {
    /// Code of some kernels, or of all if none are named.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn new(
        module: &SharedModule,
        kernels: &[String],
        options: &CompileOptions,
        target: &Target,
        tier: Tier,
    ) -> Result<Unit, BuildFailure> {
        let rest = CompileRequest::encode_rest(kernels, options, target, tier).map_err(process_failure)?;
        Ok(Unit { module: module.clone(), rest, depends_on: None })
    }

    /// The same unit with a fingerprint of everything in the module that its code depends on. The cache then finds it,
    /// too, if another module has the same fingerprint.
    #[must_use]
    pub fn depending_on(self, fingerprint: Option<[u8; 32]>) -> Unit {
        Unit { depends_on: fingerprint, ..self }
    }
}

/// What is reported of a request for code before there is any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The program is no longer a reason to refuse the request.
    Proved,
    /// What is known of the kernels before code generation.
    Planned(Vec<KernelFacts>),
}

/// Whether somebody waits for a request that may be on its way.
#[derive(Default)]
pub struct Urgency(Mutex<State>);

#[derive(Default)]
struct State {
    is_urgent: bool,
    sent: Option<Sent>,
}

/// Where a request was sent: by which process, on which connection, under which number.
#[derive(Clone)]
struct Sent {
    process: u32,
    connection: Weak<Connection>,
    id: u64,
}

impl Urgency {
    /// A request is about to be sent; true if somebody waits for it.
    fn begin(&self, connection: &Arc<Connection>, id: u64) -> bool {
        let mut state = self.lock();
        state.sent = Some(Sent { process: std::process::id(), connection: Arc::downgrade(connection), id });
        state.is_urgent
    }

    /// Marks the request as waited for. Gives where it was sent, if the compiler has to be told.
    fn raise(&self) -> Option<Sent> {
        let mut state = self.lock();
        if std::mem::replace(&mut state.is_urgent, true) {
            return None;
        }
        state.sent.clone().filter(|sent| sent.process == std::process::id())
    }

    fn is_urgent(&self) -> bool {
        self.lock().is_urgent
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Compiler {
    /// The code of a unit if the cache has it.
    pub fn find(&self, unit: &Unit) -> Option<Image> {
        self.look_up_unit::<Image>(unit).result?.ok()
    }

    /// Whether the kernels of a unit can be compiled, as far as their program decides that.
    ///
    /// # Errors
    /// The build log: the compiler's, or one that says why there is no compiler.
    pub fn prove(&self, unit: &Unit) -> Result<Proof, BuildFailure> {
        let job = self.look_up_unit::<Proof>(unit);
        match self.finish_all(vec![job]).pop() {
            Some(job) => self.result(job),
            None => Err(process_failure("a request was not answered")),
        }
    }

    /// Compiles a unit, and reports its steps to `told`. If a worker dies, steps may be reported again, and be
    /// different then.
    ///
    /// # Errors
    /// The build log: the compiler's, or one that says why there is no compiler.
    pub fn generate(&self, unit: &Unit, urgency: &Urgency, told: &mut dyn FnMut(Step)) -> Result<Image, BuildFailure> {
        let mut jobs = [self.look_up_unit::<Image>(unit)];
        self.try_often(&mut jobs, |jobs, connection| {
            for job in jobs.iter_mut().filter(|job| job.result.is_none()) {
                match self.follow(connection, job, urgency, told) {
                    Ok(answer) => job.result = Some(self.take_answer(&answer, job.key.as_ref())),
                    Err(end) => {
                        self.disconnect(connection);
                        job.end = Some(end);
                    }
                }
            }
        });
        let [job] = jobs;
        self.result(job)
    }

    /// Marks a request as waited for, whether it was sent or not.
    pub fn urge(&self, urgency: &Urgency) {
        let Some(sent) = urgency.raise() else { return };
        if let Some(connection) = sent.connection.upgrade() {
            self.send_urge(&connection, sent.id);
        }
    }

    /// Sends a request and waits for the answer.
    fn follow(
        &self,
        connection: &Arc<Connection>,
        job: &Job<Image>,
        urgency: &Urgency,
        told: &mut dyn FnMut(Step),
    ) -> Result<Vec<u8>, End> {
        let id = connection.number();
        let is_urgent = urgency.begin(connection, id);
        let kind = if is_urgent { FrameKind::Request } else { FrameKind::Background };
        let mut sent = Ok(());
        (self.settings.outside)(&mut || {
            sent = connection.send(id, kind, job.instructions, [&job.start, &job.payload]);
        });
        sent?;
        // A thread that began to wait meanwhile may have sent its urge before the compiler knew of the request.
        if !is_urgent && urgency.is_urgent() {
            self.send_urge(connection, id);
        }
        loop {
            let mut answer = Err(End::Gone);
            (self.settings.outside)(&mut || answer = connection.next_answer(id));
            match answer? {
                (FrameKind::Proved, _) => told(Step::Proved),
                (FrameKind::Planned, facts) => told(Step::Planned(decode(&facts).map_err(|_| End::Gone)?)),
                (_, answer) => return Ok(answer),
            }
        }
    }

    fn send_urge(&self, connection: &Arc<Connection>, id: u64) {
        // If the connection is broken, the thread that follows the request notices.
        (self.settings.outside)(&mut || drop(connection.send(id, FrameKind::Urge, 0, [&[], &[]])));
    }

    fn look_up_unit<P: Product>(&self, unit: &Unit) -> Job<P> {
        let Unit { module, rest, depends_on } = unit;
        let key = self.cache().map(|cache| match depends_on {
            Some(fingerprint) => cache.keys::<P>(fingerprint).key(rest),
            None if P::REQUEST == Image::REQUEST => {
                module.keys.get_or_init(|| cache.keys::<P>(&module.bytes)).key(rest)
            }
            None => cache.keys::<P>(&module.bytes).key(rest),
        });
        let result = self.cache().zip(key.as_ref()).and_then(|(cache, key)| cache.find::<P>(key).map(Ok));
        let (start, payload, instructions) = (Arc::clone(&module.bytes), rest.clone(), module.instructions);
        Job { start, payload, instructions, key, cached: result.is_some(), result, end: None }
    }
}
