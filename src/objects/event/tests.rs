//! Commands and events, without a kernel: what runs are closures and counting jobs.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use khronos_headers as cl;
use oxicl_schedule::{Failed, Job, WorkerSlot, returning};
use parking_lot::Mutex;

use super::{Event, Settle, wait_for_all};
use crate::ApiError;
use crate::command::Work;
use crate::context::Context;
use crate::properties::PropertyList;
use crate::queue::Queue;
use crate::testing;

const OUT_OF_ORDER: u64 = cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
const TIMEOUT: Duration = Duration::from_secs(20);

fn queue(context: &Arc<Context>, properties: u64) -> Arc<Queue> {
    let list = PropertyList::new(vec![(u64::from(cl::CL_QUEUE_PROPERTIES), properties)]);
    Queue::create(context, &context.devices[0], list).unwrap()
}

/// Which numbers were noted, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u32>>>);

impl Log {
    fn note(&self, number: u32) -> Work {
        let log = self.0.clone();
        Work::Inline(Box::new(move || {
            log.lock().push(number);
            Ok(())
        }))
    }

    fn job(&self, number: u32, units: u64) -> Work {
        Work::Job(Arc::new(Count { log: self.0.clone(), number, units, done: AtomicU64::new(0) }))
    }

    fn seen(&self) -> Vec<u32> {
        self.0.lock().clone()
    }
}

/// Notes its number when all its units have run.
struct Count {
    log: Arc<Mutex<Vec<u32>>>,
    number: u32,
    units: u64,
    done: AtomicU64,
}

impl Job for Count {
    fn units(&self) -> u64 {
        self.units
    }
    fn cost(&self) -> Option<u64> {
        Some(self.units * 100)
    }
    fn run(&self, units: Range<u64>, _: &mut WorkerSlot) -> Result<(), Failed> {
        self.done.fetch_add(units.end - units.start, Ordering::Relaxed);
        Ok(())
    }
    fn finish(&self) {
        assert_eq!(self.done.load(Ordering::Relaxed), self.units);
        self.log.lock().push(self.number);
    }
}

fn failing() -> Work {
    Work::Inline(Box::new(|| Err(ApiError::MapFailure)))
}

const KIND: u32 = cl::CL_COMMAND_FILL_BUFFER;

fn status(event: &Event) -> i32 {
    event.status.load(Ordering::Acquire)
}

#[test]
fn an_in_order_queue_keeps_the_order_whoever_runs_it() {
    let context = testing::context();
    for flush in [false, true] {
        let (queue, log) = (queue(&context, 0), Log::default());
        for number in 0..500 {
            let work = if number % 3 == 0 { log.note(number) } else { log.job(number, 1 + u64::from(number % 7)) };
            queue.enqueue(KIND, &[], work).unwrap();
            if flush && number % 100 == 50 {
                queue.flush();
            }
        }
        queue.finish().unwrap();
        assert!(log.seen().into_iter().eq(0..500));
    }
}

#[test]
fn a_queue_that_nobody_flushes_does_not_grow_for_ever() {
    let context = testing::context();
    for properties in [0, OUT_OF_ORDER] {
        let (queue, log) = (queue(&context, properties), Log::default());
        for number in 0..10_000 {
            queue.enqueue(KIND, &[], log.job(number, 1)).unwrap();
        }
        let start = std::time::Instant::now();
        while log.seen().len() < 8000 {
            assert!(start.elapsed() < TIMEOUT);
            thread::yield_now();
        }
        queue.finish().unwrap();
        assert_eq!(log.seen().len(), 10_000);
    }
}

#[test]
fn a_flushed_command_ends_without_anybody_waiting() {
    let context = testing::context();
    let (queue, log) = (queue(&context, 0), Log::default());
    let event = queue.enqueue(KIND, &[], log.job(1, 100)).unwrap();
    assert_eq!(status(&event), cl::CL_QUEUED);
    queue.flush();
    let (sender, receiver) = channel();
    event
        .set_callback(cl::CL_COMPLETE, Box::new(move |status| returning(move || sender.send(status).unwrap())))
        .unwrap();
    assert_eq!(receiver.recv_timeout(TIMEOUT), Ok(cl::CL_COMPLETE));
    assert_eq!(log.seen(), [1]);
}

