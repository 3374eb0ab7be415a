//! `clUpdateMutableCommandsKHR`.
//!
//! Updates are made on copies and take effect together, or not at all. What is being executed keeps what it was enqueued
//! with, so a command buffer can be updated while it runs.

use std::sync::Arc;

use khronos_headers as cl;

use super::dispatch::Dispatch;
use super::{CommandBuffer, Graph, MutableCommand, State};
use crate::ApiError;
use crate::command::Action;
use crate::kernel::Kernel;

/// Sets something of a kernel.
pub type Setting<'a> = Box<dyn Fn(&Kernel) -> Result<(), ApiError> + 'a>;

/// A `cl_mutable_dispatch_config_khr`. What is none stays as it is.
pub struct Update<'a> {
    /// The command.
    pub command: Arc<MutableCommand>,
    /// Sets arguments.
    pub arguments: Option<Setting<'a>>,
    /// Sets information on the execution.
    pub exec_info: Option<Setting<'a>>,
    /// First global id, as many values as the command has dimensions.
    pub offset: Option<&'a [usize]>,
    /// Work-items of each dimension.
    pub global: Option<&'a [usize]>,
    /// Work-items of a work-group.
    pub local: Option<&'a [usize]>,
}

impl CommandBuffer {
    /// What has to hold before the updates are looked at.
    ///
    /// # Errors
    /// "CL_INVALID_OPERATION if command_buffer has not been finalized", or "was not created with the
    /// CL_COMMAND_BUFFER_MUTABLE_KHR flag".
    pub fn check_updatable(&self) -> Result<(), ApiError> {
        if self.state.lock().graph.is_none() || !self.is_mutable() {
            return Err(ApiError::InvalidOperation);
        }
        Ok(())
    }

    /// `clUpdateMutableCommandsKHR`, one update after the other, all or none.
    ///
    /// # Errors
    /// `CL_INVALID_MUTABLE_COMMAND_KHR` for a command of another command buffer; `CL_INVALID_OPERATION` for a field that
    /// was not to be updated, or for work-groups that become uniform or cease to be; those of [`Kernel::dispatch`] and of
    /// the functions that set arguments.
    pub fn update(&self, updates: &[Update<'_>]) -> Result<(), ApiError> {
        let mut state = self.state.lock();
        let mut changed: Vec<(usize, Dispatch, Action)> = Vec::new();
        for update in updates {
            let index = self.index_of(&update.command)?;
            let place = changed.iter().position(|(other, ..)| *other == index);
            let before = match place.and_then(|place| changed.get(place)) {
                Some((_, dispatch, _)) => dispatch,
                None => state.dispatch(index)?,
            };
            let mut dispatch = before.updated(update)?;
            let action = dispatch.action(&self.queue)?;
            match place.and_then(|place| changed.get_mut(place)) {
                Some(entry) => *entry = (index, dispatch, action),
                None => changed.push((index, dispatch, action)),
            }
        }
        state.install(changed);
        Ok(())
    }

    /// The index of a command that is ours.
    fn index_of(&self, command: &MutableCommand) -> Result<usize, ApiError> {
        let ours = std::ptr::eq(command.buffer.as_ptr(), self);
        if ours { Ok(command.index) } else { Err(ApiError::InvalidMutableCommand) }
    }
}

impl State {
    fn dispatch(&self, index: usize) -> Result<&Dispatch, ApiError> {
        let command = self.commands.get(index).and_then(|command| command.mutable.as_ref());
        command.map(|(_, dispatch)| dispatch).ok_or(ApiError::InvalidMutableCommand)
    }

    /// Puts changed commands in the place of the old ones.
    fn install(&mut self, changed: Vec<(usize, Dispatch, Action)>) {
        // Executions that are under way keep the graph they have; then this is a copy.
        let mut graph = self.graph.as_mut().map(Arc::make_mut);
        for (index, dispatch, action) in changed {
            let Some(recorded) = self.commands.get_mut(index) else { continue };
            if let Some(Graph { commands, .. }) = &mut graph
                && let Some(place) = commands.get_mut(index)
            {
                *place = action.clone();
            }
            recorded.action = action;
            if let Some((_, old)) = &mut recorded.mutable {
                *old = dispatch;
            }
        }
        self.note_complete();
    }
}

impl Dispatch {
    /// The launch with an update.
    fn updated(&self, update: &Update<'_>) -> Result<Dispatch, ApiError> {
        let mut next = self.clone();
        for (field, wanted) in [
            (cl::CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR, update.offset.is_some()),
            (cl::CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, update.global.is_some()),
            (cl::CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR, update.local.is_some()),
            (cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, update.arguments.is_some()),
            (cl::CL_MUTABLE_DISPATCH_EXEC_INFO_KHR, update.exec_info.is_some()),
        ] {
            if wanted && !self.allows(field) {
                return Err(ApiError::InvalidOperation);
            }
        }
        for set in [&update.arguments, &update.exec_info].into_iter().flatten() {
            if Arc::ptr_eq(&next.own, &self.own) {
                next.own = self.own.duplicate()?;
            }
            set(&next.own)?;
        }
        let range = &mut next.range;
        replace(&mut range.offset, update.offset);
        replace(&mut range.global, update.global);
        if let Some(local) = update.local {
            replace(range.local.get_or_insert_default(), Some(local));
        }
        // "CL_INVALID_OPERATION if the values of local_work_size and/or global_work_size result in a change to work-group
        // uniformity."
        match (self.range.is_uniform(), range.is_uniform()) {
            (Some(before), Some(after)) if before != after => Err(ApiError::InvalidOperation),
            _ => Ok(next),
        }
    }
}

fn replace(old: &mut [usize; 3], new: Option<&[usize]>) {
    for (old, new) in old.iter_mut().zip(new.unwrap_or_default()) {
        *old = *new;
    }
}
