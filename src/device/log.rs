//! The log of the library.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;

use oxicl_caps::config::Config;

/// Writes a line to standard error, if the environment asks for a log. Failure to write is ignored.
pub fn log(message: &str) {
    if Config::get().log {
        let _ = std::io::stderr().write_all(format!("oxicl: {message}\n").as_bytes());
    }
}

/// The same without a lock of the standard library, for a forked process in which no thread may ever release it.
pub fn log_without_lock(message: &str) {
    if Config::get().log
        && let Ok(copy) = std::io::stderr().as_fd().try_clone_to_owned()
    {
        let _ = File::from(copy).write_all(format!("oxicl: {message}\n").as_bytes());
    }
}