#[test]
fn a_waiting_thread_leaves_alone_what_somebody_else_is_about_to_start() {
    let context = testing::context();
    let (queue, log) = (queue(&context, 0), Log::default());
    let event = Event::command(&queue, KIND, log.job(1, 1));
    // The gate is open, and this thread is the one to start what it guards: took anybody the one unit now, the start would find
    // none and take the command for done.
    assert!(!event.gate.unblock() && event.gate.release());
    event.help();
    assert_eq!((log.seen(), event.ended()), (vec![], None));
    let mut settle = Settle::default();
    settle.start(event.clone());
    settle.submit();
    event.wait().unwrap();
    assert_eq!(log.seen(), [1]);
}

#[test]
fn asking_for_the_status_leads_to_progress() {
    let context = testing::context();
    let (queue, log) = (queue(&context, 0), Log::default());
    let event = queue.enqueue(KIND, &[], log.job(1, 10)).unwrap();
    let start = std::time::Instant::now();
    while event.ended().is_none() {
        event.info(cl::CL_EVENT_COMMAND_EXECUTION_STATUS).unwrap();
        assert!(start.elapsed() < TIMEOUT);
        thread::yield_now();
    }
}

#[test]
fn an_out_of_order_queue_runs_past_a_blocked_command_but_not_past_a_barrier() {
    let context = testing::context();
    let (queue, log, user) = (queue(&context, OUT_OF_ORDER), Log::default(), Event::user(&context));
    queue.enqueue(KIND, std::slice::from_ref(&user), log.note(1)).unwrap();
    let free = queue.enqueue(KIND, &[], log.job(2, 3)).unwrap();
    free.wait().unwrap();
    assert_eq!(log.seen(), [2]);
    let marker = queue.marker(&[]).unwrap();
    let barrier = queue.barrier(&[]).unwrap();
    let behind = queue.enqueue(KIND, &[], log.note(3)).unwrap();
    queue.flush();
    for blocked in [&marker, &barrier, &behind] {
        assert!(blocked.ended().is_none());
    }
    user.set_user_status(cl::CL_COMPLETE).unwrap();
    queue.finish().unwrap();
    assert_eq!(log.seen(), [2, 1, 3]);
}

#[test]
fn a_barrier_with_a_list_holds_up_what_follows_but_waits_only_for_the_list() {
    let context = testing::context();
    let (queue, log) = (queue(&context, OUT_OF_ORDER), Log::default());
    let (early, gate) = (Event::user(&context), Event::user(&context));
    queue.enqueue(KIND, std::slice::from_ref(&early), log.note(1)).unwrap();
    let barrier = queue.barrier(std::slice::from_ref(&gate)).unwrap();
    let behind = queue.enqueue(KIND, &[], log.note(2)).unwrap();
    queue.flush();
    assert!(behind.ended().is_none());
    gate.set_user_status(cl::CL_COMPLETE).unwrap();
    wait_for_all(&[barrier, behind]).unwrap();
    assert_eq!(log.seen(), [2]);
    early.set_user_status(cl::CL_COMPLETE).unwrap();
    queue.finish().unwrap();
    assert_eq!(log.seen(), [2, 1]);
}

