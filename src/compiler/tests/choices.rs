//! What the work-group compiler chooses for whole kernels of OpenCL C, read from its remarks. A choice depends on what the
//! target can do, so each test names its targets; the code is not run, and the host may be any x86-64.

mod client;

use oxicl_abi::{AlongY, KernelFacts};
use oxicl_compiler_client::Compiler;
use oxicl_protocol::{CompileOptions, CompileRequest, SourceOptions, SourceRequest, Standard};
use oxicl_target::Target;

/// A target with a name for messages.
struct Level {
    name: &'static str,
    target: Target,
}

fn level(name: &'static str) -> Level {
    Level { name, target: Target::named(name).expect(name) }
}

fn v3() -> Level {
    level("x86-64-v3")
}

fn v4() -> Level {
    level("x86-64-v4")
}

/// The compiler, which gives remarks on the kernel `k` of a source.
struct Chooser(Compiler);

impl Chooser {
    fn new() -> Chooser {
        Chooser(Compiler::new(client::settings()))
    }

    /// The remarks on a source of OpenCL C 1.2.
    fn remarks(&self, level: &Level, source: &str) -> String {
        self.remarks_with(level, source, false)
    }

    /// The same; `relaxed` is -cl-fast-relaxed-math.
    fn remarks_with(&self, level: &Level, source: &str, relaxed: bool) -> String {
        self.facts(level, source, relaxed).remarks.join("\n")
    }

    /// What is known of the kernel.
    fn facts(&self, level: &Level, source: &str, relaxed: bool) -> KernelFacts {
        let options =
            SourceOptions { standard: Some(Standard::C12), fast_relaxed_math: relaxed, ..SourceOptions::default() };
        let text = source.as_bytes().to_vec();
        let request = SourceRequest { text, folder: "/".into(), options, ..SourceRequest::default() };
        let spirv = self.0.compile_source(&request).expect("a module").spirv;
        let options = CompileOptions { verbose: true, fast_relaxed_math: relaxed, ..CompileOptions::default() };
        let request = CompileRequest {
            spirv,
            kernels: vec!["k".into()],
            options,
            target: level.target.clone(),
            ..CompileRequest::default()
        };
        let mut image = self.0.compile(&request).expect("an image").image;
        image.kernels.remove(0)
    }
}

/// What is said where work-items run one at a time by choice.
const ALONE: &str = "one work-item at a time: lanes do not pay";

fn runs_in_gangs(remarks: &str) -> bool {
    !remarks.contains(ALONE) && remarks.contains("gangs of ")
}

/// The estimated time of gangs, over that of work-items by themselves.
fn estimate(remarks: &str) -> f64 {
    let (_, behind) = remarks.split_once("estimated for gangs: ").expect("an estimate");
    behind.split(' ').next().and_then(|ratio| ratio.parse().ok()).expect("a number")
}

/// The estimated cycles of a work-item as it is compiled.
fn priced(remarks: &str) -> f64 {
    let (_, behind) = remarks.split_once("priced at ").expect("a price");
    behind.split(' ').next().and_then(|price| price.parse().ok()).expect("a number")
}

/// Work-items that each change bytes all over memory.
const WALK: &str = "kernel void k(global ulong *at, local ulong *table, global uchar *far) {
    size_t i = get_local_id(0);
    STORE
    FENCE
    ulong next = i == 0 ? table[PLACE] : i;
    for (ulong turn = 0; turn < 100; turn++) { far[next * turn] += turn; far[next * turn + 77] += next; }
    at[get_global_id(0)] = next;
}";

#[test]
fn work_items_that_read_what_others_write_without_a_barrier_run_in_lockstep() {
    let chooser = Chooser::new();
    let (each, first) = ("table[i] = at[get_global_id(0)];", "if (i < 3) table[0] = at[get_global_id(0)];");
    let all = "table[0] = at[get_global_id(0)];";
    let fence = "barrier(CLK_LOCAL_MEM_FENCE);";
    for level in [v3(), v4()] {
        let remarks = |store: &str, fence: &str, place: &str| {
            chooser.remarks(&level, &WALK.replace("STORE", store).replace("FENCE", fence).replace("PLACE", place))
        };
        for (store, fence, place) in [(each, fence, "3"), (each, "", "i"), (first, fence, "0"), (all, "", "0")] {
            let found = remarks(store, fence, place);
            assert!(found.contains(ALONE), "{}: {store} {fence} {place}: {found}", level.name);
        }
        // What the first work-item reads it has written by itself.
        let alone = "if (i == 0) for (int j = 1; j < 64; j++) table[at[j] & 63] = table[j - 1] + at[j];";
        for fence in [fence, ""] {
            let found = remarks(alone, fence, "3");
            assert!(found.contains(ALONE), "{}: {fence} {found}", level.name);
        }
        for (store, place) in [(each, "3"), (each, "0"), (first, "0"), (first, "i")] {
            let found = remarks(store, "", place);
            assert!(runs_in_gangs(&found), "{}: {store} {place}: {found}", level.name);
        }
    }
}

