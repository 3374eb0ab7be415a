//! Answers for pipes, which the device does not have. No memory object is a pipe.

use std::sync::Arc;

use crate::ApiError;
use crate::context::Context;
use crate::memory::Memory;

/// "CL_INVALID_OPERATION if no device in the context supports pipes."
///
/// # Errors
/// Always that.
pub fn create_pipe(_context: &Context) -> Result<Arc<Memory>, ApiError> {
    Err(ApiError::InvalidOperation)
}

/// A query about a pipe: "CL_INVALID_MEM_OBJECT if it is not a valid pipe object". Gives the error.
pub fn query(_object: &Memory) -> ApiError {
    ApiError::InvalidMemObject
}
