//! Blocks of statements on values of other types than uint, which end as bits in a variable of type uint.
//!
//! Functions are those whose results are exact. A NaN is one number, whatever its bits: they are left open.

use crate::expression::{ASSIGNABLE, varying};
use crate::random::Random;

/// What stands before the kernel.
pub(crate) const PRELUDE: &[&str] = &[
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable",
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable",
    "#define BITS_half(x) (isnan(x) ? 0x7e00u : (uint)as_ushort(x))",
    "#define BITS_float(x) (isnan(x) ? 0x7fc00000u : as_uint(x))",
    "#define BITS_double(x) (isnan(x) ? 0x7ff80000u : (uint)(as_ulong(x) ^ (as_ulong(x) >> 32)))",
    "#define BITS_int(x) ((uint)((ulong)(x) ^ ((ulong)(x) >> 32)))",
    "typedef struct { uchar tag; uint words[3]; ushort2 pair; ulong wide; } record;",
    "record changed(record r, uint by) { r.words[by % 3u] ^= by; r.pair.y += (ushort)by; r.wide = r.wide * 3u + by; return r; }",
    "constant uchar TABLE_8[16] = { 7, 2, 250, 4, 9, 0, 11, 5, 14, 3, 8, 1, 15, 6, 12, 10 };",
    "constant ushort TABLE_16[19] = { 9, 80, 700, 6000, 50000, 4, 33, 222, 1111, 0, 1, 22, 333, 4444, 55555, 6, 77, 888, 9999 };",
    "constant float TABLE_F[9] = { 0.5f, -1, 2, 1e9f, 3, -4, 5, 1e-9f, 7 };",
    "constant double TABLE_D[5] = { 1, 2, -3, 4, 5 };",
    "void through(uint *place, uint by) { *place = (*place ^ by) + 1u; }",
];

const INTEGERS: [(&str, &str); 8] = [
    ("char", "uchar"),
    ("uchar", "uchar"),
    ("short", "ushort"),
    ("ushort", "ushort"),
    ("int", "uint"),
    ("uint", "uint"),
    ("long", "ulong"),
    ("ulong", "ulong"),
];
const FLOATS: [(&str, &str); 3] = [("half", "ushort"), ("float", "uint"), ("double", "ulong")];
const COMPONENTS: [&str; 16] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f"];

/// Lines of a block. `together`: all work-items of the group are here, and none has returned.
pub(crate) fn block(random: &mut Random, together: bool) -> Vec<String> {
    let target = *random.pick(&ASSIGNABLE);
    let mut lines = match random.below(if together { 17 } else { 14 }) {
        0 => integer(random, target),
        1 | 2 => float(random, target),
        3 | 4 => vector(random, target),
        5 => structure(random, target),
        6 => selection(random, target),
        7 => sub_group(random, target),
        8 => bounds(random, target),
        9 => skipping(random, target),
        10 | 11 => whole(random, target, together),
        12 => look_up(random, target),
        13 => array(random, target, together),
        14 => collective(random, target),
        15 => turns(random, target),
        _ => copies(random, target),
    };
    lines.insert(0, "{".to_owned());
    lines.push("}".to_owned());
    lines
}

fn integer(random: &mut Random, target: &str) -> Vec<String> {
    let (ty, unsigned) = *random.pick(&INTEGERS);
    let [x, y, z] = [0; 3].map(|_| varying(random, 2));
    // Sums and products of signed numbers, and what is promoted to them, need not fit: they are made without signs.
    let wraps = if unsigned == "ulong" { "ulong" } else { "uint" };
    let value = match random.below(16) {
        0 => format!("({ty})(({wraps})x + ({wraps})y * ({wraps})z)"),
        1 => format!("x / ({ty})(y | ({ty})1)"),
        2 => format!("x % ({ty})(y | ({ty})1)"),
        3 => "mul_hi(x, y)".to_owned(),
        4 => "mad_hi(x, y, z)".to_owned(),
        5 => "mad_sat(x, y, z)".to_owned(),
        6 => "rhadd(x, y) ^ hadd(y, z)".to_owned(),
        7 => format!("({ty})(({wraps})add_sat(x, y) - ({wraps})sub_sat(y, z))"),
        8 => format!("({ty})abs_diff(x, y)"),
        9 => "clz(x) + popcount(y) * ctz(z)".to_owned(),
        10 => "rotate(x, y)".to_owned(),
        11 => "clamp(x, min(y, z), max(y, z))".to_owned(),
        12 => "bitselect(x, y, z)".to_owned(),
        13 => format!("(x >> (y & ({ty})7)) ^ (z << (y & ({ty})7))"),
        14 => format!("convert_{ty}_sat((long)((ulong)x * (ulong)y))"),
        _ => format!("({ty})((({unsigned})x >> 3) + ({unsigned})(x < y) + abs(z))"),
    };
    vec![
        format!("{ty} x = ({ty})({x}), y = ({ty})({y} >> 5), z = ({ty})({z});"),
        format!("{ty} r = {value};"),
        format!("{target} ^= BITS_int(r);"),
    ]
}

