//! `fork` while eight threads are busy: the child uses the objects that it inherited. Alone in this program, for every
//! thread has to mark its sections, as the entry points do.
#![allow(unsafe_code, reason = "forks")]

mod idle;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use idle::Idle;
use khronos_headers as cl;
use oxicl_caps::DeviceCaps;
use oxicl_objects::command::Work;
use oxicl_objects::context::Context;
use oxicl_objects::device::Device;
use oxicl_objects::event::Event;
use oxicl_objects::properties::PropertyList;
use oxicl_objects::queue::Queue;
use oxicl_objects::{ApiError, InfoValue};
use oxicl_schedule::{Failed, Job, WorkerSlot, fork, returning};

/// Counts its units.
struct Count(u64, Arc<AtomicU64>);

impl Job for Count {
    fn units(&self) -> u64 {
        self.0
    }
    fn cost(&self) -> Option<u64> {
        None
    }
    fn run(&self, units: std::ops::Range<u64>, _: &mut WorkerSlot) -> Result<(), Failed> {
        self.1.fetch_add(units.end - units.start, Ordering::Relaxed);
        Ok(())
    }
}

fn queue(context: &Arc<Context>, properties: u64) -> Arc<Queue> {
    let list = PropertyList::new(vec![(u64::from(cl::CL_QUEUE_PROPERTIES), properties)]);
    Queue::create(context, &context.devices[0], list).unwrap()
}

fn count(queue: &Arc<Queue>, units: u64, sum: &Arc<AtomicU64>) -> Arc<Event> {
    queue.enqueue(cl::CL_COMMAND_FILL_BUFFER, &[], Work::Job(Arc::new(Count(units, sum.clone())))).unwrap()
}

fn status(event: &Arc<Event>) -> i32 {
    match event.info(cl::CL_EVENT_COMMAND_EXECUTION_STATUS) {
        Ok(InfoValue::U32(status)) => status.cast_signed(),
        _ => panic!("no status"),
    }
}

/// What the child does; true if all is well.
fn child(context: &Arc<Context>, old: &Arc<Queue>, blocked: &Arc<Event>, user: &Arc<Event>) -> bool {
    let _section = fork::enter();
    let sum = Arc::new(AtomicU64::new(0));
    // A command in flight has failed, and a user event can still be set.
    let failed = blocked.wait() == Err(ApiError::ExecStatusErrorForEventsInWaitList) && status(blocked) < 0;
    let set = user.set_user_status(cl::CL_COMPLETE).is_ok();
    // An inherited queue goes on, and so does a new one; with and without a waiter.
    let went_on = count(old, 100, &sum).wait().is_ok() && old.finish().is_ok();
    let fresh = queue(context, cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let event = count(&fresh, 1000, &sum);
    fresh.flush();
    let start = Instant::now();
    while status(&event) > cl::CL_COMPLETE && start.elapsed() < Duration::from_secs(20) {
        thread::yield_now();
    }
    failed && set && went_on && status(&event) == cl::CL_COMPLETE && sum.load(Ordering::Relaxed) == 1100
}

fn in_child(f: impl FnOnce() -> bool) -> i32 {
    // SAFETY: all threads mark the sections in which they hold locks; the child leaves by _exit.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: ends the child if something hangs; then leaves without running anything of the harness.
        unsafe {
            libc::alarm(60);
            libc::_exit(i32::from(!f()));
        }
    }
    let mut status = 0;
    // SAFETY: waits for the child.
    unsafe { libc::waitpid(child, &mut status, 0) };
    status
}

#[test]
fn a_child_goes_on_with_inherited_objects_while_eight_threads_are_busy() {
    let section = fork::enter();
    let context =
        Context::create(PropertyList::absent(), |_| true, vec![Device::root(DeviceCaps::host(), Arc::new(Idle))], None)
            .unwrap();
    let shared = queue(&context, 0);
    let user = Event::user(&context);
    let other = queue(&context, 0);
    let blocked = other.enqueue(cl::CL_COMMAND_MARKER, std::slice::from_ref(&user), Work::Nothing).unwrap();
    drop(section);
    let (stop, sum) = (AtomicBool::new(false), Arc::new(AtomicU64::new(0)));
    thread::scope(|scope| {
        for index in 0..8u64 {
            let (context, shared, stop, sum) = (&context, &shared, &stop, &sum);
            scope.spawn(move || {
                let own = {
                    let _section = fork::enter();
                    queue(context, index % 2)
                };
                for round in 0u64.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let _section = fork::enter();
                    let event = count(if index % 3 == 0 { shared } else { &own }, 1 + index * 50, sum);
                    match index % 4 {
                        0 => event.wait().unwrap(),
                        1 => own.finish().unwrap(),
                        2 => shared.flush(),
                        _ => event.set_callback(cl::CL_COMPLETE, Box::new(|_| returning(|| ()))).unwrap(),
                    }
                    if round % 16 == 0 {
                        event.wait().unwrap();
                    }
                }
                let _section = fork::enter();
                own.finish().unwrap();
            });
        }
        for round in 0..100 {
            let status = in_child(|| child(&context, &shared, &blocked, &user));
            assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "round {round}: {status:#x}");
        }
        stop.store(true, Ordering::Relaxed);
    });
    let _section = fork::enter();
    shared.finish().unwrap();
    assert!(status(&blocked) > cl::CL_COMPLETE);
    user.set_user_status(cl::CL_COMPLETE).unwrap();
    other.finish().unwrap();
    assert_eq!(status(&blocked), cl::CL_COMPLETE);
}
