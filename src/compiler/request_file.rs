//! A request as a file, so that what the library asked for can be compiled again, alone and as often as wanted. The
//! file is text that people read and may change: the kernels, the tier, the options and the machine, followed by the
//! module.
//!
//! A file has all of a request: a missing or unknown field is an error.

use oxicl_protocol::{CompileOptions, CompileRequest, Tier};
use oxicl_target::Target;
use serde::{Deserialize, Serialize};

/// The version of the form of files.
const FORMAT: u32 = 1;

/// Hexadecimal digits of a word.
const DIGITS: usize = 8;

/// The file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestFile {
    format: u32,
    /// The build that wrote it, for people: another may compile it.
    build: String,
    kernels: Vec<String>,
    tier: Tier,
    options: CompileOptions,
    machine: Machine,
    /// The words of the module, eight hexadecimal digits each.
    spirv: String,
}

/// What defines a machine.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Machine {
    triple: String,
    features: Vec<String>,
}

/// The text of a request's file.
pub fn to_text(request: &CompileRequest) -> String {
    let file = RequestFile {
        format: FORMAT,
        build: crate::command_line::build(),
        kernels: request.kernels.clone(),
        tier: request.tier,
        options: request.options.clone(),
        machine: Machine { triple: request.target.triple.clone(), features: request.target.features.clone() },
        spirv: request.spirv.iter().map(|word| format!("{word:08x}")).collect(),
    };
    // All of it has a form in JSON, so that this does not fail.
    serde_json::to_string_pretty(&file)
        .map_or_else(|why| format!("the request has no text: {why}\n"), |text| text + "\n")
}

/// The request of a file.
///
/// # Errors
/// Why it is none, in a sentence.
pub fn from_bytes(bytes: &[u8]) -> Result<CompileRequest, String> {
    let file: RequestFile =
        serde_json::from_slice(bytes).map_err(|why| format!("the file is no request for the compiler: {why}"))?;
    if file.format != FORMAT {
        return Err(format!("the request has format {}, and this compiler reads format {FORMAT}", file.format));
    }
    let lanes = file.options.lanes;
    if lanes != 0 && (!lanes.is_power_of_two() || lanes > 64) {
        return Err(format!("the request asks for {lanes} lanes, which are neither 0 nor a power of two up to 64"));
    }
    Ok(CompileRequest {
        spirv: words(&file.spirv)?,
        kernels: file.kernels,
        options: file.options,
        target: target(file.machine)?,
        tier: file.tier,
    })
}

/// The words that digits stand for.
fn words(digits: &str) -> Result<Vec<u32>, String> {
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) || !digits.len().is_multiple_of(DIGITS) {
        return Err(format!("the words of the request's module are not {DIGITS} hexadecimal digits each"));
    }
    let word = |at: usize| u32::from_str_radix(&digits[at..at + DIGITS], 16).map_err(|why| why.to_string());
    (0..digits.len()).step_by(DIGITS).map(word).collect()
}

/// The machine with a triple and features. Both are checked here, as LLVM reads features from one text, and does not
/// complain of a triple that it does not know.
fn target(machine: Machine) -> Result<Target, String> {
    let triples = ["x86-64-v2", "aarch64"].map(|name| Target::named(name).map(|target| target.triple));
    if !triples.contains(&Ok(machine.triple.clone())) {
        return Err(format!("the request's machine has the triple `{}`, for which no code is made", machine.triple));
    }
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    let is_feature = |feature: &&String| feature.strip_prefix(['+', '-']).is_some_and(is_name);
    match machine.features.iter().find(|feature| !is_feature(feature)) {
        Some(other) => Err(format!("the request's machine has `{other}`, which is no feature with + or - in front")),
        None => Ok(Target::with_features(machine.triple, machine.features)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> CompileRequest {
        CompileRequest {
            spirv: vec![0x0723_0203, 0, u32::MAX],
            kernels: vec!["one \"quoted\"".into(), "zwei µ".into()],
            options: CompileOptions { lanes: 16, verbose: true, ..CompileOptions::default() },
            target: Target::host(),
            tier: Tier::Cheap,
        }
    }

    fn why(text: &str) -> String {
        from_bytes(text.as_bytes()).expect_err("no request")
    }

    #[test]
    fn a_request_comes_back_as_it_was() {
        for target in [Target::host(), Target::named("x86-64-v3").expect("a level")] {
            let request = CompileRequest { target, ..request() };
            assert_eq!(from_bytes(to_text(&request).as_bytes()), Ok(request));
        }
    }

    #[test]
    fn what_is_missing_unknown_or_out_of_bounds_is_told() {
        let text = to_text(&request());
        assert!(why("").contains("no request"));
        assert!(why(&text.replace("\"tier\": \"Cheap\",", "")).contains("missing field `tier`"));
        assert!(why(&text.replace("\"verbose\"", "\"verbosity\"")).contains("unknown field `verbosity`"));
        assert!(why(&text.replace("\"format\": 1", "\"format\": 2")).contains("format 2"));
        assert!(why(&text.replace("\"lanes\": 16", "\"lanes\": 48")).contains("48 lanes"));
        assert!(why(&text.replace("x86_64-unknown-linux-gnu", "z80")).contains("`z80`"));
        assert!(why(&text.replace("\"features\": [", "\"features\": [\"+a,-b\",")).contains("`+a,-b`"));
        assert!(why(&text.replace("ffffffff", "fffffff")).contains("8 hexadecimal digits"));
        assert!(why(&text.replace("ffffffff", "ffffffµ")).contains("8 hexadecimal digits"));
    }

    #[test]
    fn a_damaged_file_is_a_sentence_or_a_request() {
        let text = to_text(&request());
        let mut refused = 0;
        for at in 0..text.len() {
            for byte in [0, b'0', b'"', b'}', 0xff, text.as_bytes()[at] ^ 1] {
                let mut damaged = text.clone().into_bytes();
                damaged[at] = byte;
                match from_bytes(&damaged) {
                    Ok(read) => assert_eq!(from_bytes(to_text(&read).as_bytes()), Ok(read), "byte {at}"),
                    Err(why) => refused += u32::from(!why.is_empty()),
                }
            }
            let is_whole = at + 1 == text.len();
            assert_eq!(from_bytes(&text.as_bytes()[..at]).is_ok(), is_whole, "cut at {at}");
        }
        assert!(refused > 1000, "{refused}");
    }
}