/// A floating-point number, made of bits or of an integer, for scalars or vectors of `count`. clang's back end knows
/// `convert_` from integers to float only.
fn floats(random: &mut Random, ty: &str, unsigned: &str, count: &str, integers: &str) -> String {
    let cast = |integers: String| match (ty, count) {
        ("float", _) => format!("convert_float{count}({integers})"),
        (_, "") => format!("({ty})({integers})"),
        _ => format!("__builtin_convertvector({integers}, {ty}{count})"),
    };
    match random.below(3) {
        0 if ty == "double" => format!("{} * (double)0.375", cast(integers.to_owned())),
        0 => format!("as_{ty}{count}(convert_{unsigned}{count}({integers}))"),
        1 => format!("{} * ({ty})0.125f - ({ty})100", cast(format!("({integers} >> 20)"))),
        _ if ty == "float" => format!("convert_float{count}_rtz({integers})"),
        _ => cast(format!("({integers} & 0xFFFu)")),
    }
}

fn float(random: &mut Random, target: &str) -> Vec<String> {
    let (ty, unsigned) = *random.pick(&FLOATS);
    let mut lines = Vec::new();
    for name in ["x", "y", "z"] {
        let integers = format!("({})", varying(random, 2));
        let value = floats(random, ty, unsigned, "", &integers);
        lines.push(format!("{ty} {name} = {value};"));
    }
    let other = *random.pick(&FLOATS);
    let integer = *random.pick(&INTEGERS);
    let value = match random.below(20) {
        0 => "x + y".to_owned(),
        1 => "x - y * z".to_owned(),
        2 if ty == "double" || ty == "half" => "x / y".to_owned(),
        3 => "fma(x, y, z)".to_owned(),
        4 => "fmod(x, y)".to_owned(),
        5 => "remainder(x, y)".to_owned(),
        6 => "rint(x) + trunc(y)".to_owned(),
        7 => "floor(x) - ceil(y)".to_owned(),
        8 => "round(x) * copysign(y, z)".to_owned(),
        9 => "fdim(x, y)".to_owned(),
        10 => format!("nextafter(x, y) * ({ty})2"),
        11 => "ldexp(x, (int)(a & 31u) - 16)".to_owned(),
        12 => format!("({ty})(x < y) + ({ty})isgreaterequal(y, z) + ({ty})isunordered(x, z)"),
        13 => format!("({ty})({})x", other.0),
        14 => format!("({ty})convert_{}_sat_rte(x)", integer.0),
        15 => "x < y ? z : -x".to_owned(),
        16 => format!("logb(x) + ({ty})(isinf(y) + isfinite(z) + isnormal(x) * 2 + signbit(y) * 4)"),
        17 if ty == "float" => "convert_float_rtn((long)((ulong)a * (ulong)b))".to_owned(),
        17 => format!("({ty})(long)((ulong)a * (ulong)b)"),
        18 => "fabs(x) - sqrt(fabs(y))".to_owned(),
        _ => "mad(x, (x - x), fmin(y, z)) + fmax(x, y)".to_owned(),
    };
    lines.push(format!("{ty} r = {value};"));
    lines.push(format!("{target} ^= BITS_{ty}(r);"));
    if random.chance(30) {
        lines.push(format!("{ty} whole; int e; {ty} part = modf(x, &whole);"));
        lines.push(format!("{target} += BITS_{ty}(part) ^ BITS_{ty}(whole);"));
        lines.push(format!("part = frexp(z, &e); if (isfinite(z)) {target} -= BITS_{ty}(part) * (uint)e;"));
    }
    lines
}