#[test]
fn work_items_that_cannot_know_when_their_search_ends_run_in_gangs() {
    let chooser = Chooser::new();
    // What is found decides where the search goes on, and when it ends.
    let search = "kernel void k(global int *at, global const int *in, global const int *wanted, int n) {
        size_t i = get_global_id(0);
        int from = 0, to = n;
        while (from < to) {
            int middle = (from + to) / 2;
            if (in[middle] < wanted[i]) from = middle + 1; else to = middle;
        }
        at[i] = from;
    }";
    let steps = "kernel void k(global uint *steps, ulong first) {
        size_t i = get_global_id(0);
        uint count = 0;
        for (ulong x = first + i; x != 1; count++) x = x & 1 ? 3 * x + 1 : x >> 1;
        steps[i] = count;
    }";
    for level in [v3(), v4()] {
        for source in [search, steps] {
            let found = chooser.remarks(&level, source);
            assert!(runs_in_gangs(&found), "{}: {source}: {found}", level.name);
        }
    }
    // Where a row ends is known before it begins, and the next work-item's row begins meanwhile.
    let rows = "kernel void k(global float *out, global const uint *ends, global const uint *columns, global const float *in) {
        size_t i = get_global_id(0);
        float sum = 0.0f;
        for (uint j = ends[i]; j < ends[i + 1]; ++j) sum += in[columns[j]];
        out[i] = sum;
    }";
    let found = chooser.remarks(&v3(), rows);
    assert!(found.contains(ALONE), "{found}");
}

#[test]
fn work_items_that_go_down_columns_side_by_side_run_in_gangs() {
    let chooser = Chooser::new();
    let remarks = |level: &Level, place: &str| {
        let source = "kernel void k(global const uchar *in, global uint *out, uint n) {
            uint i = get_global_id(0), bins[16] = {0}, sum = 0;
            for (uint turn = 0; turn < n; ++turn) bins[in[PLACE] & 15]++;
            for (uint bin = 0; bin < 16; ++bin) sum += bins[bin] * bin;
            out[i] = sum;
        }";
        chooser.remarks(level, &source.replace("PLACE", place))
    };
    // On x86-64-v3 private arrays that lanes index apart cost about what gangs save.
    for column in ["turn * get_global_size(0) + i", "(turn << 10) + i", "i + 640 - turn * 64"] {
        let found = remarks(&v4(), column);
        assert!(runs_in_gangs(&found) && found.contains("lanes interleaved by 4 bytes"), "{column}: {found}");
    }
    // The next number of the line each turn, up or down, is no column.
    let mut different = false;
    for (column, slide) in [("i + turn * 64", "i + turn"), ("i + 640 - turn * 64", "i + 640 - turn")] {
        for level in [v3(), v4()] {
            let [column, slide] = [column, slide].map(|place| estimate(&remarks(&level, place)));
            // To two digits.
            assert!(column <= slide, "{}: {column} {slide}", level.name);
            different |= column < slide;
        }
    }
    assert!(different);
}

#[test]
fn work_items_that_all_do_the_same_run_one_at_a_time() {
    let chooser = Chooser::new();
    for level in [v3(), v4()] {
        let remarks = |first: &str| {
            let source = "kernel void k(global const int *in, global int *out, int n) {
                int first = FIRST, sum = 0;
                for (int i = 0; i < n; ++i) sum += in[first * n + i] * i;
                out[first] = sum;
            }";
            chooser.remarks(&level, &source.replace("FIRST", first))
        };
        for same in ["0", "get_group_id(0)", "get_group_id(0) * get_local_size(0)"] {
            let found = remarks(same);
            assert!(found.contains("lanes would all do the same"), "{}: {same}: {found}", level.name);
        }
        let found = remarks("get_global_id(0)");
        assert!(!found.contains("the same"), "{}: {found}", level.name);
    }
}

