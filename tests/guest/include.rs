//! Which files a program of OpenCL C may read, for each way to read one and each value of `OXICL_INCLUDE`.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use crate::files::{Folder, LIMIT};
use crate::scenario;

/// What becomes of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// It runs, and this is its first number.
    Gives(u32),
    /// A file is not found, and the log says by which rule.
    Refused,
}

use End::{Gives, Refused};

/// What files hold that no program reads by a rule that forbids it.
const SECRET: &str = "71 /* topsecret */";

/// Folders: `listed`, which `-I` lists, with links that lead out of it; `other`, which it does not; and the current one.
fn folders(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("listed/good.h", "5");
    folder.write("listed/next.h", "#include_next <next.h>\n");
    folder.write("also/next.h", "6");
    folder.write("listed/leads_out.h", "#include \"../other/secret.h\"\n");
    folder.write("other/secret.h", SECRET);
    folder.write("listed_not/secret.h", SECRET);
    folder.write("current/here.h", SECRET);
    symlink("../other/secret.h", folder.0.join("listed/link.h")).expect("linked");
    symlink("../other", folder.0.join("listed/inner")).expect("linked");
    symlink("good.h", folder.0.join("listed/alias.h")).expect("linked");
    folder
}

/// A kernel that stores the first of some values, which may be lines of their own such as an #include.
fn store(values: &str) -> String {
    format!("kernel void k(global uint *out) {{\n  uint values[] = {{\n{values}\n}};\n  *out = values[0];\n}}\n")
}

/// A kernel that stores whether a condition of the preprocessor holds.
fn test(condition: &str) -> String {
    store(&format!("#if {condition}\n1\n#else\n0\n#endif"))
}

/// The ways to read a file, each with what becomes of it where it may be read, if its text begins with `number`.
fn ways(path: &str, number: u32) -> [(String, End); 8] {
    let digit = number.to_string().bytes().next().map_or(0, u32::from);
    [
        (store(&format!("#include \"{path}\"")), Gives(number)),
        (store(&format!("#include <{path}>")), Gives(number)),
        (store(&format!("#import \"{path}\"")), Gives(number)),
        (store(&format!("#embed \"{path}\"")), Gives(digit)),
        (format!("#pragma GCC dependency \"{path}\"\n{}", store("3")), Gives(3)),
        (test(&format!("__has_include(\"{path}\")")), Gives(1)),
        (test(&format!("__has_include_next(\"{path}\")")), Gives(1)),
        (test(&format!("__has_embed(\"{path}\")")), Gives(1)),
    ]
}

/// What becomes of a program where the file may not be read.
fn refused(source: &str) -> End {
    if source.contains("__has_") { Gives(0) } else { Refused }
}

/// Programs, each with what becomes of it where all files may be read, where listed ones may, and where none may.
fn programs(folder: &Folder) -> Vec<(String, [End; 3])> {
    let root = folder.0.display();
    let out = ["../other/secret.h", "inner/secret.h", "link.h", "inner/../other/secret.h", "../listed_not/secret.h"];
    let out = out.into_iter().map(str::to_owned);
    let out = out.chain(["other/secret.h", "listed/link.h"].map(|path| format!("{root}/{path}")));
    let within = ["good.h", "alias.h", "../listed/good.h"].into_iter().map(str::to_owned);
    let within = within.chain([format!("{root}/listed/good.h")]);
    let mut programs = Vec::new();
    for (source, end) in out.flat_map(|path| ways(&path, 71)) {
        let no = refused(&source);
        programs.push((source, [end, no, no]));
    }
    for (source, end) in within.flat_map(|path| ways(&path, 5)) {
        let no = refused(&source);
        programs.push((source, [end, end, no]));
    }
    programs.push((store("#include \"leads_out.h\""), [Gives(71), Refused, Refused]));
    programs.push((store("#include \"here.h\""), [Gives(71), Refused, Refused]));
    programs.push((test("__has_include(\"here.h\")"), [Gives(1), Gives(0), Gives(0)]));
    programs.push((store("#include \"next.h\""), [Gives(6), Gives(6), Refused]));
    // Embedded headers are no files.
    programs.push((store("#include \"embedded.h\"\nEMBEDDED"), [Gives(11); 3]));
    programs.push((test("__has_include(<embedded.h>)"), [Gives(1); 3]));
    programs.push((store("#embed <embedded.h>"), [Gives(u32::from(b'#')); 3]));
    programs.push((test("__has_embed(<embedded.h>)"), [Gives(1); 3]));
    programs
}

/// Builds sources in the current folder of `folder`, by a rule if one is given. The output of each.
fn build(folder: &Folder, rule: Option<&str>, options: &str, sources: &[String], cache: bool) -> Vec<String> {
    let source = |(number, text): (usize, &String)| folder.write(&format!("programs/{number}.cl"), text);
    let paths: Vec<PathBuf> = sources.iter().enumerate().map(source).collect();
    let output = scenario("build-sources", LIMIT, |command| {
        command.current_dir(folder.0.join("current")).env_remove("OXICL_INCLUDE").arg(options).args(&paths);
        if let Some(rule) = rule {
            command.env("OXICL_INCLUDE", rule);
        }
        if cache {
            command.env("OXICL_CACHE_DIR", folder.0.join("cache")).env_remove("OXICL_CACHE");
        }
    });
    let outputs: Vec<String> = output.split("== ").skip(1).map(str::to_owned).collect();
    assert_eq!(outputs.len(), sources.len(), "{output}");
    outputs
}

