//! Lines of a case that are there several times, as kernels that are past a bound on blocks or barriers have thousands of them.
//!
//! ```text
//! ; REPEAT 4000                    so many times, each with its number from 0 and that of the next
//! b{n}:
//!   br label %b{n+1}
//! ; END REPEAT
//! ```

/// A case's text with these lines written out: LLVM IR.
///
/// # Errors
/// A line, from 1, and what is wrong with it.
pub fn written_out(text: &str) -> Result<String, (usize, &'static str)> {
    let mut result = String::new();
    let mut open: Option<(usize, usize, String)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        match (&mut open, line.strip_prefix("; REPEAT ")) {
            (Some((_, times, lines)), _) if line == "; END REPEAT" => {
                for n in 0..*times {
                    result += &lines.replace("{n}", &n.to_string()).replace("{n+1}", &(n + 1).to_string());
                }
                open = None;
            }
            (Some((.., lines)), _) => *lines += &format!("{line}\n"),
            (None, Some(times)) => {
                open = Some((number, times.parse().map_err(|_| (number, "no number of times"))?, String::new()));
            }
            (None, None) => result += &format!("{line}\n"),
        }
    }
    open.map_or(Ok(result), |(number, ..)| Err((number, "what is repeated does not end")))
}