#[test]
fn loops_along_rows_are_left_to_llvm_unless_they_wait_for_their_own_results() {
    let chooser = Chooser::new();
    let source = "constant uint table[256] = {1, 2, 3};
        kernel void k(global const DATA *in, global const DATA *other, global DATA *out, int n) {
            int i = get_global_id(0);
            SUM s = 0;
            for (int turn = 0; turn < n; turn++) TURN
            out[i] = s;
        }";
    let bytes = source.replace("DATA", "char").replace("SUM", "uint");
    let floats = source.replace("DATA", "float").replace("SUM", "float");
    let product = "s += in[i * n + turn] * other[turn];";
    for level in [v3(), v4()] {
        for (source, turn, relaxed) in
            [(&bytes, product, false), (&floats, product, true), (&bytes, "s = max(s, (uint)in[i * n + turn]);", false)]
        {
            let found = chooser.remarks_with(&level, &source.replace("TURN", turn), relaxed);
            assert!(found.contains(ALONE), "{}: {turn}: {found}", level.name);
        }
        // Sums in this order, and chains, are taken one after the other.
        for (source, turn) in [
            (&floats, product),
            (&bytes, "s = (s ^ (uchar)in[i * n + turn]) * 16777619u;"),
            (&bytes, "s = table[(s ^ in[i * n + turn]) & 255] ^ (s >> 8);"),
        ] {
            let found = chooser.remarks(&level, &source.replace("TURN", turn));
            assert!(runs_in_gangs(&found), "{}: {turn}: {found}", level.name);
        }
    }
    // Lanes share a number and are side by side in the other, but longs fill few lanes of AVX2.
    let longs = source.replace("DATA", "short").replace("SUM", "long");
    let square = "{ long apart = in[turn] - in[turn + i]; s += apart * apart; }";
    let found = chooser.remarks(&v3(), &longs.replace("TURN", square));
    assert!(found.contains(ALONE), "{found}");
}

#[test]
fn guards_by_place_change_no_estimate() {
    let chooser = Chooser::new();
    let source =
        "kernel void k(global const float *in, global const float *other, global float *out, int rows, int n) {
        int i = get_global_id(0);
        GUARD
        float s = 0;
        for (int j = 0; j < n; j++) s += in[i * n + j] * other[j];
        out[i] = s;
    }";
    for level in [v3(), v4()] {
        let of = |guard: &str| estimate(&chooser.remarks(&level, &source.replace("GUARD", guard)));
        let plain = of("");
        for guard in ["if (i >= rows) return;", "if (i < 1 || i >= rows - 1) return;"] {
            assert!((of(guard) / plain - 1.0).abs() < 0.1, "{}: {guard}: {} and {plain}", level.name, of(guard));
        }
    }
}

#[test]
fn more_sides_of_a_switch_speak_against_gangs() {
    let chooser = Chooser::new();
    let terms = ["x + y", "y - x", "x - y", "-x - y", "x + z", "z - x", "x - z", "-x - z"];
    let source = |sides: usize| {
        let side = |(number, term): (usize, &&str)| format!("case {number}: s += {term}; break;");
        let cases: Vec<_> = terms[..sides].iter().enumerate().map(side).collect();
        format!(
            "kernel void k(global const uint *in, global float *out, float x, float y, float z) {{
                int i = get_global_id(0);
                uint h = in[i];
                float s = 0;
                for (int turn = 0; turn < 8; turn++, h >>= 4) switch (h & {}) {{ {} }}
                out[i] = s;
            }}",
            sides - 1,
            cases.join(" ")
        )
    };
    for level in [v3(), v4()] {
        let [few, many] = [2, 8].map(|sides| estimate(&chooser.remarks(&level, &source(sides))));
        assert!(many > few, "{}: {many} and {few}", level.name);
    }
}

