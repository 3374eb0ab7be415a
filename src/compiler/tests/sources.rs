//! Sources through the compiler process: what comes back, and that no source costs more than its worker.

mod client;

use std::num::NonZeroU32;
use std::process::Command;

use oxicl_abi::Image;
use oxicl_caps::{Dump, DumpPart};
use oxicl_compiler::request_file;
use oxicl_compiler_client::{Compiler, Settings};
use oxicl_protocol::{CompileOptions, CompileRequest, SourceOptions, SourceRequest, Standard, decode};
use oxicl_target::Target;

use client::settings;

fn compiler() -> Compiler {
    Compiler::new(settings())
}

fn request(text: impl Into<Vec<u8>>) -> SourceRequest {
    SourceRequest { text: text.into(), folder: "/".into(), ..SourceRequest::default() }
}

const GOOD: &str = "kernel void k(global int *a) { a[get_global_id(0)] = 1; }";

/// The log of a source that does not compile; afterwards the compiler serves as before.
fn failure(request: &SourceRequest) -> String {
    let compiler = compiler();
    let log = compiler.compile_source(request).expect_err("no module").to_string();
    assert!(!log.is_empty());
    let good = self::request(GOOD);
    assert!(compiler.compile_source(&good).is_ok(), "after:\n{log}");
    log
}

#[test]
fn one_source_after_another_gives_the_same_module() {
    let compiler = compiler();
    let first = compiler.compile_source(&request(GOOD)).expect("a module");
    for _ in 0..5 {
        let other = "kernel void other(global float *a, int n) { for (int i = 0; i < n; ++i) if (a[i] > 0) a[i] = i; }";
        assert!(compiler.compile_source(&request(other)).is_ok());
        assert_eq!(compiler.compile_source(&request(GOOD)).as_ref(), Ok(&first));
    }
}

#[test]
fn deep_nesting_is_a_failure() {
    const DEPTH: usize = 200_000;
    for (open, close) in [("(", ")"), ("{", "}"), ("-(", ")"), ("!", ""), ("- ", ""), ("*&", ""), ("a[", "]")] {
        let text =
            format!("kernel void k(global int *a) {{ int b = {}1{}; }}", open.repeat(DEPTH), close.repeat(DEPTH));
        failure(&request(text));
    }
    let statements = format!("kernel void k() {{ {} }}", "if (1) ".repeat(DEPTH));
    failure(&request(statements));
}

#[test]
fn what_is_no_text_is_a_failure() {
    let mut state = 1_u32;
    let mut noise = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    failure(&request((0..100_000).map(&mut noise).collect::<Vec<u8>>()));
    failure(&request(vec![0; 4096].into_iter().chain(*b"kernel").collect::<Vec<u8>>()));
    failure(&request("\u{feff}\u{202e}kernel void \u{1f600}() { \"\\"));
}

#[test]
fn headers_that_include_each_other_are_a_failure() {
    let headers =
        vec![("a.h".to_owned(), b"#include \"b.h\"\n".to_vec()), ("b.h".to_owned(), b"#include \"a.h\"\n".to_vec())];
    let log = failure(&SourceRequest { headers, ..request("#include \"a.h\"\n") });
    assert!(log.contains("nested too deeply"), "{log}");
    let log = failure(&request("#include \"/dev/zero\"\n#include \"/proc/self/mem\"\nkernel void k() {}\n"));
    assert!(log.contains("/dev/zero"), "{log}");
}

#[test]
fn templates_without_end_are_a_failure() {
    let text = "template <int N> struct deep { static const int value = deep<N + 1>::value + deep<N + 2>::value; };
                kernel void k(global int *a) { *a = deep<0>::value; }";
    let options = SourceOptions { standard: Some(Standard::Cpp2021), ..SourceOptions::default() };
    failure(&SourceRequest { options, ..request(text) });
}

