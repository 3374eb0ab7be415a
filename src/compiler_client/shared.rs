//! The compiler of this process, which all devices share.

use std::sync::{LazyLock, OnceLock};

use crate::{Compiler, Settings};

static SETTINGS: OnceLock<Settings> = OnceLock::new();

/// The compiler of this process. Nothing is started before its first request.
pub static COMPILER: LazyLock<Compiler> = LazyLock::new(|| Compiler::new(SETTINGS.get().cloned().unwrap_or_default()));

/// Sets the compiler of this process up, once, before it is used.
pub fn set_up(settings: Settings) {
    let _ = SETTINGS.set(settings);
}
