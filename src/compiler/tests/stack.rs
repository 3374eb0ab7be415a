//! What stack a kernel is said to take, against how deep it goes on a stack that was filled before.
#![allow(unsafe_code, reason = "the tests call what they compiled, on stacks of their own")]
#![cfg(target_arch = "x86_64")]

mod emitted;

use std::arch::asm;
use std::fmt::Write as _;

use oxicl_abi::{GroupRecord, Image, LaunchRecord};

use emitted::compile;

const ENTRY: &str = "define hidden void @oxicl.entry.0(ptr %launch, ptr %context, ptr %group) nounwind";

/// A word that no test writes.
const UNTOUCHED: u64 = 0x0123_4567_89ab_cdef;

/// Runs the image's only kernel on a stack that has a little more than it is said to need. Gives what it used
/// of that.
fn run(image: &Image, context: &mut [u64]) -> Vec<u64> {
    const MORE: usize = 1 << 15;
    let loaded = oxicl_load::load(image).expect("loads");
    let entry = loaded.entry(image.kernels[0].entry).expect("an entry");
    let mut stack = vec![UNTOUCHED; image.kernels[0].stack_bytes as usize / 8 + MORE];
    let end = stack.as_mut_ptr_range().end.map_addr(|address| address & !15);
    let (launch, group) = (LaunchRecord::default(), GroupRecord::default());
    // SAFETY: the kernel writes inside its context only, and `end` is the end of a stack that is large enough and aligned as
    // the ABI asks. The old stack pointer survives in r12, which the callee preserves.
    unsafe {
        asm!(
            "mov r12, rsp",
            "mov rsp, r13",
            "call r14",
            "mov rsp, r12",
            in("rdi") &raw const launch,
            in("rsi") context.as_mut_ptr(),
            in("rdx") &raw const group,
            in("r14") entry as usize,
            inout("r13") end => _,
            out("r12") _,
            clobber_abi("sysv64"),
        );
    }
    let untouched = stack.iter().take_while(|word| **word == UNTOUCHED).count();
    let end = (end.addr() - stack.as_ptr().addr()) / 8;
    stack[untouched..end].to_vec()
}

/// Runs a kernel, and holds what it used against what it is said to take. That is no less, and not much more.
fn held(text: &str, context: Vec<u64>) -> (u64, Vec<u64>) {
    held_but(512, text, context)
}

/// The same, where as many bytes may be for ways that are not taken.
fn held_but(spare: u64, text: &str, mut context: Vec<u64>) -> (u64, Vec<u64>) {
    let image = compile(text).expect("compiles");
    let said = image.kernels[0].stack_bytes;
    let used = 8 * run(&image, &mut context).len() as u64;
    assert!(used <= said, "{used} bytes of stack were used, and {said} are said to be");
    assert!(said <= used + spare, "{used} bytes of stack were used, and as many as {said} are said to be");
    (said, context)
}

#[test]
fn values_that_registers_have_no_room_for_count() {
    const VALUES: usize = 1000;
    let mut body = String::new();
    for n in 0..VALUES {
        let _ =
            writeln!(body, "%p{n} = getelementptr i64, ptr %context, i64 {n}\n%v{n} = load volatile i64, ptr %p{n}");
    }
    for n in 0..VALUES {
        let _ = writeln!(body, "%w{n} = mul i64 %v{n}, {}\nstore volatile i64 %w{n}, ptr %p{}", n + 3, VALUES - 1 - n);
    }
    let (said, context) = held(&format!("{ENTRY} {{\n{body}ret void }}"), (1..=VALUES as u64).collect());
    assert!(said > 7000, "{said}");
    assert!((0..VALUES).all(|n| context[VALUES - 1 - n] == (n as u64 + 1) * (n as u64 + 3)));
}

/// A function that takes `words` words by value, does something with them, and passes them on to `callee`.
fn passes_on(name: &str, words: u64, callee: &str) -> String {
    format!(
        "define internal void @{name}(ptr byval([{words} x i64]) align 8 %x, ptr %out) noinline nounwind {{
           %last = getelementptr i64, ptr %x, i64 {}
           %v = load i64, ptr %last
           %w = add i64 %v, 1
           store volatile i64 %w, ptr %last
           call void @{callee}(ptr byval([{words} x i64]) align 8 %x, ptr %out)
           ret void
         }}",
        words - 1
    )
}