/// Each component of `r` into the target.
fn fold(target: &str, bits: &str, count: usize) -> Vec<String> {
    let terms = COMPONENTS[..count].iter().enumerate();
    terms.map(|(index, name)| format!("{target} = {target} * 3u + {bits}(r.s{name}) + {index}u;")).collect()
}

fn vector(random: &mut Random, target: &str) -> Vec<String> {
    let count = *random.pick(&[2usize, 3, 4, 8, 16]);
    let is_float = random.chance(40);
    let (ty, unsigned) = if is_float { *random.pick(&FLOATS) } else { *random.pick(&INTEGERS) };
    let parts: Vec<String> = (0..count).map(|lane| format!("{}[{lane}u & 7u] + {lane}u", "p")).collect();
    let [x, y] = [0; 2].map(|_| varying(random, 2));
    let mut lines = vec![format!("uint{count} i = (uint{count})({}) ^ (uint{count})({x});", parts.join(", "))];
    for (name, integers) in [("x", "(i)".to_owned()), ("y", format!("(i * (uint{count})({y} | 1u))"))] {
        let value = if !is_float {
            format!("convert_{ty}{count}({integers})")
        } else {
            floats(random, ty, unsigned, &count.to_string(), &integers)
        };
        lines.push(format!("{ty}{count} {name} = {value};"));
    }
    let mask_type = mask_of(unsigned);
    let value = match random.below(9) {
        0 => "x + y".to_owned(),
        1 => format!("x * y - ({ty}{count})(({ty})3)"),
        2 => "select(x, y, x < y)".to_owned(),
        3 if count != 3 => format!("shuffle(x, convert_{unsigned}{count}(i))"),
        3 | 4 if count > 2 && count != 3 => format!("({ty}{count})(x.hi, y.lo)"),
        5 if count > 2 && count != 3 => format!("({ty}{count})(x.odd, y.even)"),
        // Not `any` and `all`: clang's back end gives their instructions integers.
        6 => format!("x - ({ty})((x > y).s1 + 2 * (x == x).s0)"),
        7 => format!("as_{ty}{count}(as_{mask_type}{count}(x) ^ (x == y))"),
        _ if is_float => "fma(x, y, x)".to_owned(),
        _ => "(x ^ y) | ~x".to_owned(),
    };
    lines.push(format!("{ty}{count} r = {value};"));
    match random.below(3) {
        0 => lines.push(format!("r.s{} = y.s0; r.s1 += x.s{};", COMPONENTS[count - 1], COMPONENTS[count / 2])),
        1 => {
            lines.push(format!("{ty} store[{}]; vstore{count}(r, 1, store);", 2 * count));
            lines.push(format!("for (uint j = 0u; j < {count}u; ++j) store[j] = store[j + {count}u];"));
            lines.push(format!("r = vload{count}(0, store) + vload{count}(1, store);"));
        }
        _ => {}
    }
    let bits = if is_float { format!("BITS_{ty}") } else { "BITS_int".to_owned() };
    lines.extend(fold(target, &bits, count));
    lines
}