#[test]
fn records_are_loaded_and_stored_whole() {
    let chooser = Chooser::new();
    let source = "kernel void k(global const float *in, global float *out) {
        int i = get_global_id(0);
        float v[8];
        for (int n = 0; n < 8; n++) v[n] = in[i * 8 + n];
        for (int n = 0; n < 7; n++) for (int m = 0; m < 7 - n; m++)
            if (v[m] > v[m + 1]) { float t = v[m]; v[m] = v[m + 1]; v[m + 1] = t; }
        for (int n = 0; n < 8; n++) out[i * 8 + n] = v[n];
    }";
    for level in [v3(), v4()] {
        let found = chooser.remarks(&level, source);
        assert!(runs_in_gangs(&found) && found.contains(" 0 accesses are each lane's own"), "{found}");
    }
}

#[test]
fn large_angles_keep_no_function_from_gangs() {
    let chooser = Chooser::new();
    // Large angles are reduced by a table that each lane reads at a place of its own.
    let source = "kernel void k(global const float *in, global float *out) {
        int i = get_global_id(0);
        out[i] = FUNCTION(in[i]);
    }";
    for level in [v3(), v4()] {
        for function in ["sin", "cos", "tan"] {
            let found = chooser.remarks(&level, &source.replace("FUNCTION", function));
            assert!(runs_in_gangs(&found), "{}: {function}: {found}", level.name);
        }
    }
}

#[test]
fn arrays_that_are_accessed_along_y_are_seen() {
    let chooser = Chooser::new();
    let along_y = |body: &str| {
        let source = format!(
            "#define X get_global_id(0)
             #define Y get_global_id(1)
             kernel void k(global float *a, global const float *b, global const int *places, uint w, uint h) {{
                 local float tile[16][17];
                 uint x = X, y = Y, lx = get_local_id(0), ly = get_local_id(1);
                 {body}
             }}"
        );
        chooser.facts(&v3(), &source, false).style.along_y
    };
    let transposed = [
        "a[y * w + x] = b[x * h + y];",
        "a[x * h + y] = b[y * w + x];",
        "a[y * w + x] = b[(x << 12) + y];",
        "a[y * w + x] = b[(w - 1 - x) * h + min(y, h - 1)];",
        "for (uint i = 0; i < 4; ++i) a[(y + i) * w + x] = b[x * h + y + i];",
        "tile[ly][lx] = b[y * w + x]; barrier(CLK_LOCAL_MEM_FENCE);
         a[(get_group_id(0) * 16 + ly) * h + get_group_id(1) * 16 + lx] = tile[lx][ly];",
        "tile[ly][lx] = b[y * w + x]; barrier(CLK_LOCAL_MEM_FENCE);
         a[(get_group_id(0) * get_local_size(0) + ly) * h + get_group_id(1) * get_local_size(1) + lx] = tile[lx][ly];",
        "uint side = get_local_size(0); a[y * w + x] = b[(get_group_id(0) * side + lx) * h + get_group_id(1) * side + ly];",
    ];
    for body in transposed {
        assert_ne!(along_y(body), AlongY::Nothing, "{body}");
    }
    assert_eq!(along_y("a[y * w + x] = b[x * h + y];"), AlongY::Loads(4));
    assert_eq!(along_y("a[x * h + y] = b[(x * h + y) * 20];"), AlongY::Loads(80));
    assert_eq!(along_y("a[x * h + y] = b[y * w + x];"), AlongY::Stores);
    let others = [
        "a[y * w + x] = b[y * w + x] + b[(y + 1) * w + x];",
        "a[y * w + x] = b[y * w + 4 * x];",
        "a[x] = b[x * h];",
        "float sum = 0; for (uint i = 0; i < w; ++i) sum += b[x * w + i]; a[y * w + x] = sum;",
        "a[y * w + x] = b[places[x] * h + y];",
        "a[y * w + x] = b[(y * w + x) * 20];",
        "float own[40]; for (uint i = 0; i < 40; ++i) own[i] = b[i]; a[y * w + x] = own[(x * 16 + y) % 40];",
    ];
    for body in others {
        assert_eq!(along_y(body), AlongY::Nothing, "{body}");
    }
}