#[test]
fn macros_that_expand_without_end_reach_a_limit() {
    let mut text = String::from("#define M0 x,x,x,x,x,x,x,x\n");
    for level in 1..20 {
        let last = format!("M{}", level - 1);
        text.push_str(&format!("#define M{level} {}\n", [last.as_str(); 8].join(",")));
    }
    text.push_str("kernel void k() { int x = 0; M19; }\n");
    let compiler = Compiler::new(Settings { build_seconds: NonZeroU32::new(5), ..settings() });
    let log = compiler.compile_source(&request(text)).expect_err("no end").to_string();
    // Where memory is had fast, there is no more of it before the time is over.
    let reached = ["stopped after 5 s of processor time", "more memory than its limit"];
    assert!(log.contains("stage opencl_c") && reached.iter().any(|words| log.contains(words)), "{log}");
}

/// What LLVM has no translation for ends the worker by an exit, or by a signal.
#[test]
fn an_error_of_llvm_costs_one_worker_and_the_log_names_the_function() {
    let statements = ["a[0] = __builtin_frame_address(0) != 0;", "*(global wide *)a += 1;"];
    for statement in statements {
        let text = format!(
            "typedef int wide __attribute__((ext_vector_type(32)));
             kernel void good(global int *a) {{ a[1] = 2; }}
             kernel void bad(global int *a) {{ {statement} }}"
        );
        let log = failure(&request(text));
        let sentence =
            "error: LLVM cannot translate the program's source (at stage opencl_c, function 'bad'); it says \"";
        assert!(log.starts_with(sentence) && log.trim_end().ends_with('"'), "{log}");
        assert_eq!(log.trim_end().lines().count(), 1, "neither a second try, nor LLVM's own way to say it: {log}");
    }
}

const VICTIM: &str = "kernel void victim(global int *a) { *a = 1; }";

#[test]
fn a_source_whose_worker_is_killed_gets_another() {
    let compiler = Compiler::new(Settings { fault: Some("victim:opencl_c:kill:full".into()), ..settings() });
    for _ in 0..3 {
        assert!(compiler.compile_source(&request(VICTIM)).is_ok());
        assert!(compiler.compile_source(&request(GOOD)).is_ok());
    }
}

#[test]
fn a_source_that_dies_in_a_worker_that_compiled_others_gets_a_fresh_one() {
    let compiler = Compiler::new(Settings { fault: Some("victim:opencl_c:segv:full".into()), ..settings() });
    for _ in 0..3 {
        assert!(compiler.compile_source(&request(GOOD)).is_ok());
        assert!(compiler.compile_source(&request(VICTIM)).is_ok());
    }
}

#[test]
fn the_log_of_a_source_that_workers_die_of_tells_how_often() {
    for (kind, cause, tries) in
        [("kill", "SIGKILL", 2), ("segv", "SIGSEGV", 1), ("exit", "status 1", 1), ("alloc", "more memory", 1)]
    {
        let compiler = Compiler::new(Settings { fault: Some(format!("victim:opencl_c:{kind}:any")), ..settings() });
        let log = compiler.compile_source(&request(VICTIM)).expect_err("no module").to_string();
        assert!(log.contains(cause) && log.contains("stage opencl_c"), "{kind}: {log}");
        assert_eq!(log.contains("second try"), tries == 2, "{kind}: {log}");
        assert!(compiler.compile_source(&request(GOOD)).is_ok(), "{kind}");
    }
}