/// Vectors that work-items have side by side in memory, of which hardly a part is asked for by itself: what all parts have
/// done to them alike, with numbers of all work-items or of each, in branches and loops.
fn whole(random: &mut Random, target: &str, together: bool) -> Vec<String> {
    let (ty, signed, count, float) = *random.pick(&[
        ("uint", "int", 8usize, false),
        ("uint", "int", 8, true),
        ("ushort", "short", 16, false),
        ("ulong", "long", 4, false),
    ]);
    let vector = format!("{ty}{count}");
    let from = *random.pick(&["uchar", "ushort", "uint", ty]);
    let bytes =
        ["uchar", "ushort", "uint", "ulong"].iter().position(|name| *name == from).map_or(8, |log| 1usize << log);
    let (x, first) = (varying(random, 1), random.below(5));
    let load = |place: String, ty: &str| match float {
        true => format!("convert_float{count}({place} & ({ty})255)"),
        false => format!("convert_{vector}({place})"),
    };
    let kind = if float { format!("float{count}") } else { vector.clone() };
    let place = format!("((global const {from}{count} *)in)[(me + {first}u) & {}u]", 256 / (bytes * count) - 1);
    // By numbers that are not known, so that vectors are loaded and stored.
    let words = "for (uint j = 0u; j < 8u; ++j)";
    let word = "out[me * 8u + ((j + n) & 7u)]";
    let mut lines = vec![
        format!("uint x = {x};"),
        format!("{words} {word} = x + (lin + j) * 0x9E3779B9u;"),
        format!("{kind} v = {}, w = {}, r = v;", load(format!("((global {vector} *)out)[me]"), ty), load(place, from)),
    ];
    for _ in 0..2 + random.below(5) {
        let y = varying(random, 1);
        let number = if float { format!("(float)({y} & 255u)") } else { format!("({ty})({y})") };
        let own = format!("({kind})({number})");
        lines.push(match random.below(14) {
            // Numbers stay small.
            0 | 1 if float => "r = r * 0.5f + w;".to_owned(),
            2 if float => "r = fmax(r, w * 0.25f);".to_owned(),
            3 if float => "r = fma(v, (float8)(0.125f), r) * 0.5f;".to_owned(),
            0 => "r = r * w + v;".to_owned(),
            1 => format!("r ^= ({ty})(n);"),
            2 => format!("r = as_{vector}(max(as_{signed}{count}(r), as_{signed}{count}(w)));"),
            3 => format!("r = rotate(r, w) >> ({ty})1;"),
            4 => "r = select(r, w, r > v);".to_owned(),
            5 => format!("r = r + {own};"),
            6 => format!("r = ({kind})(r.hi, w.lo);"),
            7 => format!("r += ({kind})(w.s{});", COMPONENTS[random.below(count as u64) as usize]),
            8 => format!("r.s{} = {number};", COMPONENTS[random.below(count as u64) as usize]),
            9 => "if (x & 1u) r = r + w;".to_owned(),
            10 => "for (uint j = 0u; j < (x & 3u); ++j) r = r - w + v;".to_owned(),
            11 => "for (uint j = 0u; j < (u & 3u) + 1u; ++j) r = r - v + w;".to_owned(),
            12 => "r = (x & 2u) ? r : w;".to_owned(),
            _ if together => "barrier(CLK_LOCAL_MEM_FENCE);".to_owned(),
            _ => "if (x & 4u) { w = r; } else { r = w; }".to_owned(),
        });
    }
    if random.chance(30) {
        lines.push(format!("{target} ^= {}(r.s1);", if float { "BITS_float" } else { "BITS_int" }));
    }
    if ty == "uint" && random.chance(30) {
        lines.push("scratch[lin] ^= as_uint(convert_uchar4_sat(r.lo)) * 5u;".to_owned());
    }
    let result = if float { format!("convert_{vector}_sat(r)") } else { "r".to_owned() };
    let store = format!("((global {vector} *)out)[me] = {result};");
    lines.push(if random.chance(30) { format!("if (x & 8u) {store}") } else { store });
    lines.push(format!("{words} {target} = {target} * 3u + {word};"));
    lines
}

/// The signed type that comparisons of a width give.
fn mask_of(unsigned: &str) -> &str {
    unsigned.strip_prefix('u').unwrap_or(unsigned)
}

fn structure(random: &mut Random, target: &str) -> Vec<String> {
    let [x, y, z] = [0; 3].map(|_| varying(random, 2));
    vec![
        format!("record one = {{(uchar)({x}), {{{x}, {y}, {z}}}, (ushort2)((ushort)({y}), 3), (ulong)({z}) << 20}};"),
        "record many[3] = {one, changed(one, c), one};".to_owned(),
        format!("many[({y}) % 3u] = changed(many[({z}) % 3u], {x});"),
        "record *at = (a & 1u) ? &one : &many[b % 3u];".to_owned(),
        format!("at->words[1] += {x}; through((b & 2u) ? &at->words[2] : &p[c & 7u], {y});"),
        // Its own word: generic pointers to local and to private memory.
        "through((d & 1u) ? (uint *)&scratch[lin] : &at->words[0], a);".to_owned(),
        "one = many[2];".to_owned(),
        format!("{target} ^= one.words[0] + many[1].words[1] * 5u + many[0].pair.y + BITS_int(at->wide) + at->tag;"),
    ]
}