#[test]
fn what_is_passed_by_value_counts_at_each_call() {
    const WORDS: u64 = 1024;
    let text = format!(
        "{} {} {} define internal void @d(ptr byval([{WORDS} x i64]) align 8 %x, ptr %out) noinline nounwind {{
           %last = getelementptr i64, ptr %x, i64 {}
           %v = load i64, ptr %last
           store i64 %v, ptr %out
           ret void
         }}
         {ENTRY} {{
           call void @a(ptr byval([{WORDS} x i64]) align 8 %context, ptr %context)
           ret void
         }}",
        passes_on("a", WORDS, "b"),
        passes_on("b", WORDS, "c"),
        passes_on("c", WORDS, "d"),
        WORDS - 1
    );
    let (said, context) = held(&text, (0..WORDS).collect());
    assert!(said > 4 * WORDS * 8, "{said}");
    assert_eq!(context[0], WORDS - 1 + 3);
    assert_eq!(context[1023], WORDS - 1, "the callee's is a copy");
}

#[test]
fn frames_of_vectors_that_are_aligned_count_with_what_that_takes() {
    let text = format!(
        "define internal void @leaf(ptr %out) noinline nounwind {{
           %a = alloca [64 x <16 x i32>], align 128
           %at = getelementptr i64, ptr %a, i64 5
           store volatile i64 7, ptr %at
           store volatile i64 8, ptr %a
           %v = load volatile i64, ptr %at
           store i64 %v, ptr %out
           ret void
         }}
         {ENTRY} {{ call void @leaf(ptr %context) ret void }}"
    );
    assert_eq!(held(&text, vec![0; 4]).1[0], 7);
}

#[test]
fn functions_of_the_runtime_count() {
    let copy = |bytes: &str| {
        let text = format!(
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
             {ENTRY} {{
               %bytes = load volatile i64, ptr %context
               %to = getelementptr i64, ptr %context, i64 1
               %from = getelementptr i64, ptr %context, i64 3
               call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 {bytes}, i1 false)
               ret void
             }}"
        );
        held(&text, vec![16, 0, 0, 5, 6])
    };
    let ((inline, one), (called, other)) = (copy("16"), copy("%bytes"));
    assert_eq!((&one[1..3], &other[1..3]), (&[5, 6][..], &[5, 6][..]));
    assert!(called > inline, "{called} and {inline}");
}

/// A kernel that calls a function with a frame of so many words, of which that writes the first and the last.
fn large(words: u64) -> String {
    format!(
        "{ENTRY} {{ call void @callee(ptr %context) ret void }}
         define internal void @callee(ptr %context) noinline nounwind {{
           %a = alloca [{words} x i64]
           %last = getelementptr i64, ptr %a, i64 {}
           store volatile i64 11, ptr %a
           store volatile i64 12, ptr %last
           %one = load volatile i64, ptr %a
           %two = load volatile i64, ptr %last
           %sum = add i64 %one, %two
           store i64 %sum, ptr %context
           ret void
         }}",
        words - 1
    )
}

#[test]
fn frames_of_megabytes_are_touched_from_the_top_down() {
    /// `movq $0, (%rsp)`, or the same in a loop.
    const PROBE: [u8; 8] = [0x48, 0xc7, 0x04, 0x24, 0, 0, 0, 0];
    let probes = |image: &Image| image.code.windows(PROBE.len()).filter(|code| *code == PROBE).count();
    for (bytes, least, most) in
        [(4 << 10, 0, 0), (30 << 10, 0, 0), (40 << 10, 1, 1), (140 << 10, 4, 4), (3 << 20, 1, 8)]
    {
        let text = large(bytes / 8);
        let (said, context) = held(&text, vec![0]);
        assert!((bytes..bytes + 512).contains(&said));
        assert_eq!(context[0], 23);
        let image = compile(&text).expect("compiles");
        let probes = probes(&image);
        assert!((least..=most).contains(&probes), "{probes} probes in a frame of {bytes} bytes");
    }
    // What lies below a stack is inaccessible for 64 KiB, which has to be touched by what does not fit.
    let image = compile(&large(3 << 17)).expect("compiles");
    let frame = run(&image, &mut [0]);
    let is_touched = |words: &[u64]| words.iter().any(|word| *word != UNTOUCHED);
    assert!(frame.chunks(64 << 7).all(is_touched), "64 KiB of a frame are skipped");
}

