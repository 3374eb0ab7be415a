//! Code of the full tier that takes over from that of the baseline tier: between launches, in a launch that is under way, and not
//! where it cannot be made.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use oxicl_tests::client::sys::{CL_COMPLETE, cl_int};
use oxicl_tests::client::{Buffer, Context, Event, Kernel, Program, Queue};
use oxicl_tests::kernels;

use crate::Outcome;
use crate::held::{ITEMS as RECORDED_ITEMS, PATIENCE, Recorded, WHILE, go_on, wait_for_hold};

/// Turns of a work-item that are over soon, and those of a launch that takes seconds.
const FEW: u32 = 10;
const MANY: u32 = 16_000;
const ITEMS: usize = 1 << 20;

/// What the log says when there is code of the full tier.
const MADE: &str = "kernel victim was compiled at the full tier";

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// The log of this process, in a file, and where it went before.
struct Log(PathBuf, i32);

impl Log {
    fn new() -> Result<Log, String> {
        let path = std::env::temp_dir().join(format!("oxicl-takeover-{}", std::process::id()));
        let file = File::create(&path).map_err(text)?;
        // SAFETY: both are open.
        let before = unsafe { libc::dup(2) };
        // SAFETY: as above.
        unsafe { libc::dup2(file.as_raw_fd(), 2) };
        Ok(Log(path, before))
    }

    fn says(&self, what: &str) -> Result<bool, String> {
        Ok(std::fs::read_to_string(&self.0).map_err(text)?.contains(what))
    }

    fn count(&self, what: &str) -> Result<usize, String> {
        Ok(std::fs::read_to_string(&self.0).map_err(text)?.matches(what).count())
    }