/// Arrays in records that are filled, listed or copied as a whole, and that each work-item walks in its own way.
fn array(random: &mut Random, target: &str, together: bool) -> Vec<String> {
    let scalar = random.pick(&INTEGERS).0;
    let ty = format!("{scalar}{}", random.pick(&["", "", "2", "4"]));
    let count = *random.pick(&[3, 4, 8, 16, 33]);
    let [x, y] = [0; 2].map(|_| varying(random, 2));
    let first = *random.pick(&["{0}", "{{1, 2, 3}, 5}", "{{9}}"]);
    let mut lines =
        vec![format!("struct {{ {ty} v[{count}]; {ty} c; }} s = {first}, t = s;"), format!("uint x = {x}, y = {y};")];
    for _ in 0..2 + random.below(3) {
        let place = |by: u64| format!("[(x + {by}u * j) % {count}u]");
        let (one, other) = (place(random.below(4)), place(random.below(4)));
        let turns = *random.pick(&["(y & 7u)", "(u & 3u)", "3u"]);
        lines.push(match random.below(8) {
            0 => "t = s;".to_owned(),
            1 => "if (y & 1u) s = t;".to_owned(),
            2 => format!("for (uint j = 0u; j < {turns}; ++j) {{ t.v{one} ^= ({ty})(({scalar})(y + j)); s = t; }}"),
            3 => format!("for (uint j = 0u; j < {turns}; ++j) s.v{one} = t.v{other} ^ s.c;"),
            4 => format!("for (uint j = 0u; j < {count}u; ++j) s.v[j] = t.v[j] | ({ty})(({scalar})j);"),
            5 => format!("s.c ^= t.v[y % {count}u]; t.c = s.v[1];"),
            6 if together => "barrier(CLK_LOCAL_MEM_FENCE);".to_owned(),
            _ => format!("for (uint j = 0u; j < {turns}; ++j) s.v{one} = s.v{other} ^ ({ty})(({scalar})(j + 1u));"),
        });
    }
    let part = if ty == scalar { "" } else { ".s1" };
    lines.push(format!("for (uint j = 0u; j < {count}u; ++j) {target} = {target} * 3u + BITS_int(s.v[j]{part});"));
    lines.push(format!("{target} ^= BITS_int(t.v[y % {count}u]{part}) + BITS_int(s.c{part});"));
    lines
}

fn selection(random: &mut Random, target: &str) -> Vec<String> {
    let ty = random.pick(&INTEGERS).0;
    let x = varying(random, 2);
    let mut lines =
        vec![format!("{ty} s = ({ty})({x}); if (b & 1u) s = ({ty})(s & ({ty})3);"), "switch (s) {".to_owned()];
    let large = match ty {
        "long" | "ulong" => "0x123456789AL",
        "char" => "-128",
        "short" | "int" => "-32768",
        _ => "200",
    };
    for case in ["0", "1", "2", "77", large] {
        let value = varying(random, 1);
        let end = if random.chance(70) { " break;" } else { "" };
        lines.push(format!("case {case}: {target} += {value};{end}"));
    }
    lines.push(format!("default: {target} ^= 0x5A5Au;"));
    lines.push("}".to_owned());
    lines
}

/// A floating-point value whose sums are rounded, so that their order shows.
const ROUNDED: &str = "(TY)((int)(w >> 18) - 8000) * (TY)0.037f";

fn collective(random: &mut Random, target: &str) -> Vec<String> {
    let x = varying(random, 2);
    let ty = *random.pick(&["int", "uint", "long", "ulong", "float", "double", "half"]);
    let operation = *random.pick(&["add", "min", "max"]);
    let bits = if matches!(ty, "float" | "double" | "half") { format!("BITS_{ty}") } else { "BITS_int".to_owned() };
    let value = if bits == "BITS_int" { "(TY)(w)" } else { ROUNDED };
    let kind = *random.pick(&["reduce", "scan_inclusive", "scan_exclusive"]);
    let group = if random.chance(75) { "work_group" } else { "sub_group" };
    let call = match random.below(4) {
        0 if group == "work_group" => "work_group_broadcast(v, n % get_local_size(0), 0, 0)".to_owned(),
        0 => "sub_group_broadcast(v, 0)".to_owned(),
        1 => format!("v / (TY)2 + (TY)({group}_all((int)(w & 7u)) + 2 * {group}_any((int)(w & 1u)))"),
        _ => format!("{group}_{kind}_{operation}(v)"),
    };
    vec![
        format!("uint w = {x};"),
        format!("{ty} v = {};", value.replace("TY", ty)),
        format!("{ty} r = {};", call.replace("TY", ty)),
        format!("{target} ^= {bits}(r);"),
    ]
}