#[test]
fn a_source_that_uses_the_time_does_not_come_from_the_cache() {
    let folder = std::env::temp_dir().join(format!("oxicl-time-{}", std::process::id()));
    let entries = || std::fs::read_dir(&folder).map_or(0, |entries| entries.count());
    let compiler = Compiler::new(Settings { cache: Some(folder.clone()), ..settings() });
    assert!(compiler.compile_source(&request(GOOD)).is_ok());
    let kept = entries();
    // The key, and the module.
    assert_eq!(kept, 2);
    let header = ("now.h".to_owned(), b"#define NOW __TIME__\n".to_vec());
    for text in [
        "constant char t[] = __DATE__;",
        "#include \"now.h\"\nconstant char t[] = NOW;",
        "constant char t[] = __TIMESTAMP__;",
    ] {
        let text = format!("{text} kernel void k(global char *a) {{ *a = t[3]; }}");
        let request = SourceRequest { headers: vec![header.clone()], ..request(text) };
        assert!(compiler.compile_source(&request).is_ok_and(|module| module.has_time));
        assert_eq!(entries(), kept);
    }
    let text = "constant char t[] = \"__TIME__\"; kernel void k(global char *a) { *a = t[3]; }";
    assert!(compiler.compile_source(&request(text)).is_ok_and(|module| !module.has_time));
    assert_eq!(entries(), kept + 1);
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn what_each_stage_makes_is_written_where_it_is_asked_for() {
    let folder = std::env::temp_dir().join(format!("oxicl-dump-{}", std::process::id()));
    let compiler = Compiler::new(Settings { dump: Some(Dump::all(&folder)), ..settings() });
    let spirv = compiler.compile_source(&request(GOOD)).expect("a module").spirv;
    let target = Target::host();
    let one = CompileRequest { spirv, kernels: vec!["k".into()], target, ..CompileRequest::default() };
    compiler.compile(&one).expect("an image");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder was made")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    files.sort();
    let ends: Vec<_> = files.iter().map(|file| file.split_once('.').expect("an end").1).collect();
    let ir = ["1-lower.ll", "2-optimize.ll", "5-workgroup.ll", "6-codegen.ll"];
    let text = ["0-request.json", "0-request.spv", ir[0], ir[1], "3-ir.txt", "4-plan.txt", ir[2], ir[3], "7-asm.s"];
    assert_eq!(ends, text);
    assert!(files.iter().all(|file| file.starts_with("k-")), "{files:?}");
    let read = |file: &String| std::fs::read_to_string(folder.join(file)).expect("it is text");
    assert!(read(&files[2]).contains("@oxicl.global_id"), "what one work-item does");
    assert!(read(&files[4]).starts_with("function @"), "what is decided of");
    assert!(read(&files[5]).starts_with("kernel k\nplan 1 of 1"), "what was decided");
    assert!(read(&files[6]).contains("@oxicl.entry.0"), "what runs work-groups");
    assert!(read(&files[8]).starts_with("# oxicl.entry.0 runs the kernel k\n"), "the code");
    let only = folder.join("only");
    let plans = oxicl_caps::Dump { folder: only.clone(), parts: vec![DumpPart::Plan] };
    Compiler::new(Settings { dump: Some(plans), ..settings() }).compile(&one).expect("an image");
    assert_eq!(std::fs::read_dir(&only).expect("the folder was made").count(), 1, "nothing else was wanted");
    std::fs::remove_dir_all(&folder).expect("it is ours");
    // A file is no folder: who asks hears of it.
    std::fs::write(&folder, "").expect("a temporary file");
    let failure = compiler.compile(&one).expect_err("there is nowhere to write").to_string();
    assert!(failure.contains("OXICL_DUMP: cannot write"), "{failure}");
    std::fs::remove_file(&folder).expect("it is ours");
}

#[test]
fn remarks_say_what_parts_and_scatters_work_items_and_where() {
    let text = "kernel void k(global float *a, global const int *b, int n) {
        int i = get_global_id(0);
        float own[8]; for (int j = 0; j < 8; ++j) own[j] = j;
        while (i < n) {
            own[i & 7] += a[i];
            i += b[i];
        }
        a[b[0] + i] = own[n & 7];
    }";
    let compiler = compiler();
    let options = SourceOptions { debug: true, ..SourceOptions::default() };
    let spirv = compiler.compile_source(&SourceRequest { options, ..request(text) }).expect("a module").spirv;
    let target = Target::host();
    let options = CompileOptions { verbose: true, lanes: 8, ..CompileOptions::default() };
    let one = CompileRequest { spirv, kernels: vec!["k".into()], options, target, ..CompileRequest::default() };
    let mut image = compiler.compile(&one).expect("an image").image;
    let remarks = image.kernels.remove(0).remarks.join("\n");
    for (what, line) in [
        (", V = 8: the options say so", 0),
        ("private object of 32 bytes: lanes interleaved by 4 bytes", 0),
        ("work-items may diverge", 4),
        ("each work-item loads from a place of its own", 6),
        ("each work-item stores to a place of its own", 8),
    ] {
        let here = |remark: &str| remark.contains(what) && (line == 0 || remark.contains(&format!(":{line}:")));
        assert!(remarks.lines().any(here), "{what}, line {line}:\n{remarks}");
    }
}

