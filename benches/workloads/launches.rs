//! What launches cost: the kernel is empty.

use oxicl_client::Kernel;

use super::{Made, Unit, Work, Workload};
use crate::{Failure, Session, kernels};

enum How {
    Batched,
    Waited,
    GroupsOfOne,
}

struct Empty {
    kernel: Kernel,
    how: How,
    count: usize,
}

/// `size` launches, then one wait.
pub fn batched(session: &Session, size: usize) -> Made {
    empty(session, How::Batched, size)
}

/// `size` launches with a wait after each.
pub fn waited(session: &Session, size: usize) -> Made {
    empty(session, How::Waited, size)
}

/// One launch of `size` work-groups of one work-item.
pub fn groups_of_one(session: &Session, size: usize) -> Made {
    empty(session, How::GroupsOfOne, size)
}

fn empty(session: &Session, how: How, count: usize) -> Made {
    let kernel = session.kernel(kernels::EMPTY, "empty")?;
    Ok(Box::new(Empty { kernel, how, count }))
}

impl Workload for Empty {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        match self.how {
            How::Batched => {
                for _ in 0..self.count {
                    session.queue.launch(&self.kernel, [1], Some([1]))?;
                }
            }
            How::Waited => {
                for _ in 0..self.count {
                    session.queue.launch(&self.kernel, [1], Some([1]))?;
                    session.queue.finish()?;
                }
            }
            How::GroupsOfOne => session.queue.launch(&self.kernel, [self.count], Some([1]))?,
        }
        Ok(())
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        // An empty kernel leaves nothing to compare, but an event of it has to complete.
        let event = session.queue.launch_with_event(&self.kernel, [1], Some([1]))?;
        event.wait()?;
        match event.status()? {
            0 => Ok(()),
            status => Err(Failure::Wrong(format!("the launch ended with status {status}"))),
        }
    }

    fn work(&self) -> Work {
        let what = if matches!(self.how, How::GroupsOfOne) { "group" } else { "launch" };
        Work { amount: self.count as f64, unit: Unit::Time(what) }
    }
}