/// Places of work-items against bounds, where some work-items are left out before.
fn bounds(random: &mut Random, target: &str) -> Vec<String> {
    let (ty, wide) = *random.pick(&[("int", "long"), ("uint", "ulong"), ("long", "long"), ("ulong", "ulong")]);
    let place = *random.pick(&["get_global_id(0)", "get_local_id(0)", "lin", "me"]);
    let (scale, bound) = (1 + random.below(3), random.below(20));
    let (guard, distance) = if random.chance(70) { ("i >= from", "i - from") } else { ("i <= from", "from - i") };
    let compare = *random.pick(&["<", "<=", ">", ">="]);
    let begin = format!("{ty} i = ({ty}){place} * {scale}, from = ({ty})(n % 16u);");
    if random.chance(40) {
        // Chosen, not guarded: it may be computed for all.
        let (factor, more) = (1 + random.below(8), random.below(40));
        return vec![
            begin,
            format!("{wide} j = {guard} ? ({wide})({distance}) * {factor} : ({wide})0x9E3779B97F4A7C15UL;"),
            format!("{target} ^= (uint)(j ^ (j >> 32));"),
            format!("{target} += ({guard} ? ({wide})({distance}) + {more} {compare} ({wide})(u % 64u) : 0) ? 3u : 7u;"),
        ];
    }
    vec![
        begin,
        format!("if ({guard}) {{"),
        format!("    {wide} j = ({wide})({distance});"),
        format!("    if (j {compare} ({wide})(u % 32u)) {target} ^= in[j & 63];"),
        format!("    {target} += ({distance}) {compare} {bound} ? 3u : 7u;"),
        "}".to_owned(),
    ]
}

/// A loop whose only way out lies behind one into the next turn, which each work-item takes in three turns of four.
fn skipping(random: &mut Random, target: &str) -> Vec<String> {
    let (x, y) = (varying(random, 2), varying(random, 1));
    let count = 1 + random.below(4);
    let done = random
        .pick(&["t > COUNT", "++m == COUNT", "++m >= (y & 3u) + 1u", "t > (u & 7u)"])
        .replace("COUNT", &format!("{count}u"));
    vec![
        format!("uint x = {x}, y = {y}, m = 0u, t = 0u;"),
        "for (;; ++t) {".to_owned(),
        "    if ((x + t * 5u) & 3u) continue;".to_owned(),
        format!("    {target} = {target} * 3u + t;"),
        format!("    if ({done}) break;"),
        "}".to_owned(),
        format!("{target} ^= t * 7u + m;"),
    ]
}

/// Loads at places of each work-item's own: from small tables, of two neighbours, and of rows as a work-group goes through them.
fn look_up(random: &mut Random, target: &str) -> Vec<String> {
    let (x, y) = (varying(random, 2), varying(random, 1));
    let tables =
        ["TABLE_8[x & 15u]", "TABLE_16[x % 19u]", "BITS_float(TABLE_F[y % 9u])", "BITS_double(TABLE_D[x % 5u])"];
    let mut lines = vec![format!("uint x = {x}, y = {y}, at = (x >> 3) & 31u;")];
    if random.chance(70) {
        lines.push(format!("{target} += {} * 3u;", random.pick(&tables)));
    }
    match random.below(3) {
        0 => lines.push(format!("{target} = {target} * 5u + in[at] * 7u + in[at + 1u];")),
        1 => lines.push(format!("if (y & 1u) {target} ^= in[at + 1u] - in[at] * 9u;")),
        _ => lines.extend([
            "int end = 20 + (int)(x & 31u);".to_owned(),
            "for (int j = (int)(n & 7u) + (int)get_local_id(0); j < end; j += (int)get_local_size(0))".to_owned(),
            format!("    {target} = {target} * 3u + in[j];"),
        ]),
    }
    lines
}

