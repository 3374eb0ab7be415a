//! Faults that a worker brings on itself, so that tests can watch the recovery from them.
//!
//! Nothing here runs unless the application's environment has `OXICL_COMPILER_FAULT`, and then only for requests with a
//! kernel of the given name, and sources that have the name somewhere, so that other requests of the same process show
//! that they see nothing of it.

use std::time::Duration;

use oxicl_protocol::{CompileRequest, Progress, SourceRequest, Stage, Tier};

use super::system;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// SIGKILL, as the system sends it when memory runs out.
    Kill,
    /// SIGSEGV.
    Segv,
    /// The process exits by itself, as LLVM does after some errors.
    Exit,
    /// It never comes back.
    Loop,
    /// It uses [`BURNT`] of processor time, and goes on.
    Burn,
    /// It does nothing for [`SLEPT`], and goes on.
    Sleep,
    /// It is stopped until somebody has it go on (SIGCONT).
    Hold,
    /// It allocates without end.
    Alloc,
    /// LLVM ends the process with a fatal error.
    Fatal,
    /// The work-group compiler takes wrong decisions.
    Wrong,
}

/// What [`Kind::Burn`] uses.
const BURNT: Duration = Duration::from_secs(3);

/// How long [`Kind::Sleep`] takes.
const SLEPT: Duration = Duration::from_secs(9);

/// At which tiers it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tiers {
    /// All but the cheap one, at which the last try succeeds.
    FirstTry,
    /// The full one alone: the code of the baseline tier is made.
    Full,
    /// The baseline one alone: the second try succeeds, at the full tier.
    Baseline,
    /// All.
    Any,
}

/// `<kernel>:<stage>:<kind>:<tier>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    kernel: String,
    stage: String,
    kind: Kind,
    tiers: Tiers,
}

impl Fault {
    /// Reads `<kernel>:<stage>:<kind>:<tier>`; kinds are kill, segv, exit, loop, burn, sleep, hold, alloc, fatal and
    /// wrong (for stage workgroup); tiers are first (the cheap tier's try succeeds), full (alone), baseline (alone) and
    /// any.
    ///
    /// # Errors
    /// One sentence.
    pub fn parse(text: &str) -> Result<Fault, String> {
        let fields: Vec<&str> = text.split(':').collect();
        let [kernel, stage, kind, tier] = fields[..] else {
            return Err(format!("the fault '{text}' is not <kernel>:<stage>:<kind>:<tier>"));
        };
        let kind = match kind {
            "kill" => Kind::Kill,
            "segv" => Kind::Segv,
            "exit" => Kind::Exit,
            "loop" => Kind::Loop,
            "burn" => Kind::Burn,
            "sleep" => Kind::Sleep,
            "hold" => Kind::Hold,
            "alloc" => Kind::Alloc,
            "fatal" => Kind::Fatal,
            "wrong" => Kind::Wrong,
            _ => return Err(format!("'{kind}' is not a kind of fault")),
        };
        let tiers = match tier {
            "any" => Tiers::Any,
            "first" => Tiers::FirstTry,
            "full" => Tiers::Full,
            "baseline" => Tiers::Baseline,
            _ => return Err(format!("'{tier}' is not a tier for faults")),
        };
        Ok(Fault { kernel: kernel.into(), stage: stage.into(), kind, tiers })
    }

    /// Strikes if `request`, at its first try or `again`, is what the fault waits for.
    pub(crate) fn strike_source(&self, request: &SourceRequest, again: bool) {
        let name = self.kernel.as_bytes();
        let name_matches = !name.is_empty() && request.text.windows(name.len()).any(|text| text == name);
        if name_matches && (self.tiers == Tiers::Any || !again) && Stage::OpenclC.to_string() == self.stage {
            self.kind.happen();
        }
    }

    /// Makes decisions for the kernel wrong, if that is the fault. The request says so, so that it can be seen in a
    /// dump.
    pub(crate) fn mislead(&self, request: &mut CompileRequest) {
        let stage_matches = Stage::Workgroup.to_string() == self.stage;
        if self.kind == Kind::Wrong
            && self.is_at(request.tier)
            && stage_matches
            && request.kernels.contains(&self.kernel)
        {
            request.options.switches.wrong_in = Some(self.kernel.clone());
        }
    }

    fn is_at(&self, tier: Tier) -> bool {
        match self.tiers {
            Tiers::FirstTry => tier != Tier::Cheap,
            Tiers::Full => tier == Tier::Full,
            Tiers::Baseline => tier == Tier::Baseline,
            Tiers::Any => true,
        }
    }

    /// Strikes if `request` at `progress` is what the fault waits for.
    pub(crate) fn strike(&self, request: &CompileRequest, progress: &Progress) {
        let kernel_matches = request.kernels.contains(&self.kernel);
        if kernel_matches && self.is_at(request.tier) && progress.stage.to_string() == self.stage {
            self.kind.happen();
        }
    }
}

impl Kind {
    fn happen(self) {
        match self {
            Kind::Kill => system::raise(libc::SIGKILL),
            Kind::Segv => system::raise(libc::SIGSEGV),
            Kind::Exit => system::exit(1),
            Kind::Loop => loop {
                std::hint::spin_loop();
            },
            Kind::Fatal => oxicl_llvm::end_process(),
            // [`Fault::mislead`] has brought it about.
            Kind::Wrong => {}
            Kind::Burn => {
                let end = system::processor_time() + BURNT;
                while system::processor_time() < end {
                    std::hint::spin_loop();
                }
            }
            Kind::Hold => system::raise(libc::SIGSTOP),
            Kind::Sleep => std::thread::sleep(SLEPT),
            Kind::Alloc => {
                let mut hoard: Vec<Vec<u8>> = Vec::new();
                loop {
                    // Address space is what is limited, so the pages need not be touched.
                    hoard.push(Vec::with_capacity(64 << 20));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_read_or_refused_with_the_reason() {
        let fault = Fault::parse("k:lower:segv:full").expect("a fault");
        assert_eq!(fault, Fault { kernel: "k".into(), stage: "lower".into(), kind: Kind::Segv, tiers: Tiers::Full });
        for bad in ["", "k:lower:segv", "k:lower:freeze:any", "k:lower:segv:some", "a:b:c:d:e"] {
            assert!(Fault::parse(bad).is_err(), "{bad}");
        }
    }
}
