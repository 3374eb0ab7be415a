//! Why a kernel cannot become a work-group function: an error of ours or something not supported, never the user's.

/// One sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure(pub(crate) String);

/// A failure as the result of a function.
pub(crate) fn failure<T>(text: impl Into<String>) -> Result<T, Failure> {
    Err(Failure(text.into()))
}
