//! What a process has in memory.

/// Resident memory of this process, in bytes.
///
/// # Errors
/// A sentence, where `/proc` does not tell.
pub fn resident() -> Result<u64, String> {
    let text = std::fs::read_to_string("/proc/self/statm").map_err(|error| format!("/proc/self/statm: {error}"))?;
    let pages: u64 = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).ok_or("statm has no second number")?;
    Ok(pages * 4096)
}
