//! Why a kernel cannot become a work-group function: an error of ours or something not supported, never the user's.

/// One sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure(pub(crate) String);

/// What functions give that may fail.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// Makes a failure of what is missing.
pub(crate) trait OrFail<T> {
    fn or_fail(self, text: &str) -> Result<T>;
}

impl<T> OrFail<T> for Option<T> {
    fn or_fail(self, text: &str) -> Result<T> {
        self.ok_or_else(|| Failure(text.to_owned()))
    }
}

/// A failure as the result of a function.
pub(crate) fn failure<T>(text: impl Into<String>) -> Result<T> {
    Err(Failure(text.into()))
}