/// What those of a sub-group find out that come here together, which may be a few.
fn sub_group(random: &mut Random, target: &str) -> Vec<String> {
    let x = varying(random, 2);
    let here = "sub_group_ballot(1)";
    let ty = *random.pick(&["int", "uint", "long", "ulong", "char", "ushort", "float", "double", "half"]);
    let float = matches!(ty, "float" | "double" | "half");
    let value = if float { ROUNDED } else { "(TY)(w)" };
    let operation = *random.pick(if float { &["add", "min", "max"][..] } else { &["add", "mul", "min", "max", "xor"] });
    let kind = *random.pick(&["reduce", "scan_inclusive", "scan_exclusive"]);
    let result = match random.below(12) {
        0 => "(uint)sub_group_elect()".to_owned(),
        1 => {
            "(uint)(sub_group_non_uniform_all((int)(w & 3u)) + 2 * sub_group_non_uniform_any((int)(w & 1u)))".to_owned()
        }
        2 => "(uint)sub_group_non_uniform_all_equal(w & 1u)".to_owned(),
        3 => "sub_group_ballot((int)(w & 1u)).x ^ sub_group_ballot((int)(w & 2u)).y".to_owned(),
        4 => format!("sub_group_ballot_inclusive_scan({here}) * 8u + sub_group_ballot_find_lsb({here})"),
        5 => format!("sub_group_ballot_bit_count({here}) ^ get_sub_group_lt_mask().x ^ get_sub_group_ge_mask().x"),
        6 => "get_sub_group_local_id() + get_sub_group_size() * 64u + get_sub_group_id() * 4096u".to_owned(),
        7 => "BITS(sub_group_broadcast_first(v))".to_owned(),
        8 => format!("BITS(sub_group_shuffle(v, sub_group_ballot_find_msb({here})))"),
        9 => format!("BITS(sub_group_clustered_reduce_{operation}(v, 4u))"),
        _ => format!("BITS(sub_group_non_uniform_{kind}_{operation}(v))"),
    };
    let bits = if float { format!("BITS_{ty}") } else { "BITS_int".to_owned() };
    vec![
        format!("uint w = {x};"),
        format!("{ty} v = {};", value.replace("TY", ty)),
        format!("{target} ^= {};", result.replace("BITS", &bits)),
    ]
}

/// Sub-groups wait for each other: one after the other has its turn, upwards or downwards.
fn turns(random: &mut Random, target: &str) -> Vec<String> {
    let x = varying(random, 2);
    let mine = if random.chance(70) { "get_num_sub_groups() - 1u - get_sub_group_id()" } else { "get_sub_group_id()" };
    let where_to = "memory_scope_work_group";
    vec![
        format!("uint w = {x}, mine = {mine}, got = 0u;"),
        format!("if (lin == 0u) {{ baton = w; atomic_store_explicit(&turn, 0u, memory_order_relaxed, {where_to}); }}"),
        "barrier(CLK_LOCAL_MEM_FENCE);".to_owned(),
        "if (sub_group_elect()) {".to_owned(),
        format!("    while (atomic_load_explicit(&turn, memory_order_acquire, {where_to}) != mine);"),
        "    got = baton; baton = got * 3u + w;".to_owned(),
        format!("    atomic_store_explicit(&turn, mine + 1u, memory_order_release, {where_to});"),
        "}".to_owned(),
        format!("{target} ^= sub_group_broadcast_first(got);"),
        "barrier(CLK_LOCAL_MEM_FENCE);".to_owned(),
        format!("{target} += baton;"),
        "barrier(CLK_LOCAL_MEM_FENCE);".to_owned(),
    ]
}

fn copies(random: &mut Random, target: &str) -> Vec<String> {
    let x = varying(random, 1);
    let count = 1 + random.below(16);
    let first = random.below(16);
    let copy = if random.chance(50) {
        format!("async_work_group_copy(room, in + {first}, {count}, 0)")
    } else {
        format!("async_work_group_strided_copy(room, in + {first}, {count}, 3, 0)")
    };
    vec![
        // One word for each element; the kernel has the room.
        format!("event_t e = {copy};"),
        "wait_group_events(1, &e);".to_owned(),
        format!("{target} += room[({x}) % {count}u];"),
        "barrier(CLK_LOCAL_MEM_FENCE);".to_owned(),
    ]
}