#[test]
fn a_failure_fails_what_has_it_in_its_list_and_only_that() {
    let context = testing::context();
    let (queue, log) = (queue(&context, 0), Log::default());
    let failed = queue.enqueue(KIND, &[], failing()).unwrap();
    let next = queue.enqueue(KIND, &[], log.note(1)).unwrap();
    let strict = queue.enqueue(KIND, std::slice::from_ref(&failed), log.job(2, 5)).unwrap();
    let after = queue.enqueue(KIND, std::slice::from_ref(&strict), log.note(3)).unwrap();
    let last = queue.enqueue(KIND, &[], log.note(4)).unwrap();
    queue.finish().unwrap();
    let lists = ApiError::ExecStatusErrorForEventsInWaitList;
    assert_eq!([&failed, &next, &strict, &after, &last].map(|event| status(event)), [-12, 0, -14, -14, 0]);
    assert_eq!(log.seen(), [1, 4]);
    assert_eq!(wait_for_all(&[next, after]), Err(lists.clone()));
    // Also when the failure is known at the enqueue.
    let late = queue.enqueue(KIND, &[failed], log.note(5)).unwrap();
    assert_eq!(late.wait(), Err(lists.clone()));
}

#[test]
fn a_failed_user_event_fails_its_dependants() {
    let context = testing::context();
    let (queue, log, user) = (queue(&context, 0), Log::default(), Event::user(&context));
    let event = queue.enqueue(KIND, std::slice::from_ref(&user), log.job(1, 9)).unwrap();
    queue.flush();
    assert_eq!(user.set_user_status(1), Err(ApiError::InvalidValue));
    user.set_user_status(-5).unwrap();
    assert_eq!(user.set_user_status(0), Err(ApiError::InvalidOperation));
    assert_eq!(event.set_user_status(0), Err(ApiError::InvalidEvent));
    assert_eq!(event.wait(), Err(ApiError::ExecStatusErrorForEventsInWaitList));
    assert!(log.seen().is_empty());
}

#[test]
fn a_panic_in_the_work_is_a_failed_command() {
    let context = testing::context();
    let queue = queue(&context, 0);
    let inline = queue.enqueue(KIND, &[], Work::Inline(Box::new(|| panic!("as the test wants")))).unwrap();
    queue.finish().unwrap();
    assert_eq!(status(&inline), -5);
}

#[test]
fn waiting_flushes_other_queues_that_it_depends_on() {
    let context = testing::context();
    let (one, two, log) = (queue(&context, 0), queue(&context, 0), Log::default());
    let first = one.enqueue(KIND, &[], log.job(1, 50)).unwrap();
    let native = one.enqueue(KIND, &[], Work::Native(returning(|| thread::sleep(Duration::from_millis(5))))).unwrap();
    let second = two.enqueue(KIND, &[first, native], log.job(2, 50)).unwrap();
    second.wait().unwrap();
    assert_eq!(log.seen(), [1, 2]);
}

#[test]
fn callbacks_come_for_each_stage_in_order_even_when_it_has_passed() {
    let context = testing::context();
    let (queue, user) = (queue(&context, 0), Event::user(&context));
    let event = queue.enqueue(KIND, std::slice::from_ref(&user), Log::default().note(1)).unwrap();
    let (sender, receiver) = channel();
    for stage in [cl::CL_COMPLETE, cl::CL_SUBMITTED, cl::CL_RUNNING] {
        let sender = sender.clone();
        event.set_callback(stage, Box::new(move |status| returning(move || sender.send(status).unwrap()))).unwrap();
    }
    user.set_user_status(0).unwrap();
    let seen: Vec<_> = (0..3).map(|_| receiver.recv_timeout(TIMEOUT).unwrap()).collect();
    assert_eq!(seen, [cl::CL_SUBMITTED, cl::CL_RUNNING, cl::CL_COMPLETE]);
    event
        .set_callback(cl::CL_RUNNING, Box::new(move |status| returning(move || sender.send(10 + status).unwrap())))
        .unwrap();
    assert_eq!(receiver.recv_timeout(TIMEOUT), Ok(10 + cl::CL_RUNNING));
    assert_eq!(event.set_callback(cl::CL_QUEUED, Box::new(|_| returning(|| ()))), Err(ApiError::InvalidValue));
}