    fn wait_for(&self, what: &str) -> Outcome {
        let begun = Instant::now();
        while !self.says(what)? {
            if begun.elapsed() > PATIENCE {
                return Err(format!("the log never says `{what}`"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // SAFETY: both are open. What the scenario ends with is seen.
        unsafe { libc::dup2(self.1, 2) };
        print!("{}", std::fs::read_to_string(&self.0).unwrap_or_default());
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The victim with its arguments.
struct Victim {
    queue: Queue,
    kernel: Kernel,
    out: Buffer<f32>,
    _input: Buffer<f32>,
}

impl Victim {
    fn new(context: &Context) -> Result<Victim, String> {
        let queue = context.queue().map_err(text)?;
        let program = Program::build(context, kernels::TIERS.plain, "").map_err(text)?;
        let kernel = program.kernel("victim").map_err(text)?;
        let input: Vec<f32> = (0..ITEMS).map(|item| item as f32 / 777.0 - 500.0).collect();
        let input = Buffer::from_slice(context, &input).map_err(text)?;
        let out = Buffer::new(context, ITEMS).map_err(text)?;
        kernel.set_buffer(0, &out).and_then(|()| kernel.set_buffer(1, &input)).map_err(text)?;
        Ok(Victim { queue, kernel, out, _input: input })
    }

    fn launch(&self, items: usize, iterations: u32) -> Result<Event, String> {
        self.kernel.set(2, iterations).map_err(text)?;
        let event = self.queue.launch_with_event(&self.kernel, [items], None).map_err(text)?;
        self.queue.flush().map_err(text)?;
        Ok(event)
    }

    /// The bits of what a launch writes.
    fn run(&self, items: usize, iterations: u32) -> Result<Vec<u32>, String> {
        self.launch(items, iterations)?.wait().map_err(text)?;
        self.found(items)
    }

    fn found(&self, items: usize) -> Result<Vec<u32>, String> {
        let found = self.queue.read(&self.out).map_err(text)?;
        Ok(found[..items].iter().map(|number| number.to_bits()).collect())
    }
}

/// Holds that two launches gave the same bits.
fn same(what: &str, one: &[u32], other: &[u32]) -> Outcome {
    match one.iter().zip(other).position(|(one, other)| one != other) {
        None => Ok(()),
        Some(item) => Err(format!("{what}: work-item {item} has {:#x} and {:#x}", one[item], other[item])),
    }
}

/// A kernel that runs again gets code of the full tier. While that is held, launches run; then it takes over.
pub fn between_launches() -> Outcome {
    let log = Log::new()?;
    let context = Context::first().map_err(text)?;
    let victim = Victim::new(&context)?;
    let first = victim.run(1000, FEW)?;
    std::thread::sleep(WHILE);
    if log.says("other code takes over")? || log.says(MADE)? {
        return Err("a kernel that ran once, and not long, has code of the full tier".to_owned());
    }
    victim.run(1000, FEW)?;
    wait_for_hold()?;
    same("held", &first, &victim.run(1000, FEW)?)?;
    go_on()?;
    log.wait_for(MADE)?;
    same("full", &first, &victim.run(1000, FEW)?)?;
    if log.says("other code takes over at work-group")? { Err("no launch was under way".to_owned()) } else { Ok(()) }
}

/// A launch that runs long gets code of the full tier while it does.
pub fn within_a_launch() -> Outcome {
    let log = Log::new()?;
    let context = Context::first().map_err(text)?;
    let victim = Victim::new(&context)?;
    let mut iterations = MANY;
    let mut event = victim.launch(ITEMS, iterations)?;
    wait_for_hold()?;
    // On a busy machine the launch may be over by now. Code of the full tier is held, so that a longer one begins without it.
    if event.status().map_err(text)? <= CL_COMPLETE as cl_int {
        iterations *= 2;
        event = victim.launch(ITEMS, iterations)?;
    }
    go_on()?;
    event.wait().map_err(text)?;
    log.wait_for("kernel victim: other code takes over at work-group ")?;
    let mixed = victim.found(ITEMS)?;
    same("full", &mixed, &victim.run(ITEMS, iterations)?)
}

/// A launch that was recorded before there was code of the full tier has that in executions that begin later.
pub fn recorded() -> Outcome {
    let log = Log::new()?;
    let context = Context::first().map_err(text)?;
    let victim = Victim::new(&context)?;
    victim.kernel.set(2, FEW).map_err(text)?;
    let recorded = Recorded::new(&victim.queue, &victim.kernel)?;
    let execute = || {
        recorded.enqueue()?.wait().map_err(text)?;
        victim.found(RECORDED_ITEMS)
    };
    let first = execute()?;
    same("again", &first, &execute()?)?;
    wait_for_hold()?;
    if log.says("has other code from now on")? {
        return Err("other code is used before it is there".to_owned());
    }
    go_on()?;
    log.wait_for(MADE)?;
    for _ in 0..3 {
        same("full", &first, &execute()?)?;
    }
    match log.count("kernel victim: a launch that was recorded has other code from now on")? {
        1 => Ok(()),
        count => Err(format!("what is recorded has other code {count} times")),
    }
}

/// The worker of the full tier dies: the first code goes on.
pub fn not_if_its_worker_dies() -> Outcome {
    let log = Log::new()?;
    let context = Context::first().map_err(text)?;
    let victim = Victim::new(&context)?;
    let first = victim.run(1000, FEW)?;
    same("again", &first, &victim.run(1000, FEW)?)?;
    log.wait_for("kernel victim keeps its first code")?;
    same("behind the death", &first, &victim.run(1000, FEW)?)?;
    if log.says(MADE)? { Err("there is code of the full tier".to_owned()) } else { Ok(()) }
}

/// Builds that generate code do so at the full tier.
pub fn eager() -> Outcome {
    let log = Log::new()?;
    let context = Context::first().map_err(text)?;
    let helper = std::thread::spawn(|| {
        wait_for_hold()?;
        std::thread::sleep(WHILE);
        go_on()
    });
    let begun = Instant::now();
    let victim = Victim::new(&context)?;
    let waited = begun.elapsed();
    helper.join().map_err(|_| "a thread panicked".to_owned())??;
    if waited < WHILE {
        return Err("the build did not wait for the full tier".to_owned());
    }
    let first = victim.run(1000, FEW)?;
    same("again", &first, &victim.run(1000, FEW)?)?;
    std::thread::sleep(WHILE);
    if log.says(MADE)? { Err("code was made twice".to_owned()) } else { Ok(()) }
}

/// What wants the full tier is released while that is held, and the process ends.
pub fn releases_and_exits() -> Outcome {
    let _log = Log::new()?;
    let context = Context::first().map_err(text)?;
    let victim = Victim::new(&context)?;
    victim.run(1000, FEW)?;
    victim.run(1000, FEW)?;
    wait_for_hold()?;
    drop(victim);
    let other = Victim::new(&context)?;
    other.run(1000, FEW)?;
    other.run(1000, FEW)?;
    std::process::exit(0);
}

/// Work-groups of one work-item along x, or of several where that is cheaper, get code whose gangs lie along y. Nothing that a work-item
/// may ask tells it.
pub fn along_y() -> Outcome {
    /// Not a multiple of the work-group's size.
    const GLOBAL: [usize; 3] = [5, 43, 3];
    const ITEMS: usize = GLOBAL[0] * GLOBAL[1] * GLOBAL[2];
    let log = Log::new()?;
    let context = Context::first().map_err(text)?;
    let queue = context.queue().map_err(text)?;
    let name = std::env::args().nth(2).unwrap_or_default();
    // Work-groups of one work-item along x are turned where the kernel has gangs, which do not pay for each processor.
    let (local, options) = if name == "down" { ([3, 16, 2], "") } else { ([1, 16, 2], "-oxicl-lanes=4") };
    let program = Program::build(&context, kernels::COLUMNS.plain, options).map_err(text)?;
    let kernel = program.kernel(&name).map_err(text)?;
    let out = Buffer::<u64>::new(&context, ITEMS).map_err(text)?;
    kernel.set_buffer(0, &out).and_then(|()| kernel.set_local(1, 8 * local.iter().product::<usize>())).map_err(text)?;
    let run = || -> Result<Vec<u64>, String> {
        let mut found: Vec<u64> = Vec::new();
        for offset in [[0; 3], [7, 1 << 33, 2]] {
            queue.launch_from(&kernel, offset, GLOBAL, Some(local)).map_err(text)?;
            found.extend(queue.read(&out).map_err(text)?);
        }
        Ok(found)
    };
    let first = run()?;
    let begun = Instant::now();
    // Of what is built eagerly, only this code is made later.
    while !log.says(&format!("kernel {name} has its code"))? {
        if run()? != first || begun.elapsed() > PATIENCE {
            return Err("the code along x goes wrong, or is the last".to_owned());
        }
    }
    for _ in 0..3 {
        if run()? != first {
            return Err("a work-item can tell which way its gang lies".to_owned());
        }
    }
    if log.says(&format!("kernel {name}: a launch is turned"))? {
        Ok(())
    } else {
        Err("no launch has the other code".to_owned())
    }
}

/// Launches with two buffers get code that relies on it, those with one for both do not.
pub fn disjoint() -> Outcome {
    const ITEMS: usize = 103;
    /// Of each work-item.
    const BYTES: usize = 16;
    let log = Log::new()?;
    let context = Context::first().map_err(text)?;
    let queue = context.queue().map_err(text)?;
    let program = Program::build(&context, kernels::DISJOINT.plain, "").map_err(text)?;
    let name = std::env::args().nth(2).unwrap_or_default();
    let kernel = program.kernel(&name).map_err(text)?;
    let old: Vec<u8> = (0..ITEMS * BYTES).map(|n| ((n * 7) >> 2) as u8).collect();
    let mut expected = [old.clone(), old.clone()];
    for (all, is_same) in expected.iter_mut().zip([false, true]) {
        let (bytes, steps) = if name == "records" { (4, 4) } else { (BYTES, BYTES) };
        for item in 0..ITEMS {
            for step in 0..steps {
                let from = item * bytes + step;
                let loaded = if is_same { all[from] } else { old[from] };
                match bytes {
                    4 => all[item * bytes + (step + 1) % 4] = loaded.wrapping_add(step as u8 + 1),
                    _ => all[item * bytes + 5] = all[item * bytes + 5].wrapping_add(loaded),
                }
            }
        }
    }
    let run = |is_same: bool| -> Result<(), String> {
        let [out, other] = [0, 1].map(|_| Buffer::from_slice(&context, &old));
        let (out, other) = (out.map_err(text)?, other.map_err(text)?);
        kernel.set_buffer(0, &out).map_err(text)?;
        kernel.set_buffer(1, if is_same { &out } else { &other }).map_err(text)?;
        queue.launch(&kernel, [ITEMS], None).map_err(text)?;
        let found = queue.read(&out).map_err(text)?;
        if found == expected[usize::from(is_same)] { Ok(()) } else { Err(format!("same buffer: {is_same}: {found:?}")) }
    };
    let begun = Instant::now();
    // Of what is built eagerly, only this code is made later.
    while !log.says(&format!("kernel {name} has its code"))? {
        run(false)?;
        run(true)?;
        if begun.elapsed() > PATIENCE {
            return Err("there is no code for buffers that do not overlap".to_owned());
        }
    }
    run(false)?;
    run(true)?;
    if log.says(&format!("kernel {name}: a launch is disjoint"))? {
        Ok(())
    } else {
        Err("no launch has the other code".to_owned())
    }
}

/// Launches whose rows are too short for gangs get code with fewer lanes, or without any, once they have run for long enough.
pub fn narrow() -> Outcome {
    const ITEMS: usize = 96;
    const STEPS: u32 = 20_000;
    let log = Log::new()?;
    let context = Context::first().map_err(text)?;
    let queue = context.queue().map_err(text)?;
    let program = Program::build(&context, kernels::SHORT_ROWS.plain, "-oxicl-remarks").map_err(text)?;
    let kernel = program.kernel("short_rows").map_err(text)?;
    // On machines whose usual gangs have four lanes there are none of fewer.
    let has_narrow_gangs = program.log().map_err(text)?.contains("launches with rows of 4 ");
    let out = Buffer::<u32>::new(&context, ITEMS).map_err(text)?;
    kernel.set_buffer(0, &out).and_then(|()| kernel.set(2, STEPS)).map_err(text)?;
    let run = |local: usize| -> Outcome {
        let of = |item: usize| {
            let first = (item * 31 + item / local) as u64;
            let step = |hash: u64, _| hash.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(hash >> 13);
            ((0..STEPS).fold(first, step) >> 32) as u32
        };
        let sum = |item: usize| {
            let opposite = item / local * local + local - 1 - item % local;
            of(opposite).wrapping_add(local as u32)
        };
        kernel.set_local(1, 4 * local).map_err(text)?;
        queue.launch(&kernel, [ITEMS], Some([local])).map_err(text)?;
        same(
            &format!("in work-groups of {local}"),
            &(0..ITEMS).map(sum).collect::<Vec<_>>(),
            &queue.read(&out).map_err(text)?,
        )
    };
    let rows = if has_narrow_gangs { &[1, 4][..] } else { &[1] };
    for row in rows {
        let has_code = format!("kernel short_rows: a launch is narrow: its short rows run {row} at a time");
        let begun = Instant::now();
        while !log.says(&has_code)? {
            run(*row)?;
            if begun.elapsed() > PATIENCE {
                return Err(format!("no launch in work-groups of {row} has code of its own"));
            }
        }
        run(ITEMS)?;
        run(*row)?;
    }
    Ok(())
}

/// Runs the victim once, twice, or until there is code of the full tier. What the cache has is the test's to know.
pub fn runs_as_told() -> Outcome {
    let log = Log::new()?;
    let context = Context::first().map_err(text)?;
    let victim = Victim::new(&context)?;
    let first = victim.run(1000, FEW)?;
    let how = std::env::args().nth(2).unwrap_or_default();
    if how == "once" {
        return Ok(());
    }
    same("again", &first, &victim.run(1000, FEW)?)?;
    if how == "until-made" {
        // A kernel that runs for long enough has its code made at full priority: on a busy machine, what nobody waits for takes minutes.
        while !log.says(MADE)? {
            same("meanwhile", &first, &victim.run(1000, FEW)?)?;
        }
        return Ok(());
    }
    std::thread::sleep(WHILE);
    Ok(())
}
