//! What the work-group compiler decides and writes for `cases/*.ll` on every machine is what the cases expect (`case.rs` says
//! how). `OXICL_BLESS=1` makes the lines between `BEGIN` and `END` anew: look at what changes before you keep it.

mod case;
mod check;
mod machine;
mod repeated;
mod rewrite;

use std::borrow::Cow;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use case::{Case, Kind};
use check::check;
use machine::{Machine, Output};

/// The paths and texts of all cases, in the order of their names.
fn files() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let paths = fs::read_dir(&folder).expect("the folder is there").map(|entry| entry.expect("readable").path());
    let cases = paths.filter(|path| path.extension().is_some_and(|extension| extension == "ll"));
    let mut cases: Vec<_> = cases.map(|path| (path.clone(), fs::read_to_string(path).expect("readable"))).collect();
    cases.sort();
    assert!(cases.len() >= 20, "the cases are there");
    cases
}

fn parse(path: &Path, text: &str) -> Case {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Case::parse(&name, text).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn build(case: &Case, machine: &Machine) -> Result<Output, String> {
    let output = machine.build(case, case.looks_at(Kind::Assembly, machine.name));
    output.map_err(|why| format!("cases/{}: it does not build for {}: {why}", case.name, machine.name))
}

/// A case without what is expected of machine code that this LLVM cannot make, which is said.
fn makeable<'c>(case: &'c Case, machine: &Machine) -> Cow<'c, Case> {
    if !case.looks_at(Kind::Assembly, machine.name) || machine.has_code() {
        return Cow::Borrowed(case);
    }
    // The harness keeps to itself what a test that passes prints by macros.
    let line = format!("skipped: cases/{}: this LLVM makes no machine code for {}", case.name, machine.name);
    let _ = writeln!(std::io::stderr(), "{line}");
    Cow::Owned(case.without(Kind::Assembly, machine.name))
}

/// Everything that is wrong with a case.
fn wrong(case: &Case) -> Vec<String> {
    let on = |machine: &Machine| {
        let case = &makeable(case, machine);
        let output = match build(case, machine) {
            Ok(output) => output,
            Err(why) => return Some(why),
        };
        let why = check(case, machine.name, &output).err()?;
        Some(format!("{why}    All that is written: {}\n", keep(case, machine, &output).display()))
    };
    case.machines().filter_map(on).collect()
}

/// Writes what a case became to a file of the build folder, for who wants to see all of it.
fn keep(case: &Case, machine: &Machine, output: &Output) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("golden");
    let path = folder.join(format!("{}.{}", case.name, machine.name));
    let text = Kind::ALL.map(|kind| format!("; {}\n{}\n", kind.word(), output.text(kind))).concat();
    fs::create_dir_all(&folder).and_then(|()| fs::write(&path, text)).expect("the build folder is writable");
    path
}

#[test]
fn what_is_written_for_every_machine_is_what_the_cases_expect() {
    let mut all = Vec::new();
    for (path, text) in files() {
        let mut case = parse(&path, &text);
        if std::env::var_os("OXICL_BLESS").is_some() && !case.parts.is_empty() {
            let outputs = case.machines().map(|m| (m.name, build(&case, m).unwrap_or_else(|why| panic!("{why}"))));
            let text = rewrite::rewritten(&case, &outputs.collect::<Vec<_>>()).unwrap_or_else(|why| panic!("{why}"));
            fs::write(&path, &text).expect("writable");
            case = parse(&path, &text);
        }
        all.extend(wrong(&case));
    }
    assert!(all.is_empty(), "{} expectations do not hold:\n\n{}", all.len(), all.join("\n"));
}

#[test]
fn what_is_written_is_the_same_each_time() {
    for (path, text) in files() {
        let case = parse(&path, &text);
        for machine in case.machines() {
            let written = || machine.build(&case, false).unwrap_or_else(|why| panic!("{why}"));
            let first = written();
            assert!((0..4).all(|_| written() == first), "{} is written in several ways on {}", case.name, machine.name);
        }
    }
}

/// A kernel, below what is expected of it.
fn triad(expected: &str) -> Case {
    let text = format!(
        "; A sum of two arrays.\n{expected}\n\
         declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable\n\
         define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) %in) {{\n\
         %i = call i64 @oxicl.global_id(i32 0)\n\
         %p = getelementptr float, ptr addrspace(1) %in, i64 %i\n\
         %q = getelementptr float, ptr addrspace(1) %out, i64 %i\n\
         %x = load float, ptr addrspace(1) %p, align 4\n\
         %y = fadd float %x, 1.0\n\
         store float %y, ptr addrspace(1) %q, align 4\n\
         ret void }}\n"
    );
    Case::parse("triad.ll", &text).unwrap_or_else(|wrong| panic!("{wrong}"))
}