/// The command reads its program whatever the rule is, and other files by the rule.
#[test]
fn the_front_end_as_a_command_obeys_the_rule_for_files() {
    let folder = std::env::temp_dir().join(format!("oxicl-command-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("created");
    let source = folder.join("k.cl");
    std::fs::write(&source, "#include \"x.h\"\nkernel void k() {}\n").expect("written");
    std::fs::write(folder.join("x.h"), "").expect("written");
    for (rule, good) in [("all", true), ("listed", false), ("none", false)] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_oxicl-compiler"));
        command.current_dir(&folder).env("OXICL_INCLUDE", rule).args(["--emit-spirv", "k.cl", "-o", "k.spv"]);
        let output = command.output().expect("started");
        let log = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), good, "{rule}: {log}");
        assert!(good || log.contains(&format!("OXICL_INCLUDE={rule}")), "{rule}: {log}");
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn a_request_that_was_written_down_is_compiled_again_to_the_same() {
    let folder = std::env::temp_dir().join(format!("oxicl-again-{}", std::process::id()));
    let compiler = Compiler::new(Settings { dump: Some(Dump::all(&folder)), ..settings() });
    let spirv = compiler.compile_source(&request(GOOD)).expect("a module").spirv;
    let options = CompileOptions { lanes: 4, fast_relaxed_math: true, ..CompileOptions::default() };
    let target = Target::named("x86-64-v2").expect("a level");
    let one = CompileRequest { spirv, kernels: vec!["k".into()], options, target, ..CompileRequest::default() };
    let image = compiler.compile(&one).expect("an image").image;
    let mut files =
        std::fs::read_dir(&folder).expect("the folder was made").map(|entry| entry.expect("an entry").path());
    let file = files.find(|path| path.to_string_lossy().ends_with(".0-request.json")).expect("a request");
    assert_eq!(request_file::from_bytes(&std::fs::read(&file).expect("it can be read")), Ok(one));
    let made = folder.join("image");
    let again = Command::new(env!("CARGO_BIN_EXE_oxicl-compiler"))
        .arg("--compile-request")
        .arg(&file)
        .args(["--times", "--dump", "plan,asm", "-o"])
        .arg(&made)
        .output()
        .expect("it starts");
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    assert_eq!(decode::<Image>(&std::fs::read(&made).expect("it was written")), Ok(image));
    let (shown, times) = (String::from_utf8_lossy(&again.stdout), String::from_utf8_lossy(&again.stderr));
    assert!(shown.contains("gangs of 4 work-items") && shown.contains("oxicl.entry.0:"), "{shown}");
    assert!(times.contains("codegen "), "{times}");
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn a_damaged_request_is_told_in_a_sentence() {
    let path = std::env::temp_dir().join(format!("oxicl-damaged-{}.json", std::process::id()));
    let good = request_file::to_text(&CompileRequest { target: Target::host(), ..CompileRequest::default() });
    let compile = |text: &[u8]| {
        std::fs::write(&path, text).expect("written");
        let output = Command::new(env!("CARGO_BIN_EXE_oxicl-compiler")).arg("--compile-request").arg(&path).output();
        let output = output.expect("it starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (status, told) = compile(good.as_bytes());
    assert!(status == Some(1) && told.contains("the module is empty"), "no words are no module: {status:?} {told}");
    for (damaged, why) in [
        (b"\xff\xfe".to_vec(), "no request for the compiler"),
        (good.as_bytes()[..good.len() / 2].to_vec(), "no request for the compiler"),
        (good.replace("\"lanes\": 0", "\"lanes\": 3").into_bytes(), "asks for 3 lanes"),
        (good.replace("linux", "windows").into_bytes(), "for which no code is made"),
    ] {
        let (status, told) = compile(&damaged);
        assert!(status == Some(1) && told.contains(why), "{why}: {status:?} {told}");
    }
    std::fs::remove_file(&path).expect("it is ours");
}