#[test]
fn a_callback_can_enqueue_and_wait() {
    let context = testing::context();
    let (queue, log, user) = (queue(&context, 0), Log::default(), Event::user(&context));
    let event = queue.enqueue(KIND, &[], log.note(1)).unwrap();
    let (inner_queue, inner_log, inner_user) = (queue.clone(), log.clone(), user.clone());
    let callback = move || {
        inner_queue.enqueue(KIND, &[], inner_log.job(2, 100)).unwrap().wait().unwrap();
        inner_user.set_user_status(0).unwrap();
    };
    let callback = Box::new(move |_| returning(callback));
    event.set_callback(cl::CL_COMPLETE, callback).unwrap();
    user.wait().unwrap();
    assert_eq!(log.seen(), [1, 2]);
}

#[test]
fn profiling_times_are_in_order() {
    let context = testing::context();
    let queue = queue(&context, cl::CL_QUEUE_PROFILING_ENABLE);
    let event = queue.enqueue(KIND, &[], Log::default().job(1, 10)).unwrap();
    let ask = |name| match event.profiling_info(name) {
        Ok(crate::InfoValue::U64(time)) => Ok(time),
        Ok(_) => panic!("not a time"),
        Err(error) => Err(error),
    };
    assert_eq!(ask(cl::CL_PROFILING_COMMAND_QUEUED), Err(ApiError::ProfilingInfoNotAvailable));
    event.wait().unwrap();
    let names = [
        cl::CL_PROFILING_COMMAND_QUEUED,
        cl::CL_PROFILING_COMMAND_SUBMIT,
        cl::CL_PROFILING_COMMAND_START,
        cl::CL_PROFILING_COMMAND_END,
        cl::CL_PROFILING_COMMAND_COMPLETE,
    ];
    let times = names.map(|name| ask(name).unwrap());
    assert!(times[0] > 0 && times.is_sorted(), "{times:?}");
    assert_eq!(ask(0), Err(ApiError::InvalidValue));
}

#[test]
fn who_finds_a_command_running_finds_when_it_started() {
    let context = testing::context();
    let queue = queue(&context, cl::CL_QUEUE_PROFILING_ENABLE);
    let user = Event::user(&context);
    let events: Vec<_> = (0..1_000)
        .map(|_| queue.enqueue(KIND, std::slice::from_ref(&user), Log::default().job(1, 1)).unwrap())
        .collect();
    let (arrived, without) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let start_all = || {
        for (number, event) in events.iter().enumerate() {
            // Both threads at once: a barrier would wake one after the other.
            arrived.fetch_add(1, Ordering::SeqCst);
            while arrived.load(Ordering::SeqCst) < 2 * number + 2 {
                std::hint::spin_loop();
            }
            event.advance(cl::CL_RUNNING);
            if event.times.start.load(Ordering::Relaxed) == 0 {
                without.fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(start_all);
        start_all();
    });
    assert_eq!(without.into_inner(), 0);
    user.set_user_status(0).unwrap();
    wait_for_all(&events).unwrap();
}

#[test]
fn events_of_another_context_are_refused() {
    let (one, two) = (testing::context(), testing::context());
    let queue = queue(&one, 0);
    let (own, foreign) = (Event::user(&one), Event::user(&two));
    assert_eq!(queue.marker(std::slice::from_ref(&foreign)).unwrap_err(), ApiError::InvalidContext);
    assert_eq!(wait_for_all(&[own, foreign]), Err(ApiError::InvalidContext));
}

#[test]
fn a_graph_across_queues_and_threads_ends_in_a_right_order() {
    let context = testing::context();
    let queues: Vec<_> = (0..4).map(|index| queue(&context, if index % 2 == 0 { 0 } else { OUT_OF_ORDER })).collect();
    let clock = Arc::new(AtomicUsize::new(1));
    let start = Event::user(&context);
    // Each command notes when it ran; each must run after those in its list.
    let (mut events, mut ran): (Vec<Arc<Event>>, Vec<Arc<AtomicUsize>>) = (vec![start.clone()], vec![Arc::default()]);
    let mut lists = vec![vec![]];
    let mut random = 12345u64;
    for index in 1..600usize {
        let mut next = || {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) as usize
        };
        let list: Vec<usize> = (0..next() % 4).map(|_| next() % index).collect();
        let (time, clock) = (Arc::new(AtomicUsize::new(0)), clock.clone());
        let note = time.clone();
        let work = Work::Inline(Box::new(move || {
            note.store(clock.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
            Ok(())
        }));
        let wait_list: Vec<_> = list.iter().map(|index| events[*index].clone()).collect();
        events.push(queues[next() % 4].enqueue(KIND, &wait_list, work).unwrap());
        ran.push(time);
        lists.push(list);
    }
    thread::scope(|scope| {
        for queue in &queues {
            scope.spawn(|| queue.finish().unwrap());
        }
        thread::sleep(Duration::from_millis(2));
        start.set_user_status(0).unwrap();
    });
    for (index, list) in lists.iter().enumerate().skip(1) {
        let time = ran[index].load(Ordering::SeqCst);
        assert!(time > 0);
        assert!(list.iter().all(|before| ran[*before].load(Ordering::SeqCst) < time));
    }
}

#[test]
fn eight_threads_share_a_context_and_a_queue() {
    let context = testing::context();
    let shared = queue(&context, 0);
    let total = Arc::new(AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let own = queue(&context, OUT_OF_ORDER);
                for round in 0..300u64 {
                    let total = total.clone();
                    let work = Work::Inline(Box::new(move || {
                        total.fetch_add(1, Ordering::Relaxed);
                        Ok(())
                    }));
                    let first = own.enqueue(KIND, &[], Log::default().job(1, round % 40)).unwrap();
                    let second = shared.enqueue(KIND, &[first], work).unwrap();
                    match round % 4 {
                        0 => second.wait().unwrap(),
                        1 => own.finish().unwrap(),
                        2 => shared.flush(),
                        _ => (),
                    }
                }
            });
        }
    });
    shared.finish().unwrap();
    assert_eq!(total.load(Ordering::Relaxed), 8 * 300);
}

