//! Code that is asked for kernel by kernel: what is told before there is any, what is proved, and who waits for whom.
#![allow(unsafe_code, reason = "sets stopped processes going")]

mod client;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use oxicl_abi::{Image, KernelFacts};
use oxicl_compiler_client::{Compiler, Settings, SharedModule, Step, Unit, Urgency};
use oxicl_protocol::{BuildFailure, CompileOptions, SourceRequest, Tier};
use oxicl_target::Target;

/// Two kernels of which the second depends on its sub-groups, one that is short, and one that has many variables.
const SOURCE: &str = "
    kernel void victim(global float *a, local float *l) {
        l[get_local_id(0)] = a[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[get_global_id(0)] = l[get_local_size(0) - 1 - get_local_id(0)] + sin(a[get_global_id(0)]);
    }
    kernel __attribute__((intel_reqd_sub_group_size(16))) void groups(global int *a) {
        a[get_global_id(0)] = sub_group_reduce_add(a[get_global_id(0)]);
    }
    kernel void simple(global float *a, int n) {
        float s = 0;
        for (int i = 0; i < n; i++) s = s * 0.5f + a[i];
        a[get_global_id(0)] = s;
    }
    kernel void large(global int *a, int n) {
        int x[1 << 24];
        for (int i = 0; i < n; i++) x[i * 7 % n] = a[i];
        a[0] = x[n / 2];
    }
";

/// Longer than any of this takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

struct Setup {
    compiler: Compiler,
    module: SharedModule,
}

impl Setup {
    fn new(settings: Settings) -> Setup {
        let compiler = Compiler::new(settings);
        let request = SourceRequest { text: SOURCE.into(), folder: "/".into(), ..SourceRequest::default() };
        let words = compiler.compile_source(&request).expect("a module").spirv;
        Setup { compiler, module: SharedModule::new(&words).expect("a module") }
    }

    fn unit(&self, kernels: &[&str]) -> Unit {
        self.unit_at(kernels, Tier::Full)
    }

    fn unit_at(&self, kernels: &[&str], tier: Tier) -> Unit {
        let names: Vec<String> = kernels.iter().map(|name| (*name).to_owned()).collect();
        Unit::new(&self.module, &names, &CompileOptions::default(), &Target::host(), tier).expect("a request")
    }

    /// The image of a kernel, and what is told before.
    fn generate(&self, kernel: &str) -> (Result<Image, BuildFailure>, Vec<Step>) {
        self.generate_at(kernel, Tier::Full)
    }

    fn generate_at(&self, kernel: &str, tier: Tier) -> (Result<Image, BuildFailure>, Vec<Step>) {
        let (urgency, mut steps) = (Urgency::default(), Vec::new());
        let image = self.compiler.generate(&self.unit_at(&[kernel], tier), &urgency, &mut |step| steps.push(step));
        (image, steps)
    }
}

/// What an image is planned to be.
fn planned(image: &Image) -> Step {
    Step::Planned(image.kernels.iter().map(KernelFacts::planned).collect())
}

#[test]
fn what_is_told_before_there_is_code_is_what_the_code_has() {
    let setup = Setup::new(client::settings());
    for (kernel, in_order) in [("victim", [Some(Step::Proved), None]), ("groups", [Some(Step::Proved), None])] {
        let (image, steps) = setup.generate(kernel);
        let image = image.expect("an image");
        let expected: Vec<Step> = in_order.into_iter().map(|step| step.unwrap_or_else(|| planned(&image))).collect();
        assert_eq!(steps, expected, "{kernel}");
        assert!(image.kernels[0].stack_bytes > 0);
    }
    let (image, steps) = setup.generate("large");
    assert_eq!(steps, [planned(&image.expect("an image"))], "only its code decides it");
}

#[test]
fn with_code_of_the_baseline_tier_callers_are_told_what_the_full_tier_has() {
    let setup = Setup::new(client::settings());
    for kernel in ["victim", "groups"] {
        let full = setup.generate(kernel).0.expect("an image");
        let (image, steps) = setup.generate_at(kernel, Tier::Baseline);
        let image = image.expect("an image");
        assert_eq!((image.tier, full.tier), (Tier::Baseline, Tier::Full));
        assert_eq!(steps.last(), Some(&planned(&full)), "{kernel}");
        let (code, told) = (&image.kernels[0], image.planned(&image.kernels[0]));
        assert_eq!(told, full.kernels[0].planned(), "{kernel}");
        assert!(code.keeps(&told) && code.lanes <= told.lanes, "{code:?} and {told:?}");
    }
    let (image, _) = setup.generate_at("simple", Tier::Baseline);
    let image = image.expect("an image");
    assert!(image.kernels[0].lanes < image.planned[0].lanes, "gangs have one register a value");
}

#[test]
fn where_the_worker_of_a_tier_dies_the_image_says_that_it_is_of_another() {
    for tier in [Tier::Baseline, Tier::Full] {
        let setup = Setup::new(Settings { fault: Some("victim:codegen:kill:first".into()), ..client::settings() });
        let image = setup.generate_at("victim", tier).0.expect("an image");
        assert_eq!(image.tier, Tier::Cheap);
    }
}

#[test]
fn where_the_baseline_tier_kills_its_worker_the_full_tier_is_tried() {
    let whole = Setup::new(client::settings()).generate("victim").0.expect("an image");
    for stage in ["optimize", "workgroup", "codegen"] {
        let fault = Some(format!("victim:{stage}:kill:baseline"));
        let setup = Setup::new(Settings { fault, ..client::settings() });
        let image = setup.generate_at("victim", Tier::Baseline).0.expect("an image");
        assert_eq!(image, whole, "{stage}");
    }
}

#[test]
fn a_third_death_is_a_failure_that_tells_of_all() {
    let setup = Setup::new(Settings { fault: Some("victim:codegen:kill:any".into()), ..client::settings() });
    let log = setup.generate_at("victim", Tier::Baseline).0.expect_err("all tiers die").to_string();
    for part in ["third try, alone and at the cheap tier", "the first ended", "the second ended"] {
        assert!(log.contains(part), "no '{part}' in {log}");
    }
}

#[test]
fn a_proof_names_the_kernels_that_later_stages_decide() {
    let setup = Setup::new(client::settings());
    let proof = setup.compiler.prove(&setup.unit(&[])).expect("nothing speaks against them");
    assert_eq!(proof.undecided, ["groups", "large"]);
}

#[test]
fn another_try_tells_its_steps_again() {
    let setup = Setup::new(Settings { fault: Some("victim:codegen:kill:full".into()), ..client::settings() });
    let (image, steps) = setup.generate("victim");
    let image = image.expect("an image");
    assert_eq!(steps.len(), 4, "{steps:?}");
    assert_eq!(steps.last(), Some(&planned(&image)));
    let (Some(Step::Planned(first)), Some(Step::Planned(last))) = (steps.get(1), steps.last()) else {
        panic!("{steps:?}")
    };
    assert!(last[0].keeps(&first[0]), "{first:?} and {last:?}");
}

/// A compiler with a path of its own, which stops over the kernel `victim`.
struct Held {
    setup: Setup,
    path: PathBuf,
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Held {
    fn new(name: &str) -> Held {
        let path = std::env::temp_dir().join(format!("oxicl-{name}-{}", std::process::id()));
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_oxicl-compiler"), &path).expect("a link");
        let fault = Some("victim:codegen:hold:full".to_owned());
        let settings = Settings { compiler: Some(path.clone()), fault, workers: 1, ..client::settings() };
        Held { setup: Setup::new(settings), path }
    }

    /// The stopped processes, with their scheduling policies.
    fn stopped(&self) -> Vec<(libc::pid_t, i32)> {
        let found = |entry: std::fs::DirEntry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let arguments = std::fs::read(entry.path().join("cmdline")).ok()?;
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            // Behind the name, which may have spaces: the state is the first, the policy the 39th.
            let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
            let is_ours = arguments.split(|byte| *byte == 0).next()? == self.path.as_os_str().as_encoded_bytes();
            (is_ours && *fields.first()? == "T").then_some((pid, fields.get(38)?.parse().ok()?))
        };
        let entries = std::fs::read_dir("/proc").expect("processes");
        entries.filter_map(|entry| found(entry.ok()?)).collect()
    }

    /// Waits until a process with a policy is stopped.
    fn wait_for(&self, policy: i32) {
        let begun = Instant::now();
        while !self.stopped().iter().any(|(_, found)| *found == policy) {
            assert!(begun.elapsed() < PATIENCE, "no worker of policy {policy} was stopped: {:?}", self.stopped());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn go_on(&self) {
        for (pid, _) in self.stopped() {
            // SAFETY: only sends a signal, to a compiler process that has the path of this test alone.
            unsafe { libc::kill(pid, libc::SIGCONT) };
        }
    }
}

#[test]
fn what_somebody_waits_for_has_another_worker_and_another_priority() {
    let held = Held::new("urged");
    let (urgency, unit) = (Urgency::default(), held.setup.unit(&["victim"]));
    std::thread::scope(|scope| {
        let code = scope.spawn(|| held.setup.compiler.generate(&unit, &urgency, &mut |_| ()));
        held.wait_for(libc::SCHED_IDLE);
        // Compiled while the only worker for what nobody waits for is stopped.
        let other = Urgency::default();
        held.setup.compiler.urge(&other);
        let compiled = held.setup.compiler.generate(&held.setup.unit(&["groups"]), &other, &mut |_| ());
        assert!(compiled.is_ok());
        // Its worker gets on, or where the system does not allow that, another takes over, which is stopped, too.
        held.setup.compiler.urge(&urgency);
        held.wait_for(libc::SCHED_OTHER);
        held.go_on();
        assert!(code.join().expect("no panic").is_ok());
    });
}
