//! What a workload runs on.

use std::fmt;

use oxicl_client::{BuildError, Context, Error, Kernel, Program, Queue};
use oxicl_offline::{Level, Module};

/// A context and its queue.
#[derive(Debug)]
pub struct Session {
    /// The context.
    pub context: Context,
    /// An in-order queue.
    pub queue: Queue,
    /// What clang did to the modules.
    pub level: Level,
    /// Build options.
    pub options: String,
}

impl Session {
    /// On the first device of the first platform that the loader finds.
    pub fn first() -> Result<Session, Failure> {
        let context = Context::first()?;
        let queue = context.queue()?;
        Ok(Session { context, queue, level: Level::Plain, options: String::new() })
    }

    /// Builds a module and takes a kernel from it.
    pub fn kernel(&self, module: Module, name: &str) -> Result<Kernel, Failure> {
        Ok(Program::build(&self.context, module.at(self.level), &self.options)?.kernel(name)?)
    }
}

/// Why a workload cannot be made, run or trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A call failed.
    Call(Error),
    /// The module was not built.
    Build(BuildError),
    /// The result differs from the host's.
    Wrong(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Call(error) => error.fmt(f),
            Failure::Build(error) => error.fmt(f),
            Failure::Wrong(what) => write!(f, "wrong result: {what}"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Call(error)
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        Failure::Build(error)
    }
}
