//! The library as a guest in its application's process: what must not happen to the host.

mod bisect;
mod builds;
mod files;
mod include;
mod lazy;
mod tiers;

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Runs a scenario in a process of its own, at most `limit` seconds; gives its standard output.
fn scenario(name: &str, limit: u64, prepare: impl FnOnce(&mut Command)) -> String {
    let mut command = oxicl_tests::guest(env!("CARGO_BIN_EXE_oxicl-guest"), name);
    prepare(&mut command);
    let start = Instant::now();
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    while child.try_wait().is_ok_and(|status| status.is_none()) {
        if start.elapsed() > Duration::from_secs(limit) {
            kill_group(&child);
            panic!("{name}: still running after {limit} s");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap_or_else(|error| panic!("{name}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {}\n{errors}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Ends a scenario together with what it forked.
#[allow(unsafe_code, reason = "the standard library signals no groups")]
fn kill_group(child: &Child) {
    // SAFETY: the group is the child's own; the child has not been waited for, so the id is not another's.
    unsafe { libc::kill(-child.id().cast_signed(), libc::SIGKILL) };
}

/// Lets the compiler worker of the kernel `victim` do something bad, at its first try or at every one.
fn fault(kind: &str, stage: &str) {
    scenario("builds-beside-a-victim-that-recovers", 60, |command| {
        command.env("OXICL_COMPILER_FAULT", format!("victim:{stage}:{kind}:first")).env("OXICL_BUILD_SECONDS", "10");
    });
    // A build that generates no code is not concerned by what comes behind the proof.
    let log = scenario("builds-beside-a-victim-that-fails", 90, |command| {
        command.env("OXICL_COMPILER_FAULT", format!("victim:{stage}:{kind}:any")).env("OXICL_BUILD_SECONDS", "10");
        command.env("OXICL_BUILD", "eager");
    });
    assert!(log.contains(stage), "the log does not name the stage {stage}:\n{log}");
}

#[test]
fn kill_9_in_a_worker_is_seen_by_nobody_else() {
    fault("kill", "lower");
}

#[test]
fn a_segmentation_fault_in_a_worker_is_seen_by_nobody_else() {
    fault("segv", "optimize");
}

#[test]
fn exit_in_a_worker_is_seen_by_nobody_else() {
    fault("exit", "workgroup");
}

#[test]
fn an_endless_loop_in_a_worker_is_seen_by_nobody_else() {
    fault("loop", "optimize");
}

#[test]
fn an_allocation_bomb_in_a_worker_is_seen_by_nobody_else() {
    fault("alloc", "codegen");
}

#[test]
fn where_llvm_finds_no_way_on_the_log_has_a_sentence_that_quotes_it() {
    scenario("builds-beside-a-victim-that-recovers", 60, |command| {
        command.env("OXICL_COMPILER_FAULT", "victim:codegen:fatal:first");
    });
    let log = scenario("builds-beside-a-victim-that-fails", 90, |command| {
        command.env("OXICL_COMPILER_FAULT", "victim:codegen:fatal:any").env("OXICL_BUILD", "eager");
    });
    let sentence = "LLVM cannot translate kernel 'victim' (at stage codegen); it says \"";
    let told = log.lines().find_map(|line| line.split_once(sentence));
    assert!(told.is_some_and(|(_, words)| words.trim_end().ends_with('"') && words.len() > 10), "{log}");
    assert!(!log.contains("LLVM ERROR"), "{log}");
}

#[test]
fn a_host_that_reaps_all_children_sees_none_of_ours() {
    scenario("reaps-all-children", 30, |_| ());
}

#[test]
fn fork_with_eight_busy_threads_leaves_parent_and_child_working() {
    scenario("forks-with-busy-threads", 120, |_| ());
}

#[test]
fn a_child_of_a_process_with_a_stuck_call_is_refused_and_does_not_hang() {
    let text = scenario("forks-beside-a-stuck-call", 60, |command| {
        command.env("OXICL_LOG", "1");
    });
    for call in ["clGetContextInfo", "clGetDeviceIDs"] {
        assert!(
            text.contains(&format!("{call} returns CL_OUT_OF_RESOURCES because this process was forked")),
            "{text}"
        );
    }
}

#[test]
fn what_kernels_print_is_complete_and_in_order_when_they_are_over() {
    let text = scenario("prints", 60, |_| ());
    let (before, text) = text.split_once('\n').expect("a line");
    assert_eq!(before, "before", "what the application printed first comes first");
    let mut parts: Vec<(&str, &str)> = Vec::new();
    let mut rest = text;
    while let Some((part, behind)) = rest.split_once("-- ") {
        let (name, behind) = behind.split_once('\n').expect("a name");
        parts.push((name, part));
        rest = behind;
    }
    assert_eq!(rest, "", "nothing comes late");
    assert_eq!(parts.len(), 13, "{text}");
    for (name, part) in parts {
        match name {
            "many" => assert_lines_of_items(part),
            "conversions" => assert_eq!(part, CONVERSIONS),
            "vectors" => assert_eq!(part, VECTORS),
            "strings" => assert_eq!(part, "constant global local private glo\n"),
            "imported" => assert_eq!(part, "5 and 2.50\n"),
            "wrong" => assert_eq!(part, "fine\n5 more than needed\n"),
            _ => panic!("{name}"),
        }
    }
}

const CONVERSIONS: &str = "\
42|   42|42   |00042|+42| 42|-42|042|4294967254
52 052 2a 0x2a 2A 0X2A -1 65535 1099511627776 ffffff0000000000
1.500000 12345.68 1.500000e+00 1.234568E+04 1.5 12345.7 0x1.8p+0 0X1.81CD6E631F8A1P+13 12345.678900
inf INF -inf NAN nan +inf
ok    !|text|     cut|left  |%|0x10000000000|
0x1p-149 1.4013e-45 4.94066e-324
";

const VECTORS: &str = "\
1.00,2.00,3.00,4.00
-1,2,-3,4,-5,6,-7,8,-9,10,-11,12,-13,14,-15,16 \
0xff,0x2,0xfd,0x4,0xfb,0x6,0xf9,0x8,0xf7,0xa,0xf5,0xc,0xf3,0xe,0xf1,0x10
-1,2,3,4,5,6,7,8|65535,  2,  3,  4,  5,  6,  7,  8
-1,2,3 -1,1 0.1,1e+100
1.000000,2.000000 3f800000,40000000,40400000,40800000
";

/// Every line is whole, and those of an item are in their order.
fn assert_lines_of_items(text: &str) {
    let mut next = [0; 64];
    for line in text.lines() {
        let numbers: Vec<usize> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [item, number, 64] = numbers[..] else { panic!("a line in pieces: {line}") };
        assert_eq!(line, format!("item {item} line {number} of 64"));
        assert_eq!(next[item], number, "item {item}");
        next[item] += 1;
    }
    assert_eq!(next, [5; 64]);
}

#[test]
fn callbacks_and_native_kernels_may_end_their_threads() {
    scenario("callbacks-end-their-threads", 60, |_| ());
}

#[test]
fn exit_in_a_callback_ends_the_process_at_once() {
    scenario("exits-in-a-callback", 15, |_| ());
}

#[test]
fn exit_during_a_kernel_ends_the_process_at_once() {
    scenario("exits-during-a-kernel", 15, |_| ());
}

#[test]
fn another_llvm_in_the_host_does_not_matter() {
    scenario("another-llvm", 30, |_| ());
}

#[test]
fn where_exec_is_forbidden_cached_programs_run_and_others_fail_with_the_reason() {
    let folder = std::env::temp_dir().join(format!("oxicl-no-exec-{}", std::process::id()));
    let cached = |command: &mut Command| {
        command.env("OXICL_CACHE_DIR", &folder).env_remove("OXICL_CACHE");
    };
    scenario("build-and-run", 30, cached);
    let log = scenario("may-not-execute", 30, cached);
    assert!(log.contains("may not start the compiler"), "{log}");
    std::fs::remove_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
}

#[test]
fn a_poisoned_library_path_does_not_reach_the_compiler() {
    let folder = std::env::temp_dir().join(format!("oxicl-poison-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for name in ["libLLVM.so.22.1", "libLLVM-22.so.1", "libLLVM-22.so", "libstdc++.so.6", "libz.so.1", "libzstd.so.1"] {
        std::fs::write(folder.join(name), "not a library").unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    scenario("build-and-run", 30, |command| {
        // The application itself needs none of these.
        command.env("LD_LIBRARY_PATH", &folder);
    });
    std::fs::remove_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
}

#[test]
fn eight_descriptors_are_enough_to_build_and_fewer_are_told_of() {
    scenario("few-descriptors", 30, |_| ());
    let log = scenario("too-few-descriptors", 30, |_| ());
    assert!(log.contains("it takes 8 descriptors, of which this process may have 7"), "{log}");
}

#[test]
fn the_compiler_has_a_stack_of_its_own_and_the_log_says_what_its_start_needs() {
    scenario("small-stack-limit", 30, |_| ());
    let log = scenario("tiny-stack-limit", 30, |_| ());
    assert!(log.contains("the hard limit of this process is 32 KiB"), "{log}");
}

#[test]
fn a_large_source_builds_unless_the_user_allows_less_time() {
    let built = scenario("large-source", 300, |_| ());
    assert_eq!(built.trim(), "built");
    let log = scenario("large-source", 60, |command| {
        command.env("OXICL_BUILD_SECONDS", "1");
    });
    let words = "the build was stopped after 1 s of processor time; OXICL_BUILD_SECONDS raises it";
    assert!(log.contains(words) && log.contains("stage opencl_c"), "{log}");
}

#[test]
fn a_compiler_that_never_answers_fails_the_build() {
    let script = std::env::temp_dir().join(format!("oxicl-sleeps-{}", std::process::id()));
    std::fs::write(&script, "#!/bin/sh\nexec sleep 1000\n").unwrap_or_else(|error| panic!("a script: {error}"));
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o700))
        .unwrap_or_else(|error| panic!("a script: {error}"));
    let log = scenario("compiler-that-does-not-answer", 120, |command| {
        command.env("OXICL_COMPILER", &script);
    });
    std::fs::remove_file(&script).unwrap_or_else(|error| panic!("a script: {error}"));
    assert!(log.contains("given up 2 times, as it did not answer"), "{log}");
}

/// Runs a scenario with a compiler that can be told from others by its path, and brings a fault on itself.
fn with_own_compiler(name: &str, fault: &str) -> String {
    with_own_compiler_and(name, fault, |_| ())
}

/// The same, with what `prepare` sets.
fn with_own_compiler_and(name: &str, fault: &str, prepare: impl FnOnce(&mut Command)) -> String {
    let link = std::env::temp_dir().join(format!("oxicl-{name}-{}", std::process::id()));
    std::os::unix::fs::symlink(oxicl_tests::built_folder().join("oxicl-compiler"), &link)
        .unwrap_or_else(|error| panic!("a link: {error}"));
    let log = scenario(name, 240, |command| {
        command.env("OXICL_COMPILER", &link).env("OXICL_COMPILER_FAULT", fault);
        prepare(command);
    });
    std::fs::remove_file(&link).unwrap_or_else(|error| panic!("a link: {error}"));
    log
}

#[test]
fn a_compiler_that_is_stopped_is_replaced() {
    with_own_compiler("compiler-that-is-stopped", "victim:lower:burn:any");
}

#[test]
#[ignore = "long: a minute of patience"]
fn a_worker_that_is_stopped_ends_the_build() {
    let log = with_own_compiler("worker-that-is-stopped", "victim:lower:burn:any");
    assert!(log.contains("it stood still for 60 s, without using the processor"), "{log}");
}

#[test]
fn a_caller_with_flush_to_zero_and_a_small_stack_gets_denormals() {
    scenario("flush-to-zero-and-small-stack", 30, |_| ());
}

/// What a scenario printed behind a word and a colon.
fn said<'t>(text: &'t str, word: &str) -> &'t str {
    let line = text.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("no {word} in:\n{text}"))
}

#[test]
fn names_and_versions_show_which_library_it_is() {
    let text = scenario("tells-who-it-is", 30, |_| ());
    for word in ["platform", "platform vendor", "platform version", "device", "version"] {
        assert!(said(&text, word).contains("oxicl"), "{word}: {text}");
    }
    let driver = said(&text, "driver");
    let (version, build) = driver.split_once('+').unwrap_or_else(|| panic!("no build: {driver}"));
    assert!(version.split('.').count() >= 2 && version.split('.').all(|part| part.parse::<u32>().is_ok()), "{driver}");
    assert!(build.len() == 12 && build.bytes().all(|digit| digit.is_ascii_hexdigit()), "{driver}");
    assert!(said(&text, "version").ends_with(driver), "{text}");
}

#[test]
fn the_environment_gives_the_platform_and_its_device_other_names() {
    let text = scenario("tells-who-it-is", 30, |command| {
        command.envs([
            ("OXICL_PLATFORM_NAME", "A platform"),
            ("OXICL_DEVICE_NAME", "Intel(R) something"),
            ("OXICL_VENDOR", "Somebody"),
            ("OXICL_VENDOR_ID", "0x8086"),
            ("OXICL_DRIVER_VERSION", "7.4"),
        ]);
    });
    let expected = [
        ("platform", "A platform"),
        ("platform vendor", "Somebody"),
        ("device", "Intel(R) something"),
        ("vendor", "Somebody"),
        ("vendor id", "0x8086"),
        ("driver", "7.4"),
    ];
    for (word, value) in expected {
        assert_eq!(said(&text, word), value);
    }
    assert!(said(&text, "version").starts_with("OpenCL 3.1 oxicl "), "{text}");
}

#[test]
fn code_and_answers_are_those_of_the_processor_that_the_machine_is_taken_for() {
    let cache = std::env::temp_dir().join(format!("oxicl-processors-{}", std::process::id()));
    // One cache, so that code of one would be found for the other if the key did not tell them apart.
    let of = |cpu: &str| {
        scenario("tells-its-processor", 60, |command| {
            command.env("OXICL_CPU", cpu).env_remove("OXICL_CACHE").env("OXICL_CACHE_DIR", &cache);
        })
    };
    let (native, second, again) = (of("native"), of("x86-64-v2"), of("v2"));
    std::fs::remove_dir_all(&cache).expect("a cache was made");
    assert_eq!(second, again, "a level has a short name");
    for (word, value) in [("floats", "4"), ("sub-group", "4"), ("fast fma", "false")] {
        assert_eq!(said(&second, word), value);
    }
    assert!(said(&second, "device").ends_with("(oxicl, x86-64-v2)"), "{second}");
    assert!(said(&native, "device").ends_with("(oxicl)"), "{native}");
    assert_eq!(said(&native, "floats"), said(&native, "sub-group"), "sub-groups fill registers");
    assert_eq!(said(&second, "results"), said(&native, "results"));
    if std::arch::is_x86_feature_detected!("avx2") {
        assert_ne!(said(&native, "sub-group"), "4");
        assert_eq!(said(&of("x86-64-v2,+avx2"), "sub-group"), "8");
        let _ = std::fs::remove_dir_all(&cache);
    }
}

#[test]
fn a_processor_that_the_machine_cannot_do_as_is_ignored_and_told() {
    for (cpu, why) in [("z80", "`z80` is none of native"), ("core2", "`core2` has no sse4.1"), ("v2,+vliw", "`vliw`")] {
        let output = oxicl_tests::guest(env!("CARGO_BIN_EXE_oxicl-guest"), "tells-who-it-is")
            .envs([("OXICL_CPU", cpu), ("OXICL_LOG", "1")])
            .output()
            .unwrap_or_else(|error| panic!("{error}"));
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && log.contains(&format!("oxicl: OXICL_CPU is ignored: {why}")),
            "{cpu}:\n{log}"
        );
        assert!(said(&String::from_utf8_lossy(&output.stdout), "device").ends_with("(oxicl)"));
    }
}

#[test]
fn hidden_extensions_and_what_stands_on_them_are_gone_everywhere() {
    let all = scenario("lists-what-it-has", 60, |_| ());
    for (word, value) in [("a double", "builds"), ("no macro of doubles", "CL_BUILD_PROGRAM_FAILURE")] {
        assert_eq!(said(&all, word), value, "{all}");
    }
    assert_eq!([said(&all, "a float"), said(&all, "a module")], ["builds"; 2]);
    let less = scenario("lists-what-it-has", 60, |command| {
        command.env("OXICL_HIDE", "cl_khr_fp64, cl_khr_il_program,cl_khr_fp16,cl_khr_spirv_no_integer_wrap_decoration");
    });
    for list in ["platform extensions", "extensions", "extensions by version"] {
        let (all, less) = (said(&all, list).split(' '), said(&less, list));
        let gone: Vec<&str> = all.filter(|name| !less.split(' ').any(|kept| kept == *name)).collect();
        let hidden = [
            "cl_khr_fp16",
            "cl_khr_fp64",
            "cl_khr_il_program",
            "cl_khr_spirv_no_integer_wrap_decoration",
            "cl_khr_spirv_queries",
        ];
        assert_eq!(gone, hidden, "{list}");
    }
    assert!(said(&all, "features").contains("fp64"), "{all}");
    assert!(!said(&less, "features").contains("fp64"), "{less}");
    for (word, value) in [
        ("doubles", "0x0"),
        ("il", ""),
        ("a double", "CL_BUILD_PROGRAM_FAILURE"),
        ("no macro of doubles", "builds"),
        ("a float", "builds"),
        ("a packed half", "builds"),
        ("a module", "CL_INVALID_OPERATION"),
    ] {
        assert_eq!(said(&less, word), value, "{less}");
    }
}

#[test]
fn what_of_the_environment_is_not_understood_is_logged() {
    let output = oxicl_tests::guest(env!("CARGO_BIN_EXE_oxicl-guest"), "tells-who-it-is")
        .envs([("OXICL_HIDE", "cl_khr_fp46,cl_khr_icd"), ("OXICL_VENDOR_ID", "AMD"), ("OXICL_LOG", "1")])
        .output()
        .unwrap_or_else(|error| panic!("{error}"));
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}");
    for word in ["`cl_khr_fp46`", "`cl_khr_icd`", "OXICL_VENDOR_ID"] {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(word)).collect();
        assert!(lines.len() == 1 && lines[0].starts_with("oxicl: "), "{word}:\n{log}");
    }
}

#[test]
fn kernels_with_large_frames_have_the_stack_that_they_need_and_no_less() {
    scenario("deep-stacks", 120, |command| {
        command.env("OXICL_CHECK_STACKS", "on");
    });
}

#[test]
#[ignore = "long: 400 builds without a cache"]
fn builds_without_a_cache_leave_memory_flat() {
    print!("{}", scenario("many-builds", 600, |_| ()));
}

#[test]
#[ignore = "long: 10,000 builds"]
fn damaged_modules_are_refused_or_built_and_nothing_else() {
    print!("{}", scenario("build-mutants", 1200, |_| ()));
}
