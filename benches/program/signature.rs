//! Finds the kernels of a text and the names of their parameters.

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    pub name: String,
    pub parameters: Vec<String>,
}

/// The kernels that stand in the text as such; what the preprocessor would do is not done.
pub fn kernels(text: &str) -> Vec<Signature> {
    let tokens = tokens(&plain(text));
    let mut found: Vec<Signature> = Vec::new();
    for (start, token) in tokens.iter().enumerate() {
        if matches!(token.as_str(), "kernel" | "__kernel")
            && let Some(kernel) = signature(&tokens[start + 1..])
            && !found.contains(&kernel)
        {
            found.push(kernel);
        }
    }
    found
}

/// The kernel whose declaration goes on with these tokens: attributes, `void`, a name and parameters.
fn signature(tokens: &[String]) -> Option<Signature> {
    let void = tokens.iter().position(|token| matches!(token.as_str(), "void" | "{" | ";"))?;
    if tokens[void] != "void" {
        return None;
    }
    let [name, open, rest @ ..] = &tokens[void + 1..] else { return None };
    if open != "(" {
        return None;
    }
    let mut parameters = vec![Vec::new()];
    let mut depth = 0;
    for token in rest {
        match (token.as_str(), depth) {
            (")", 0) => break,
            (",", 0) => parameters.push(Vec::new()),
            ("(" | "[", _) => depth += 1,
            (")" | "]", _) => depth -= 1,
            (_, 0) => parameters.last_mut()?.push(token.as_str()),
            _ => {}
        }
    }
    let named = parameters.iter().filter_map(|words| words.iter().rev().find(|word| is_parameter(word)));
    let parameters = named.map(|name| (*name).to_owned()).collect();
    Some(Signature { name: name.clone(), parameters })
}

/// Whether a word at the end of a parameter is its name.
fn is_parameter(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !matches!(word, "void" | "__attribute__")
}

/// The text without comments and directives of the preprocessor.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    // Whether only blanks have been seen since the line began.
    let mut fresh = true;
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("//") || (c == '#' && fresh) {
            line_end(rest)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |end| end + 4)
        } else {
            out.push(c);
            fresh = c == '\n' || (fresh && c.is_whitespace());
            c.len_utf8()
        };
        rest = &rest[skipped..];
    }
    out
}

/// Where a line ends that goes on behind backslashes.
fn line_end(text: &str) -> usize {
    let mut ends = text.match_indices('\n').map(|(at, _)| at);
    ends.find(|at| !text[..*at].trim_end_matches('\r').ends_with('\\')).unwrap_or(text.len())
}

/// Words, and every other character by itself.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut in_word = false;
    for c in text.chars() {
        let is_word = c.is_ascii_alphanumeric() || c == '_';
        match tokens.last_mut() {
            Some(word) if in_word && is_word => word.push(c),
            _ if c.is_whitespace() => {}
            _ => tokens.push(c.to_string()),
        }
        in_word = is_word;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        kernels(text).iter().map(|kernel| format!("{}: {}", kernel.name, kernel.parameters.join(" "))).collect()
    }

    #[test]
    fn parameters_are_the_last_words() {
        let text = "
            __kernel __attribute__((reqd_work_group_size(8, 1, 1)))
            void one(__global const float4 *restrict in, local uint tile[4], const int n __attribute__((unused))) {}
            kernel void two(void) { for (;;) { int none; } }
            kernel void three() {}";
        assert_eq!(found(text), ["one: in tile n", "two: ", "three: "]);
    }

    #[test]
    fn a_prototype_is_no_second_kernel() {
        assert_eq!(found("kernel void f(int a); kernel void f(int a) {}"), ["f: a"]);
    }

    #[test]
    fn comments_and_macros_are_not_looked_at() {
        let text = "// kernel void a(int x)\n/* kernel void b(int x) */ #x\n  #define K \\\n kernel void c(int x)\nkernel void d(int y /* , int z */) {}";
        assert_eq!(found(text), ["d: y"]);
    }
}