#[test]
fn vectors_in_aos_layout_are_stored_to_interleaved_private_objects() {
    let chooser = Chooser::new();
    let source = "kernel void k(global uint *out) {
        uint y = out[get_global_id(0)], d = 0;
        if (y & 2u) {
            struct { ulong2 v[3]; ulong2 c; } s = {{1, 2, 3}, 5}, t = s;
            for (uint j = 0u; j < 3u; ++j) s.v[j] = t.v[j] | (ulong2)((ulong)j);
            if (y & 1u) s = t;
            s.c ^= t.v[y % 3u];
            t.c = s.v[1];
            for (uint j = 0u; j < 3u; ++j) d = d * 3u + (uint)s.v[j].s1;
            d ^= (uint)t.v[y % 3u].s1 + (uint)s.c.s1;
        }
        out[get_global_id(0)] = d;
    }";
    for level in [v3(), v4()] {
        let found = chooser.remarks(&level, source);
        assert!(runs_in_gangs(&found) && found.contains("kept in AoS layout"), "{}: {found}", level.name);
    }
}

#[test]
fn loops_that_end_by_numbers_that_were_loaded_keep_the_last_lane_long() {
    let chooser = Chooser::new();
    let source =
        "kernel void k(global const uint *lengths, global const float *reals, global uchar *bytes, global uint *out) {
        size_t i = get_global_id(0);
        uint s = out[i], t = s * 3, count = COUNT;
        for (uint j = 0; j < count; j++) {
            s = s * 31 + bytes[(s >> 7) & 65535];
            bytes[s & 65535] = t;
            t = t * 5 + bytes[(s >> 9) & 65535];
        }
        out[i] = s + t;
    }";
    for level in [v3(), v4()] {
        let of = |count: &str| estimate(&chooser.remarks(&level, &source.replace("COUNT", count)));
        let loaded = of("lengths[i]");
        // Blocks of a size, and floats, say less of how far apart lanes end.
        for other in ["min(lengths[i], 640u)", "(uint)reals[i]"] {
            assert!(loaded > 1.15 * of(other), "{}: {other}: {} and {loaded}", level.name, of(other));
        }
    }
}

#[test]
fn loops_that_go_on_while_numbers_are_equal_are_short() {
    let chooser = Chooser::new();
    let source = "kernel void k(global const uchar *bytes, global uint *out, uint limit, int n) {
        size_t i = get_global_id(0);
        uint at = out[i], state = at | 1;
        for (int j = 0; j < n; j++) {
            while (LOOP;
            out[i + j * 4096] = at ^ state;
            state = state * 77 >> 20;
        }
    }";
    let equal = ["bytes[at] == 32) at++", "bytes[at++] & 128) state++", "(char)bytes[at] < 0) at += 3"];
    let (unequal, shifted) = ("bytes[at] != 32) at++", "state < LIMIT) state = state << 8 | bytes[at++ & 4095]");
    for level in [v3(), v4()] {
        let price = |text: &str| priced(&chooser.remarks(&level, &source.replace("LOOP", text)));
        let long = price(unequal);
        for text in equal {
            assert!(price(text) < 0.7 * long, "{}: {text}: {} and {long}", level.name, price(text));
        }
        // At most two bytes go in below 32768. Below a limit that is not known, nothing says how many.
        let [short, long] = ["32768", "limit"].map(|limit| price(&shifted.replace("LIMIT", limit)));
        assert!(short < 0.7 * long, "{}: {short} and {long}", level.name);
    }
}

#[test]
fn values_that_stay_the_same_in_a_loop_leave_their_registers_to_those_that_change() {
    let chooser = Chooser::new();
    // Each iteration waits eight times for the one sum. More lanes have more sums, and no registers for the factors.
    let source = "kernel void k(global const float *x, global float *out, constant float *w, int n) {
        int i = get_global_id(0);
        float a = x[i], b = x[i + 4096], c = x[i + 8192], d = x[i + 12288];
        float e = x[i + 16384], f = x[i + 20480], g = x[i + 24576], h = x[i + 28672], s = 0;
        for (int k = 0; k < n; k++)
            s = fma(fma(fma(fma(w[k], a, s * b), c, d), e, f), g, h);
        out[i] = s;
    }";
    for level in [v3(), v4()] {
        let facts = chooser.facts(&level, source, false);
        let register = level.target.vectors.lanes();
        assert!(facts.lanes >= 4 * register, "{}: {:?}", level.name, facts.remarks);
    }
}