#[test]
fn what_no_stack_is_enough_for_does_not_build() {
    let again = format!(
        "define internal i64 @again(i64 %n) noinline nounwind {{
           %stop = icmp eq i64 %n, 0
           br i1 %stop, label %end, label %more
         more:
           %less = sub i64 %n, 1
           %below = call i64 @again(i64 %less)
           %sum = mul i64 %below, %n
           ret i64 %sum
         end:
           ret i64 1
         }}
         {ENTRY} {{
           %n = load i64, ptr %context
           %v = call i64 @again(i64 %n)
           store i64 %v, ptr %context
           ret void
         }}"
    );
    let log = compile(&again).expect_err("calls itself").to_string();
    assert!(log.contains("kernel k: function 'again' calls itself"), "{log}");
    let grows = format!(
        "{ENTRY} {{
           %n = load i64, ptr %context
           %a = alloca i64, i64 %n
           store volatile i64 5, ptr %a
           ret void
         }}"
    );
    let log = compile(&grows).expect_err("grows").to_string();
    assert!(log.contains("kernel k: function 'oxicl.entry.0' has a frame of no fixed size"), "{log}");
    let log = compile(&large(5 << 26)).expect_err("too large").to_string();
    assert!(log.contains("bytes of stack, of which a kernel can have at most 2147483647"), "{log}");
}

/// What stands for an image of four columns and two rows of colours of 16-bit numbers, in front of its texels.
fn texels() -> Vec<u64> {
    const RGBA: u64 = 0x10b5;
    const UNORM_INT16: u64 = 0x10d3;
    const BYTES: u64 = 8;
    let head = [0, 4 * BYTES, 8 * BYTES, 4 | 2 << 32, 1 | 1 << 32, RGBA | UNORM_INT16 << 32, BYTES | 1 << 32];
    // 0x3333 is 0.2 of the largest number.
    head.into_iter().chain(std::iter::repeat_n(0x3333_3333_3333_3333, 8)).chain([0; 32]).collect()
}

/// A kernel that reads of that image by a function that is compiled apart.
fn reads(function: &str, result: &str, parameters: &str, arguments: &str, store: &str) -> String {
    format!(
        "declare {result} @\"{function}\"(ptr addrspace(2), i64, {parameters})
         {ENTRY} {{
           %texels = getelementptr i64, ptr %context, i64 7
           %base = ptrtoint ptr %texels to i64
           store i64 %base, ptr %context
           %image = addrspacecast ptr %context to ptr addrspace(2)
           %out = getelementptr i64, ptr %context, i64 15
           %v = call {result} @\"{function}\"(ptr addrspace(2) %image, i64 32, {arguments})
           {store}
           ret void
         }}"
    )
}

#[test]
fn functions_that_are_compiled_apart_count() {
    const ANY: &str = "oxicl.image_any_2d.f32";
    let floats = |context: &[u64], count: usize| {
        let words = context[15..].iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]);
        words.take(count).map(f32::from_bits).collect::<Vec<_>>()
    };
    let x = "float 1.0, float 1.0, float 0.0";
    let one = reads(ANY, "<4 x float>", "float, float, float", x, "store <4 x float> %v, ptr %out, align 8");
    let (said, context) = held_but(1024, &one, texels());
    assert_eq!(floats(&context, 5), [0.2, 0.2, 0.2, 0.2, 0.0]);
    let gang = reads(
        &format!("{ANY}.gang16.bits.same.same.each.same.same"),
        "{<16 x float>, <16 x float>, <16 x float>, <16 x float>}",
        "<16 x float>, float, float, i16",
        "<16 x float> splat (float 1.0), float 1.0, float 0.0, i16 -1",
        "%red = extractvalue {<16 x float>, <16 x float>, <16 x float>, <16 x float>} %v, 0
         store <16 x float> %red, ptr %out, align 8",
    );
    let (of_gang, context) = held_but(1024, &gang, texels());
    assert_eq!(floats(&context, 17), [[0.2; 16].as_slice(), &[0.0]].concat());
    assert!(of_gang > said + 2000, "{of_gang} for sixteen lanes, {said} for one");
}

#[test]
fn what_the_device_library_has_not_is_refused_by_name() {
    for (name, why) in [
        ("oxicl.image_texel.f64", "the device library has no function 'oxicl.image_texel.f64'"),
        ("oxicl.image_pick_2d.f32", "the device library has no function 'oxicl.image_pick_2d.f32'"),
        ("oxicl.image_texel.f32.gang16.words.same.same.same", "has no function 'oxicl.image_texel.f32.gang16.words."),
        ("oxicl.image_texel.f32.gang16.bits.same", "there can be no oxicl.image_texel.f32.gang16.bits.same"),
        ("oxicl.texel.f32", "undefined symbol 'oxicl.texel.f32'"),
    ] {
        let text = format!("declare void @\"{name}\"() {ENTRY} {{ call void @\"{name}\"() ret void }}");
        let log = compile(&text).expect_err(name).to_string();
        assert!(log.contains(why), "{name}: {log}");
    }
}
