//! Why a kernel cannot become a work-group function: an error of ours or something not supported, never the user's.

/// One sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure(pub(crate) String);

/// What functions give that may fail.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// A failure as the result of a function.
pub(crate) fn failure<T>(text: impl Into<String>) -> Result<T> {
    Err(Failure(text.into()))
}