#[test]
fn loops_are_left_by_one_of_their_exits() {
    let chooser = Chooser::new();
    let source = "kernel void k(global const uchar *a, global uchar *b, global const uint *at) {
        uint i = at[get_global_id(0)];
        while (a[i] < 200 JOIN b[i] < 100) { i = i * 5 + 3; b[i * 3] = i; b[i * 7] = i; b[i * 9] = i; }
        b[i * 11] = i;
    }";
    for level in [v3(), v4()] {
        let [one, two] = ["&", "&&"].map(|join| {
            let found = chooser.remarks(&level, &source.replace("JOIN", join));
            assert!(found.contains(ALONE), "{}: {join}: {found}", level.name);
            priced(&found)
        });
        // A processor guesses wrong once in a while, however many exits there are.
        assert!(two < 1.05 * one, "{}: {one} and {two}", level.name);
    }
}

#[test]
fn work_groups_that_each_work_on_a_row_have_long_rows_themselves() {
    let chooser = Chooser::new();
    let source = "kernel void k(global const uchar *in, global uchar *out, local uchar *part, int n) {
        int l = get_local_id(0), row = ROW;
        uchar s = 0;
        for (int i = l; i < n; i += 256) s += in[row * n + i] & 15;
        part[l] = s;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[row * 256 + l] = part[l] + part[l ^ 1];
    }";
    for level in [v3(), v4()] {
        let remarks = |row: &str| chooser.remarks(&level, &source.replace("ROW", row));
        let (by_group, by_item) = (remarks("get_group_id(1)"), remarks("get_global_id(1)"));
        assert!(by_group.contains("gangs of 64"), "{}: {by_group}", level.name);
        assert!(by_item.contains("gangs of 16"), "{}: {by_item}", level.name);
    }
}

#[test]
fn atomic_operations_cost_less_the_fewer_work_items_come_to_them() {
    let chooser = Chooser::new();
    let conditions = ["a[i] < b[i]", "a[i + n] < b[i + n]", "a[i + 2 * n] < b[i + 2 * n]"];
    let source = |depth: usize| {
        let open: String = conditions[..depth].iter().map(|condition| format!("if ({condition}) {{ ")).collect();
        format!(
            "kernel void k(global const int *a, global const int *b, global int *bins, global float *out, int n) {{
                size_t i = get_global_id(0);
                float x = out[i];
                for (int j = 0; j < 16; j++) x = x * x + 0.5f;
                out[i] = x;
                {open} atomic_inc(&bins[as_int(x) & 1023]); {}
            }}",
            "}".repeat(depth)
        )
    };
    for level in [v3(), v4()] {
        let estimates = [0, 1, 2, 3].map(|depth| estimate(&chooser.remarks(&level, &source(depth))));
        let fall = estimates.windows(2).all(|pair| pair[1] < 0.9 * pair[0]);
        assert!(fall, "{}: {estimates:?}", level.name);
    }
}

#[test]
fn rows_and_private_objects_cost_no_more_where_gathers_are_fast() {
    let chooser = Chooser::new();
    let source = "kernel void k(global const float *in, global const float *other, global float *out, int n) {
        int i = get_global_id(0);
        float s = 0;
        for (int j = 0; j < n; j++) s += in[PLACE] * other[j];
        out[i] = s;
    }";
    let private = "kernel void k(global const uchar *in, global uint *out, uint n) {
        uint i = get_global_id(0), bins[64], sum = 0;
        for (uint bin = 0; bin < 64; bin++) bins[bin] = out[i + bin * 64];
        for (uint turn = 0; turn < n; ++turn) sum += bins[(in[turn * get_global_size(0) + i] + sum) & 63];
        out[i] = sum;
    }";
    let [fast, slow] = [level("sapphirerapids"), v4()].map(|level| {
        let remarks = |source: &str| {
            let found = chooser.remarks(&level, source);
            assert!(runs_in_gangs(&found), "{}: {source}: {found}", level.name);
            found
        };
        let [rows, apart] =
            ["i * n + j", "(i * 77 + j * 55) & 65535"].map(|place| estimate(&remarks(&source.replace("PLACE", place))));
        (rows, apart, priced(&remarks(private)))
    });
    assert!(fast.0 < slow.0, "{fast:?} and {slow:?}");
    // The address of a row advances, while another one is computed anew.
    assert!(fast.0 <= fast.1, "{fast:?}");
    assert!(fast.2 < 0.8 * slow.2, "{fast:?} and {slow:?}");
}
