//! The compiler of this process, which all devices share.

use std::sync::LazyLock;

use oxicl_compiler_client::{Compiler, Settings};

/// The compiler of this process. Nothing is started before its first request.
pub static COMPILER: LazyLock<Compiler> = LazyLock::new(|| {
    Compiler::new(Settings { outside: |block| oxicl_schedule::fork::outside(block), ..Settings::default() })
});