/// The options that list the folder, and the one beside it.
fn listing(folder: &Folder) -> String {
    format!("-I {root}/listed -I {root}/also", root = folder.0.display())
}

/// What becomes of all programs by the rule of a column.
fn check(name: &str, rule: Option<&str>, column: usize, named: &str) {
    let folder = folders(name);
    let programs = programs(&folder);
    let sources: Vec<String> = programs.iter().map(|(source, _)| source.clone()).collect();
    for (output, (source, ends)) in build(&folder, rule, &listing(&folder), &sources, false).iter().zip(&programs) {
        match ends[column] {
            Gives(number) => assert!(output.contains(&format!("numbers [{number},")), "{source}{output}"),
            Refused => {
                assert!(output.contains("file not found"), "{source}{output}");
                assert!(output.contains(&format!("OXICL_INCLUDE={named}")), "{source}{output}");
                assert!(!output.contains("topsecret"), "{source}{output}");
            }
        }
    }
}

#[test]
fn programs_read_all_files_unless_told_otherwise() {
    check("all-by-default", None, 0, "");
    check("all", Some("all"), 0, "");
}

#[test]
fn programs_read_listed_files_only() {
    check("listed", Some("listed"), 1, "listed");
}

#[test]
fn programs_read_no_files() {
    check("none", Some("none"), 2, "none");
}

#[test]
fn a_rule_that_is_unknown_is_the_strictest() {
    check("unknown", Some("lsited"), 2, "none");
}

#[test]
fn listed_folders_may_be_relative_or_links() {
    let folder = folders("folders");
    symlink("listed", folder.0.join("link")).expect("linked");
    let sources = ["good.h", "link.h"].map(|path| store(&format!("#include <{path}>")));
    for options in ["-I ../listed", "-I../link", "-I .././listed/../link"] {
        let outputs = build(&folder, Some("listed"), options, &sources, false);
        assert!(outputs[0].contains("numbers [5,"), "{options}: {}", outputs[0]);
        assert!(outputs[1].contains("OXICL_INCLUDE=listed"), "{options}: {}", outputs[1]);
    }
    // A folder that all paths begin with, and one that is not there.
    let outputs = build(&folder, Some("listed"), "-I / -I ../listed", &sources, false);
    assert!(outputs[1].contains("numbers [71,"), "{}", outputs[1]);
    let outputs = build(&folder, Some("listed"), "-I ../absent -I =", &sources, false);
    assert!(outputs[0].contains("OXICL_INCLUDE=listed"), "{}", outputs[0]);
}

#[test]
fn a_log_does_not_tell_whether_a_forbidden_file_is_there() {
    let folder = folders("oracle");
    let there = format!("{}/other/secret.h", folder.0.display());
    let absent = there.replace("secret", "nobody");
    for way in ["#include", "#embed", "#pragma GCC dependency"] {
        let sources = [&there, &absent].map(|path| store(&format!("{way} \"{path}\"")));
        for rule in ["listed", "none"] {
            let outputs = build(&folder, Some(rule), &listing(&folder), &sources, false);
            let text = |output: &str| output.split_once('\n').expect("a line").1.replace("nobody", "secret");
            assert_eq!(text(&outputs[0]), text(&outputs[1]), "{way}, {rule}");
        }
    }
}

#[test]
fn names_of_files_in_line_markers_read_nothing() {
    let folder = folders("marker");
    let path = format!("{}/other/secret.h", folder.0.display());
    let sources = ["# 1", "#line 1"].map(|marker| format!("{marker} \"{path}\"\n#error stop here\n"));
    for rule in ["all", "listed", "none"] {
        for output in build(&folder, Some(rule), "-g", &sources, false) {
            assert!(output.contains("stop here") && !output.contains("topsecret"), "{rule}: {output}");
        }
    }
}

#[test]
fn no_option_reads_a_file() {
    let folder = folders("option");
    let path = format!("{}/other/secret.h", folder.0.display());
    for option in ["-include", "-imacros", "-include-pch", "-iquote", "-isystem", "-embed-dir", "@"] {
        for options in [format!("{option} {path}"), format!("{option}={path}"), format!("{option}{path}")] {
            let output = build(&folder, None, &options, &[store("1")], false).concat();
            assert!(output.contains("CL_INVALID_BUILD_OPTIONS"), "{options}: {output}");
        }
    }
}

#[test]
fn what_is_cached_by_one_rule_is_not_found_by_a_stricter_one() {
    let folder = folders("cached");
    let sources = ["../other/secret.h", "good.h"].map(|path| store(&format!("#include \"{path}\"")));
    for _ in 0..2 {
        for (rule, expected) in [("all", [true, true]), ("listed", [false, true]), ("none", [false, false])] {
            let outputs = build(&folder, Some(rule), &listing(&folder), &sources, true);
            let found = [0, 1].map(|at: usize| outputs[at].contains("numbers"));
            assert_eq!(found, expected, "{rule}: {outputs:?}");
        }
    }
}

#[test]
fn a_link_that_is_turned_out_of_a_listed_folder_is_not_followed_by_the_cache() {
    let folder = folders("turned");
    let sources = [store("#include \"alias.h\"")];
    let run = || build(&folder, Some("listed"), &listing(&folder), &sources, true).concat();
    let link = folder.0.join("listed/alias.h");
    let turn = |to: &str| {
        std::fs::remove_file(&link).expect("removed");
        symlink(to, &link).expect("linked");
    };
    assert!(run().contains("numbers [5,"));
    turn("../other/secret.h");
    assert!(run().contains("OXICL_INCLUDE=listed"));
    turn("good.h");
    assert!(run().contains("numbers [5,"));
}
