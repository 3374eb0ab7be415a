//! A recorded launch of which the application has a handle: what it was recorded with, and how it is now.

use std::sync::Arc;

use khronos_headers as cl;

use crate::ApiError;
use crate::command::Action;
use crate::kernel::Kernel;
use crate::ndrange::Request;
use crate::properties::PropertyList;
use crate::queue::Queue;

/// An index space, kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    /// Number of dimensions, 1 to 3. Further values say nothing.
    pub(super) dimensions: u32,
    pub(super) offset: [usize; 3],
    pub(super) global: [usize; 3],
    /// None if we are to choose.
    pub(super) local: Option<[usize; 3]>,
}

/// A launch with arguments of its own.
#[derive(Clone)]
pub(super) struct Dispatch {
    /// The kernel that it was recorded with, whose arguments are none of ours.
    pub(super) recorded: Arc<Kernel>,
    /// The kernel with the arguments of the command. Nobody else has it.
    pub(super) own: Arc<Kernel>,
    pub(super) properties: PropertyList,
    pub(super) range: Range,
    /// All arguments are set.
    complete: bool,
}

/// What can be updated.
pub(super) const FIELDS: u64 = cl::CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
    | cl::CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
    | cl::CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
    | cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
    | cl::CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;

impl Range {
    /// An index space as it was asked for.
    pub(super) fn new(request: Request<'_>) -> Range {
        let three = |given: &[usize]| std::array::from_fn(|index| given.get(index).copied().unwrap_or(0));
        Range {
            dimensions: request.dimensions,
            offset: three(request.offset.unwrap_or_default()),
            global: three(request.global.unwrap_or_default()),
            local: request.local.map(three),
        }
    }

    /// It, to be asked for again.
    pub(super) fn request(&self) -> Request<'_> {
        let sides = self.dimensions.min(3) as usize;
        Request {
            dimensions: self.dimensions,
            offset: Some(&self.offset[..sides]),
            global: Some(&self.global[..sides]),
            local: self.local.as_ref().map(|local| &local[..sides]),
        }
    }

    /// Whether all work-groups have the same size; none if we choose it.
    pub(super) fn is_uniform(&self) -> Option<bool> {
        let sides = self.local?.into_iter().zip(self.global).take(self.dimensions as usize);
        Some(sides.into_iter().all(|(local, global)| local != 0 && global.is_multiple_of(local)))
    }
}

impl Dispatch {
    /// A launch of a kernel with the arguments that it has now. Some may be missing if they can be set later.
    ///
    /// # Errors
    /// Those of [`Kernel::dispatch`].
    pub(super) fn new(
        queue: &Queue,
        kernel: &Arc<Kernel>,
        properties: PropertyList,
        range: Range,
    ) -> Result<(Dispatch, Action), ApiError> {
        let own = kernel.duplicate()?;
        let mut dispatch = Dispatch { recorded: Arc::clone(kernel), own, properties, range, complete: false };
        let action = dispatch.action(queue)?;
        Ok((dispatch, action))
    }

    /// What it does now; nothing while arguments are missing.
    ///
    /// # Errors
    /// Those of [`Kernel::dispatch`].
    pub(super) fn action(&mut self, queue: &Queue) -> Result<Action, ApiError> {
        self.complete = self.own.has_all_arguments();
        if self.complete {
            return self.own.dispatch(&queue.context, &queue.device, self.range.request());
        }
        self.own.check_range(&queue.context, &queue.device, self.range.request())?;
        Ok(Action::Nothing)
    }

    /// Whether all arguments are set.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether a field may be updated: by default every one may.
    pub(super) fn allows(&self, field: u64) -> bool {
        let fields = self.properties.get(cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR).unwrap_or(FIELDS);
        fields & field != 0
    }
}

#[cfg(test)]
mod tests {
    use super::Range;
    use crate::ndrange::Request;

    #[test]
    fn an_index_space_is_kept_as_it_was_given() {
        let request = Request { dimensions: 2, offset: None, global: Some(&[8, 9]), local: Some(&[4, 3]) };
        let mut range = Range::new(request);
        assert_eq!(range, Range { dimensions: 2, offset: [0; 3], global: [8, 9, 0], local: Some([4, 3, 0]) });
        let again = range.request();
        assert_eq!((again.offset, again.global, again.local), (Some(&[0, 0][..]), request.global, request.local));
        assert_eq!(range.is_uniform(), Some(true));
        range.global[1] = 10;
        assert_eq!(range.is_uniform(), Some(false));
        range.local = None;
        assert_eq!(range.is_uniform(), None);
    }
}