#[test]
fn a_wrong_expectation_is_told_with_case_machine_and_line() {
    for (expected, told) in [
        (
            "; ON: V3 V4\n; CHECK: load <\n; CHECK-V4: load <99 x float>",
            vec!["cases/triad.ll:4: on V4, `CHECK-V4: load <99 x float>` is not in the IR"],
        ),
        (
            "; ON: V3 V4\n; PLAN: gangs of 7\n; CHECK-V3-NOT: nothing of the kind\n; CHECK-V3-NOT: fadd\n; CHECK: store$(=.*)<",
            vec![
                "cases/triad.ll:3: on V3, `PLAN: gangs of 7` is not in the plan",
                "cases/triad.ll:5: on V3, `CHECK-V3-NOT: fadd` is in the IR",
                "cases/triad.ll:3: on V4, `PLAN: gangs of 7` is not in the plan",
            ],
        ),
        (
            "; ON: V4\n; CHECK: fadd <$(=[0-9]+) x float>\n; CHECK-NEXT: fadd",
            vec!["cases/triad.ll:4: on V4, `CHECK-NEXT: fadd` is not in the IR"],
        ),
        ("; ON: V3\n; ASM: vaddpd", vec!["cases/triad.ll:3: on V3, `ASM: vaddpd` is not in the machine code"]),
        (
            "; ON: V4\n; CHECK: fadd\n; CHECK-NOT: store",
            vec!["cases/triad.ll:4: on V4, `CHECK-NOT: store` is in the IR"],
        ),
        ("; ON: V4\n; CHECK: $gone", vec!["cases/triad.ll: V4: "]),
        ("; ON: V4\n; CHECK: $(x=[)", vec!["cases/triad.ll:3: no pattern: "]),
    ] {
        let found = wrong(&triad(expected)).join("\n");
        for part in &told {
            assert!(found.contains(part), "{part} is not told of {expected}:\n{found}");
        }
        assert_eq!(found.matches("cases/triad.ll").count(), told.len(), "{found}");
    }
}

#[test]
fn a_wrong_expectation_is_told_with_the_code_around_it() {
    let found = wrong(&triad("; ON: V4\n; CHECK: fadd <$(=[0-9]+) x float>\n; CHECK: fmul")).join("\n");
    assert!(found.contains("streaming_store"), "{found}");
}

#[test]
fn what_is_no_expectation_is_no_case() {
    for (text, told) in [
        ("; CHECK: x\n", "1: no sentence"),
        ("; A.\n; CHEK: x\n", "2: nothing that could be expected: ; CHEK: x"),
        ("; A.\n; CHECK-V9: x\n", "2: nothing that could be expected"),
        ("; A.\n; CHECK-NEXT-V3: x\n", "2: nothing that could be expected"),
        ("; A.\n; WITH: lances=8\n; CHECK: x\n", "2: nothing that could be expected"),
        ("; A.\n; CHECK-V3: x\n", "nothing is expected on NEON, SCALAR, V2, V4"),
        ("; A.\n; CHECK: x\n; BEGIN CHECK: a | b\n; END\n", "3: no part that could be made"),
        ("; A.\n; CHECK: x\n; BEGIN PLAN\n", "3: what begins does not end"),
        ("; A.\n; CHECK: x\n; END\n", "3: nothing was begun"),
        ("; A.\n; CHECK: x\n; REPEAT often\n; END REPEAT\n", "3: no number of times"),
        ("; A.\n; CHECK: x\n; REPEAT 3\n; END\n", "3: what is repeated does not end"),
    ] {
        let wrong = Case::parse("x.ll", text).err().unwrap_or_default();
        assert!(wrong.contains(told), "{text}: {wrong}");
    }
}

#[test]
fn what_is_repeated_is_built_so_often_and_stands_once() {
    let text = "; A.\n; CHECK: x\na:\n; REPEAT 2\n  br label %b{n+1}\nb{n}:\n; END REPEAT\nc:\n";
    let case = Case::parse("x.ll", text).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert_eq!(case.ir, "; A.\n; CHECK: x\na:\n  br label %b1\nb0:\n  br label %b2\nb1:\nc:\n");
    assert_eq!(case.text, text);
}

#[test]
fn marked_lines_are_made_of_what_is_written_and_no_others() {
    let expected =
        "; ON: V3 V4\n; CHECK: load\n; BEGIN PLAN\n; PLAN: old\n; END\n; BEGIN CHECK-V3: = load <8 x | store\n; END";
    let case = triad(expected);
    assert!(!wrong(&case).is_empty());
    let outputs: Vec<_> = case.machines().map(|m| (m.name, build(&case, m).expect("a case that builds"))).collect();
    let text = rewrite::rewritten(&case, &outputs).expect("a case with these parts");
    let new = Case::parse("triad.ll", &text).expect("a case");
    assert_eq!(wrong(&new), Vec::<String>::new(), "{text}");
    assert_eq!(new.expectations[0].shown, "CHECK: load");
    let made: Vec<&str> =
        new.expectations.iter().map(|e| e.shown.as_str()).filter(|e| e.starts_with("CHECK-V3")).collect();
    assert_eq!(
        made,
        [
            "CHECK-V3: $(v0=%\\d+) = load <8 x float>, ptr addrspace(1) $(v1=%\\d+), align 4",
            "CHECK-V3-NEXT: $(v2=%\\d+) = fadd <8 x float> $(v0), splat (float 1.000000e+00)",
            "CHECK-V3-NEXT: store <8 x float> $(v2), ptr addrspace(1) $(v3=%\\d+), align 4",
        ]
    );
    // What is left of the kernel is as it was.
    assert_eq!(text.split_once("declare").map(|parts| parts.1), case.text.split_once("declare").map(|parts| parts.1));
}
