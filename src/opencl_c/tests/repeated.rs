//! A process that compiles one source after another makes of each what a process makes that compiles nothing else.

mod apart;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use oxicl_protocol::{SourceOptions, SourceRequest, Standard};

fn request(text: String, standard: Standard, debug: bool) -> SourceRequest {
    let options = SourceOptions { standard: Some(standard), debug, ..SourceOptions::default() };
    SourceRequest { text: text.into(), options, folder: "/".into(), ..SourceRequest::default() }
}

/// Every kernel file of the repository.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        folder.read_dir().expect("a folder").map(|entry| entry.expect("one").path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            files(&path, found);
        } else if name.ends_with(".cl") {
            found.push(path);
        }
    }
}

/// A program whose functions, blocks, constants, types and uses of built-ins depend on a number.
fn program(n: usize) -> String {
    let mut text = String::new();
    for f in 0..1 + n % 5 {
        let vector = ["int", "float4", "uchar3", "long2", "short8"][(n + f) % 5];
        let _ = write!(
            text,
            "typedef struct {{ {vector} v; char c[{size}]; float f; }} s{f};
             s{f} make{f}({vector} v) {{ s{f} s = {{ v, {{ {n} }}, {f}.5f }}; return s; }}
             kernel void k{f}(global {vector} *a, global s{f} *b, local int *l, uint n, volatile global uint *u) {{
                 private s{f} s = make{f}(a[{n}]);
                 for (uint i = 0; i < n; ++i) {{
                     switch (i % {cases}) {{ {labels} default: a[i] = s.v; }}
                     if (i == {n}) {{ barrier(CLK_LOCAL_MEM_FENCE); l[i] = atomic_inc(l); }}
                     else u[i] = rotate(u[i], (uint)i) + popcount(u[i]) + atomic_max(u, i);
                 }}
                 b[get_global_id({axis})] = s;
             }}\n",
            size = 1 + n % 40,
            cases = 1 + n % 7,
            axis = n % 3,
            labels = (0..n % 7)
                .map(|case| format!("case {case}: a[i] = s.v + ({vector})({case}); break;"))
                .collect::<String>(),
        );
    }
    if n % 4 == 1 {
        text.push_str(
            "kernel void fences(global atomic_int *a) {
                 atomic_fetch_add_explicit(a, 1, memory_order_acq_rel, memory_scope_work_group);
                 atomic_store_explicit(a, 2, memory_order_release, memory_scope_device);
                 atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_all_svm_devices);
             }",
        );
    }
    if n % 4 == 3 {
        text.push_str("kernel void wrong(global int *a) { *a = undeclared; }");
    }
    if n % 6 == 2 {
        let _ = write!(
            text,
            "constant float table[] = {{ {n}, 2, 3 }}; global int *global place;
                             kernel void prints(int i) {{ printf(\"{n} %d %f\\n\", i, table[i]); *place = i; }}"
        );
    }
    text
}

#[test]
fn each_is_as_from_a_process_of_its_own() {
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), &mut found);
    assert!(found.len() > 20, "{found:?}");
    let text = |path: &PathBuf| std::fs::read_to_string(path).expect("text");
    let mut requests: Vec<SourceRequest> = found.iter().map(|path| request(text(path), Standard::C30, false)).collect();
    requests.extend((0..40).map(|n| request(program(n), Standard::C30, n % 8 == 5)));
    requests.push(request(
        "template <typename T> T two(T x) { return x + x; } kernel void k(global int *a) { *a = two(*a); }".into(),
        Standard::Cpp2021,
        false,
    ));
    for request in requests.iter_mut().step_by(2) {
        request.whole = true;
    }
    // Twice, in the opposite order the second time.
    let count = requests.len();
    let order: Vec<usize> = (0..count).chain((0..count).rev()).collect();
    let all: Vec<SourceRequest> = order.iter().map(|n| requests[*n].clone()).collect();
    let together = apart::one_by_one(&all);
    let alone: Vec<_> = requests.iter().map(apart::compile).collect();
    let good = alone.iter().filter(|result| result.is_ok()).count();
    assert!(good * 3 > count * 2 && good < count, "{good} of {count}");
    for ((result, request), n) in together.iter().zip(&all).zip(order) {
        assert!(result == &alone[n], "number {n} differs:\n{}", String::from_utf8_lossy(&request.text));
    }
}
