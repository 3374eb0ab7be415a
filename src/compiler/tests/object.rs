//! From LLVM IR to code that runs: what `object` makes of what the code generator emits.
#![allow(unsafe_code, reason = "the tests call what they compiled")]

mod emitted;

use oxicl_abi::{GroupRecord, Image, LaunchRecord};

use emitted::compile;

/// Runs the image's only kernel on a context of 16 words, as 64-bit values.
fn run(image: &Image) -> [u64; 16] {
    let loaded = oxicl_load::load(image).expect("loads");
    let entry = loaded.entry(image.kernels[0].entry).expect("an entry");
    let mut context = [0_u64; 16];
    let group = GroupRecord { id: [3, 1, 0], ..GroupRecord::default() };
    // SAFETY: the test's IR writes inside the 16 words only.
    unsafe { entry(&LaunchRecord::default(), context.as_mut_ptr().cast(), &group) };
    context
}

const ENTRY: &str = "define hidden void @oxicl.entry.0(ptr %launch, ptr %context, ptr %group) nounwind";

/// Reads 3 and 1.
const READ: &str = "%three = load i64, ptr %group
    %behind = getelementptr i64, ptr %group, i64 1
    %one = load i64, ptr %behind
";

#[test]
fn constants_and_tables_of_addresses_are_found() {
    let text = format!(
        "@a = internal constant [4 x i64] [i64 10, i64 11, i64 12, i64 13]
         @b = internal constant [4 x i64] [i64 20, i64 21, i64 22, i64 23]
         @table = internal constant [2 x ptr] [ptr @a, ptr getelementptr (i8, ptr @b, i64 8)]
         {ENTRY} {{
           {READ}
           %s = getelementptr ptr, ptr @table, i64 %one
           %p = load ptr, ptr %s
           %v = load i64, ptr %p
           store i64 %v, ptr %context
           %q = getelementptr i64, ptr @a, i64 %three
           %w = load i64, ptr %q
           %d = getelementptr i64, ptr %context, i64 1
           store i64 %w, ptr %d
           ret void
         }}"
    );
    let image = compile(&text).expect("compiles");
    assert_eq!(image.fixups.len(), 2);
    assert_eq!(run(&image)[..2], [21, 13]);
}

#[test]
fn calls_of_functions_and_of_the_runtime_are_linked() {
    let text = format!(
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
         @a = internal constant [16 x i64] [i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8,
                                            i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15, i64 16]
         define internal void @copy(ptr %to, i64 %n) noinline nounwind {{
           call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr @a, i64 %n, i1 false)
           ret void
         }}
         {ENTRY} {{
           {READ}
           %n = mul i64 %three, 24
           call void @copy(ptr %context, i64 %n)
           ret void
         }}"
    );
    assert_eq!(run(&compile(&text).expect("compiles")), [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn what_no_kernel_reaches_is_left_out() {
    let small = compile(&format!("{ENTRY} {{ ret void }}")).expect("compiles");
    assert!(small.code.len() < 64, "{} bytes of code for an empty kernel", small.code.len());
    assert!(small.data.is_empty());
}

#[test]
fn jump_tables_work() {
    let cases: String = (0..12).map(|n| format!("i64 {n}, label %c{n}\n")).collect();
    let blocks: String =
        (0..12).map(|n| format!("c{n}:\n store volatile i64 {}, ptr %context\n br label %end\n", n * n + 7)).collect();
    let text = format!("{ENTRY} {{ {READ} switch i64 %three, label %end [ {cases} ]\n {blocks} end:\n ret void }}");
    assert_eq!(run(&compile(&text).expect("compiles"))[0], 16);
}

#[test]
fn undefined_symbols_and_writable_data_are_errors_by_name() {
    let undefined = format!("declare void @elsewhere()\n {ENTRY} {{ call void @elsewhere() ret void }}");
    let log = compile(&undefined).expect_err("undefined").to_string();
    assert!(log.contains("undefined symbol 'elsewhere'"), "{log}");
    let writable = format!("@state = internal global i64 5\n {ENTRY} {{ store volatile i64 1, ptr @state ret void }}");
    let log = compile(&writable).expect_err("writable").to_string();
    assert!(log.contains(".data is writable"), "{log}");
    let log = compile("define void @other() { ret void }").expect_err("no entry").to_string();
    assert!(log.contains("no function 'oxicl.entry.0'"), "{log}");
}