#[test]
fn nothing_keeps_a_queue_alive_after_its_commands() {
    let context = testing::context();
    let queue = queue(&context, OUT_OF_ORDER);
    for number in 0..100 {
        queue.enqueue(KIND, &[], Log::default().job(number, 40)).unwrap();
    }
    queue.barrier(&[]).unwrap();
    queue.finish().unwrap();
    let weak = Arc::downgrade(&queue);
    drop(queue);
    let start = std::time::Instant::now();
    // A worker may just be letting go of the last command.
    while weak.upgrade().is_some() {
        assert!(start.elapsed() < TIMEOUT);
        thread::yield_now();
    }
}

/// Notes how many threads are in it at once.
struct Crowd {
    inside: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Job for Crowd {
    fn units(&self) -> u64 {
        64
    }
    fn cost(&self) -> Option<u64> {
        None
    }
    fn run(&self, units: Range<u64>, _: &mut WorkerSlot) -> Result<(), Failed> {
        self.most.fetch_max(self.inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        thread::sleep(Duration::from_micros(20) * u32::try_from(units.end - units.start).unwrap());
        self.inside.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    }
}

#[test]
fn a_sub_device_never_runs_more_threads_than_it_has_compute_units() {
    let root = testing::platform().devices[0].clone();
    // A machine with one CPU cannot be divided.
    let Ok(parts) = root.partition(&crate::device::Partition::ByCounts(vec![1])) else { return };
    let context = Context::create(PropertyList::absent(), |_| true, parts, None).unwrap();
    let (inside, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let queue = queue(&context, OUT_OF_ORDER);
                for _ in 0..4 {
                    let crowd = Crowd { inside: inside.clone(), most: most.clone() };
                    queue.enqueue(KIND, &[], Work::Job(Arc::new(crowd))).unwrap();
                }
                queue.finish().unwrap();
            });
        }
    });
    assert_eq!(most.load(Ordering::SeqCst), 1);
}
