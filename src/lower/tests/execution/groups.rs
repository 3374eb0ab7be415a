//! Operations of groups: every one of the sub-group at every size, and those of the work-group; one kernel for all of them.

use std::fmt::Write as _;

use crate::harness::{Cell, Random, SAMPLES, execute_module};

/// A work-item among those of its sub-group.
struct Seen<'a> {
    /// `a` and `b` of all work-items.
    all: &'a [(u32, u32)],
    /// Those of the sub-group, which may be the last and smaller one.
    items: &'a [(u32, u32)],
    /// The work-item's number in the sub-group, and in all.
    own: usize,
    item: usize,
    /// Work-items of a full sub-group.
    size: usize,
}

impl Seen<'_> {
    fn all(&self, holds: impl Fn(&(u32, u32)) -> bool) -> bool {
        self.items.iter().all(holds)
    }

    fn a(&self) -> u32 {
        self.items[self.own].0
    }

    fn b(&self) -> u32 {
        self.items[self.own].1
    }

    /// 64 bits made of `a` and `b`.
    fn bits(&self) -> u64 {
        u64::from(self.a()) | u64::from(self.b()) << 32
    }

    /// The bits of a full sub-group of which something holds.
    fn mask(&self, holds: impl Fn(usize) -> bool) -> u64 {
        (0..self.size).filter(|bit| holds(*bit)).map(|bit| 1 << bit).sum()
    }

    /// What only a full sub-group has.
    fn full(&self, value: impl Fn() -> u32) -> u32 {
        if self.items.len() == self.size { value() } else { 0 }
    }
}

fn less((a, b): &(u32, u32)) -> bool {
    a < b
}

fn choose(condition: bool, then: u32, otherwise: u32) -> u32 {
    if condition { then } else { otherwise }
}

/// What a row stores.
type Expected = fn(&Seen<'_>) -> u32;

/// Instructions that compute `%r` of type `%uint` from `%a` and `%b`, and what it is.
const ROWS: &[(&str, Expected)] = &[
    // The first row, as what it writes is written over by all others.
    (
        "%l = OpUConvert %ulong %own\n%x = OpISub %ulong %i %l\n%y = OpIMul %ulong %x %rows\n\
         %p = OpInBoundsPtrAccessChain %ptr %po %y\nOpSubgroupBlockWriteINTEL %p %a\nOpControlBarrier %sub %sub %acq_rel\n\
         %z = OpInBoundsPtrAccessChain %ptr %p %l\n%r = OpLoad %uint %z Aligned 4\nOpControlBarrier %sub %sub %acq_rel",
        |s| s.a(),
    ),
    ("%p = OpGroupNonUniformElect %bool %sub\n%r = OpSelect %uint %p %c1 %c0", |s| u32::from(s.own == 0)),
    ("%o = OpULessThan %bool %a %b\n%p = OpGroupNonUniformAll %bool %sub %o\n%r = OpSelect %uint %p %a %b", |s| {
        choose(s.all(less), s.a(), s.b())
    }),
    ("%o = OpULessThan %bool %a %b\n%p = OpGroupNonUniformAny %bool %sub %o\n%r = OpSelect %uint %p %a %b", |s| {
        choose(s.items.iter().any(less), s.a(), s.b())
    }),
    ("%o = OpUGreaterThanEqual %bool %a %c0\n%p = OpGroupAll %bool %sub %o\n%r = OpSelect %uint %p %b %a", |s| s.b()),
    ("%o = OpULessThan %bool %a %c0\n%p = OpGroupAny %bool %sub %o\n%r = OpSelect %uint %p %b %a", |s| s.a()),
    ("%p = OpGroupNonUniformAllEqual %bool %sub %a\n%r = OpSelect %uint %p %c1 %c0", |s| {
        u32::from(s.all(|item| item.0 == s.items[0].0))
    }),
    ("%p = OpGroupNonUniformAllEqual %bool %sub %c7\n%r = OpSelect %uint %p %c1 %c0", |_| 1),
    // A NaN is equal to nothing.
    (
        "%x = OpGroupBroadcast %uint %sub %a %c0\n%f = OpBitcast %float %x\n%p = OpGroupNonUniformAllEqual %bool %sub %f\n%r = OpSelect %uint %p %c1 %c0",
        |s| u32::from(!f32::from_bits(s.items[0].0).is_nan()),
    ),
    ("%r = OpGroupBroadcast %uint %sub %a %c0", |s| s.items[0].0),
    ("%r = OpGroupBroadcast %uint %sub %a %zero", |s| s.items[0].0),
    ("%v = OpCompositeConstruct %v3 %zero %zero %zero\n%r = OpGroupBroadcast %uint %sub %b %v", |s| s.items[0].1),
    (
        "%v = OpCompositeConstruct %v4 %a %b %a %b\n%w = OpGroupBroadcast %v4 %sub %v %c1\n%r = OpCompositeExtract %uint %w 3",
        |s| s.items[1].1,
    ),
    ("%r = OpGroupNonUniformBroadcast %uint %sub %a %c1", |s| s.items[1].0),
    ("%r = OpGroupNonUniformBroadcastFirst %uint %sub %a", |s| s.items[0].0),
    (
        "%o = OpULessThan %bool %a %b\n%v = OpGroupNonUniformBallot %v4 %sub %o\n%r = OpCompositeExtract %uint %v 0",
        |s| s.mask(|i| s.items.get(i).is_some_and(less)) as u32,
    ),
    ("%v = OpGroupNonUniformBallot %v4 %sub %true\n%r = OpCompositeExtract %uint %v 1", |s| {
        (s.mask(|i| i < s.items.len()) >> 32) as u32
    }),
    (
        "%v = OpCompositeConstruct %v4 %a %b %a %b\n%p = OpGroupNonUniformInverseBallot %bool %sub %v\n%r = OpSelect %uint %p %c1 %c0",
        |s| (s.bits() >> s.own & 1) as u32,
    ),
    (
        "%v = OpCompositeConstruct %v4 %a %b %b %b\n%p = OpGroupNonUniformBallotBitExtract %bool %sub %v %b\n%r = OpSelect %uint %p %c1 %c0",
        |s| choose(s.b() % 128 < 32, s.a(), s.b()) >> (s.b() % 32) & 1,
    ),
    ("%v = OpCompositeConstruct %v4 %a %b %a %b\n%r = OpGroupNonUniformBallotBitCount %uint %sub Reduce %v", |s| {
        (s.bits() & s.mask(|_| true)).count_ones()
    }),
    (
        "%v = OpCompositeConstruct %v4 %a %b %a %b\n%r = OpGroupNonUniformBallotBitCount %uint %sub InclusiveScan %v",
        |s| (s.bits() & s.mask(|i| i <= s.own)).count_ones(),
    ),
    (
        "%v = OpCompositeConstruct %v4 %a %b %a %b\n%r = OpGroupNonUniformBallotBitCount %uint %sub ExclusiveScan %v",
        |s| (s.bits() & s.mask(|i| i < s.own)).count_ones(),
    ),
    ("%v = OpGroupNonUniformBallot %v4 %sub %true\n%r = OpGroupNonUniformBallotFindLSB %uint %sub %v", |_| 0),
    ("%v = OpGroupNonUniformBallot %v4 %sub %true\n%r = OpGroupNonUniformBallotFindMSB %uint %sub %v", |s| {
        s.items.len() as u32 - 1
    }),
    ("%r = OpGroupNonUniformShuffle %uint %sub %a %c0", |s| s.items[0].0),
    ("%n = OpLoad %uint %size\n%l = OpUMod %uint %b %n\n%r = OpGroupNonUniformShuffle %uint %sub %a %l", |s| {
        s.items[s.b() as usize % s.items.len()].0
    }),
    ("%r = OpGroupNonUniformShuffleXor %uint %sub %a %c1", |s| s.items[s.own ^ 1].0),
    ("%r = OpGroupNonUniformShuffleUp %uint %sub %a %own", |s| s.items[0].0),
    (
        "%n = OpLoad %uint %size\n%s = OpISub %uint %n %own\n%d = OpISub %uint %s %c1\n%r = OpGroupNonUniformShuffleDown %uint %sub %a %d",
        |s| s.items[s.items.len() - 1].0,
    ),
    (
        "%x = OpGroupBroadcast %uint %sub %b %c0\n%y = OpGroupNonUniformRotateKHR %uint %sub %a %x\n%r = OpSelect %uint %full %y %c0",
        |s| s.full(|| s.items[(s.own + s.items[0].1 as usize) % s.size].0),
    ),
    ("%x = OpGroupBroadcast %uint %sub %b %c0\n%r = OpGroupNonUniformRotateKHR %uint %sub %a %x %c2", |s| {
        s.items[(s.own & !1) | (s.own + s.items[0].1 as usize) & 1].0
    }),
    ("%n = OpLoad %uint %size\n%l = OpUMod %uint %b %n\n%r = OpSubgroupShuffleINTEL %uint %a %l", |s| {
        s.items[s.b() as usize % s.items.len()].0
    }),
    (
        "%v = OpCompositeConstruct %v4 %a %b %a %b\n%w = OpSubgroupShuffleXorINTEL %v4 %v %c1\n%r = OpCompositeExtract %uint %w 1",
        |s| s.items[s.own ^ 1].1,
    ),
    (
        "%d = OpBitwiseAnd %uint %a %c1\n%x = OpSubgroupShuffleDownINTEL %uint %a %b %d\n%r = OpSelect %uint %full %x %c0",
        |s| {
            s.full(|| match s.own + (s.a() & 1) as usize {
                lane if lane < s.size => s.items[lane].0,
                lane => s.items[lane - s.size].1,
            })
        },
    ),
    (
        "%d = OpBitwiseAnd %uint %a %c1\n%x = OpSubgroupShuffleUpINTEL %uint %a %b %d\n%r = OpSelect %uint %full %x %c0",
        |s| {
            s.full(|| match s.own.checked_sub((s.a() & 1) as usize) {
                Some(lane) => s.items[lane].1,
                None => s.items[s.size - 1].0,
            })
        },
    ),
    (
        "%l = OpUConvert %ulong %own\n%x = OpISub %ulong %i %l\n%p = OpInBoundsPtrAccessChain %ptr %pa %x\n\
         %v = OpSubgroupBlockReadINTEL %v2 %p\n%y = OpCompositeExtract %uint %v 0\n%z = OpCompositeExtract %uint %v 1\n\
         %r = OpISub %uint %y %z",
        |s| s.a().wrapping_sub(s.all.get(s.item + s.size).map_or(0, |item| item.0)),
    ),
    ("%r = OpLoad %uint %size", |s| s.items.len() as u32),
    ("%r = OpLoad %uint %max_size", |s| s.size as u32),
    ("%r = OpLoad %uint %lane", |s| s.own as u32),
    ("%n = OpLoad %uint %count\n%e = OpLoad %uint %enqueued\n%r = OpISub %uint %n %e", |_| 0),
    ("%n = OpLoad %uint %count\n%r = OpCopyObject %uint %n", |s| GROUP.div_ceil(s.size) as u32),
    ("%r = OpLoad %uint %number", |s| (s.item % GROUP / s.size) as u32),
    ("%v = OpLoad %v4 %eq\n%r = OpCompositeExtract %uint %v 0", |s| s.mask(|i| i == s.own) as u32),
    ("%v = OpLoad %v4 %ge\n%r = OpCompositeExtract %uint %v 0", |s| s.mask(|i| i >= s.own) as u32),
    ("%v = OpLoad %v4 %ge\n%r = OpCompositeExtract %uint %v 1", |s| (s.mask(|i| i >= s.own) >> 32) as u32),
    ("%v = OpLoad %v4 %gt\n%r = OpCompositeExtract %uint %v 0", |s| s.mask(|i| i > s.own) as u32),
    ("%v = OpLoad %v4 %gt\n%r = OpCompositeExtract %uint %v 1", |s| (s.mask(|i| i > s.own) >> 32) as u32),
    ("%v = OpLoad %v4 %le\n%r = OpCompositeExtract %uint %v 1", |s| (s.mask(|i| i <= s.own) >> 32) as u32),
    ("%v = OpLoad %v4 %lt\n%r = OpCompositeExtract %uint %v 0", |s| s.mask(|i| i < s.own) as u32),
    ("OpControlBarrier %sub %sub %acq_rel\nOpControlBarrier %sub %group %acq_rel\n%r = OpCopyObject %uint %a", |s| {
        s.a()
    }),
    // The clock does not go back.
    (
        "%x = OpReadClockKHR %ulong %sub\n%y = OpReadClockKHR %ulong %group\n%o = OpULessThanEqual %bool %x %y\n%r = OpSelect %uint %o %c1 %c0",
        |_| 1,
    ),
    (
        "%v = OpReadClockKHR %v2 %c1\n%x = OpBitcast %ulong %v\n%y = OpReadClockKHR %ulong %c1\n%o = OpULessThanEqual %bool %x %y\n%r = OpSelect %uint %o %c1 %c0",
        |_| 1,
    ),
];

/// Reductions and scans: instruction and type.
const ARITHMETIC: &[(&str, &str)] = &[
    ("IAdd", "uint"),
    ("IMul", "uint"),
    ("SMin", "uint"),
    ("UMin", "uint"),
    ("SMax", "uint"),
    ("UMax", "uint"),
    ("BitwiseAnd", "uint"),
    ("BitwiseOr", "uint"),
    ("BitwiseXor", "uint"),
    ("IAdd", "uchar"),
    ("SMin", "uchar"),
    ("SMax", "ushort"),
    ("UMin", "ushort"),
    ("SMin", "ulong"),
    ("UMin", "ulong"),
    ("FAdd", "float"),
    ("FMul", "float"),
    ("FMin", "float"),
    ("FMax", "float"),
    ("FMin", "half"),
    ("FAdd", "half"),
    ("FMax", "double"),
    ("FAdd", "double"),
];

/// A row whose expectation depends on more.
type Row = (String, Box<dyn Fn(&Seen<'_>) -> u32>);

/// The instructions that OpGroup* has, at the scope of the sub-group.
const UNIFORM: &[&str] = &["IAdd", "FAdd", "FMin", "UMin", "SMin", "FMax", "UMax", "SMax"];

fn bits(ty: &str) -> u32 {
    match ty {
        "uchar" => 8,
        "ushort" | "half" => 16,
        "ulong" | "double" => 64,
        _ => 32,
    }
}

/// What an instruction combines, and makes of nothing; integers of `width` bits.
fn combine_integers(op: &str, width: u32, before: Option<u64>, own: u64) -> u64 {
    let all = u64::MAX >> (64 - width);
    let signed = |x: u64| (x << (64 - width)) as i64 >> (64 - width);
    let x = before.unwrap_or(match op {
        "IMul" => 1,
        "SMin" => all >> 1,
        "SMax" => all ^ all >> 1,
        "UMin" | "BitwiseAnd" => all,
        _ => 0,
    });
    all & match op {
        "IAdd" => x.wrapping_add(own),
        "IMul" => x.wrapping_mul(own),
        "SMin" => signed(x).min(signed(own)) as u64,
        "SMax" => signed(x).max(signed(own)) as u64,
        "UMin" => x.min(own),
        "UMax" => x.max(own),
        "BitwiseAnd" => x & own,
        "BitwiseOr" => x | own,
        _ => x ^ own,
    }
}

/// The same for numbers of a floating-point type; those of halves are small.
fn combine_floats(op: &str, ty: &str, before: Option<f64>, own: f64) -> f64 {
    let Some(x) = before else { return own };
    let result = match op {
        "FAdd" => x + own,
        "FMul" => x * own,
        "FMin" => x.min(own),
        _ => x.max(own),
    };
    if ty == "float" { f64::from(result as f32) } else { result }
}

/// The low bits of a number in a type.
fn encoded(ty: &str, value: f64) -> u32 {
    match ty {
        "float" => (value as f32).to_bits(),
        "double" => value.to_bits() as u32,
        _ if value == 0.0 => 0,
        _ if value.is_infinite() => choose(value > 0.0, 0x7c00, 0xfc00),
        // A whole number.
        _ => {
            let exponent = value.log2().floor() as i32;
            (((exponent + 15) as u32) << 10) + ((value / 2f64.powi(exponent) - 1.0) * 1024.0) as u32
        }
    }
}

/// The bits that an exclusive scan gives the first work-item.
fn identity(op: &str, ty: &str) -> u32 {
    let float = match op {
        "FAdd" => 0.0,
        "FMul" => 1.0,
        "FMin" => f64::INFINITY,
        "FMax" => f64::NEG_INFINITY,
        // What it gives combined with what changes nothing.
        "IAdd" | "UMax" | "BitwiseOr" | "BitwiseXor" => return 0,
        "IMul" => return 1,
        "UMin" | "BitwiseAnd" => return (u64::MAX >> (64 - bits(ty))) as u32,
        "SMin" => return (u64::MAX >> (64 - bits(ty)) >> 1) as u32,
        _ => return (1u64 << (bits(ty) - 1)) as u32,
    };
    encoded(ty, float)
}

/// The parts of a sum or a product as one: those of the upper half come to those of the lower one until there is one.
fn halved<T: Copy>(mut parts: [T; 16], combine: impl Fn(T, T) -> T) -> T {
    for half in [8, 4, 2, 1] {
        (0..half).for_each(|part| parts[part] = combine(parts[part], parts[part + half]));
    }
    parts[0]
}

/// Instructions that give `%r` the lower half of the result of a reduction or scan of `%a`, and what that is.
fn arithmetic(instruction: &str, (op, ty): (&'static str, &'static str), operation: &'static str) -> Row {
    let (width, int) = (bits(ty), ["uchar", "ushort", "uint", "ulong"][bits(ty).ilog2() as usize - 3]);
    let float = ty != int;
    // Of floats one or two, or small whole numbers, or all.
    let number: fn(u32) -> u32 = match (op, ty) {
        ("FMul", _) => |a| (a & 1) + 1,
        (_, "half") => |a| a & 7,
        _ => |a| a,
    };
    let mut text = match (op, ty) {
        ("FMul", _) => "%e = OpBitwiseAnd %uint %a %c1\n%d = OpIAdd %uint %e %c1\n",
        (_, "half") => "%d = OpBitwiseAnd %uint %a %c7\n",
        _ => "%d = OpCopyObject %uint %a\n",
    }
    .to_owned();
    let convert = if width == 32 { "OpCopyObject" } else { "OpUConvert" };
    text += &if float { format!("%n = OpConvertUToF %{ty} %d\n") } else { format!("%n = {convert} %{int} %d\n") };
    let cluster = if operation == "ClusteredReduce" { " %c4" } else { "" };
    let _ = writeln!(text, "%y = {instruction} %{ty} %sub {operation} %n{cluster}");
    if float {
        let _ = writeln!(text, "%z = OpBitcast %{int} %y");
    }
    let _ = writeln!(text, "%r = {convert} %uint {}", if float { "%z" } else { "%y" });
    let expected = move |s: &Seen<'_>| {
        let range = match operation {
            "Reduce" => 0..s.items.len(),
            "InclusiveScan" => 0..s.own + 1,
            "ExclusiveScan" => 0..s.own,
            _ => s.own / 4 * 4..s.items.len().min(s.own / 4 * 4 + 4),
        };
        let start = range.start;
        let items = s.items[range].iter().map(|item| number(item.0));
        if float {
            let items = items.map(|own| if ty == "float" { f64::from(own as f32) } else { f64::from(own) });
            let combine = |x: Option<f64>, own| Some(combine_floats(op, ty, x, own));
            let all = match (op, operation) {
                ("FAdd" | "FMul", "Reduce" | "ClusteredReduce") => {
                    let mut parts = [None; 16];
                    items
                        .enumerate()
                        .for_each(|(i, own)| parts[(start + i) % 16] = combine(parts[(start + i) % 16], own));
                    halved(parts, |low, high| high.map_or(low, |high| combine(low, high)))
                }
                ("FAdd" | "FMul", _) => {
                    let mut up_to: Vec<f64> = items.collect();
                    for distance in [1, 2, 4, 8, 16, 32] {
                        let before = up_to.clone();
                        (distance..up_to.len())
                            .for_each(|i| up_to[i] = combine_floats(op, ty, Some(before[i - distance]), before[i]));
                    }
                    up_to.last().copied()
                }
                _ => items.fold(None, combine),
            };
            return all.map_or_else(|| identity(op, ty), |value| encoded(ty, value));
        }
        let own = |x: u32| u64::from(x) & u64::MAX >> (64 - width);
        let all = items.fold(None, |x, item| Some(combine_integers(op, width, x, own(item))));
        all.map_or_else(|| identity(op, ty), |value| value as u32)
    };
    (text, Box::new(expected))
}

/// Work-items of a work-group of the harness.
const GROUP: usize = 50;

/// What a row stores in a work-group, from the `a` and `b` of its work-items and the local id.
type InGroup = fn(&[(u32, u32)], usize) -> u32;

fn floats(items: &[(u32, u32)]) -> impl Iterator<Item = f32> {
    items.iter().map(|item| item.0 as f32)
}

/// The sum in sixteen parts.
fn in_parts(items: impl Iterator<Item = f32>) -> f32 {
    let mut parts = [-0.0f32; 16];
    items.enumerate().for_each(|(item, number)| parts[item % 16] += number);
    halved(parts, |low, high| low + high)
}

fn doubles(items: &[(u32, u32)]) -> impl Iterator<Item = f64> {
    items.iter().map(|item| 1.0 + f64::from(item.0) / 4_294_967_296.0)
}

fn low(value: f64) -> u32 {
    value.to_bits() as u32
}

/// Instructions in the work-group.
const IN_GROUP: &[(&str, InGroup)] = &[
    ("%o = OpULessThan %bool %a %b\n%p = OpGroupAll %bool %group %o\n%r = OpSelect %uint %p %c1 %c0", |g, _| {
        u32::from(g.iter().all(|(a, b)| a < b))
    }),
    ("%o = OpUGreaterThan %bool %a %c0\n%p = OpGroupAny %bool %group %o\n%r = OpSelect %uint %p %c1 %c0", |g, _| {
        u32::from(g.iter().any(|(a, _)| *a > 0))
    }),
    ("%r = OpGroupBroadcast %uint %group %a %zero", |g, _| g[0].0),
    ("%l = OpUMod %uint %c50 %c7\n%r = OpGroupBroadcast %uint %group %b %l", |g, _| g[1].1),
    (
        "%v = OpCompositeConstruct %v3 %seven %zero %zero\n%w = OpCompositeConstruct %v4 %a %b %a %b\n%x = OpGroupBroadcast %v4 %group %w %v\n%r = OpCompositeExtract %uint %x 1",
        |g, _| g[7].1,
    ),
    // A local id that no work-item has.
    ("%r = OpGroupBroadcast %uint %group %a %c50", |_, _| 0),
    ("%r = OpGroupIAdd %uint %group Reduce %a", |g, _| g.iter().fold(0, |s, x| s.wrapping_add(x.0))),
    ("%r = OpGroupIAdd %uint %group InclusiveScan %a", |g, i| g[..=i].iter().fold(0, |s, x| s.wrapping_add(x.0))),
    ("%r = OpGroupIAdd %uint %group ExclusiveScan %a", |g, i| g[..i].iter().fold(0, |s, x| s.wrapping_add(x.0))),
    ("%r = OpGroupSMin %uint %group Reduce %a", |g, _| g.iter().map(|x| x.0 as i32).min().unwrap() as u32),
    ("%r = OpGroupUMin %uint %group InclusiveScan %a", |g, i| g[..=i].iter().map(|x| x.0).min().unwrap()),
    ("%r = OpGroupSMax %uint %group ExclusiveScan %a", |g, i| {
        g[..i].iter().map(|x| x.0 as i32).max().unwrap_or(i32::MIN) as u32
    }),
    ("%r = OpGroupUMax %uint %group Reduce %a", |g, _| g.iter().map(|x| x.0).max().unwrap()),
    ("%n = OpUConvert %uchar %a\n%x = OpGroupIAdd %uchar %group InclusiveScan %n\n%r = OpUConvert %uint %x", |g, i| {
        u32::from(g[..=i].iter().fold(0u8, |s, x| s.wrapping_add(x.0 as u8)))
    }),
    (
        "%n = OpUConvert %ulong %a\n%x = OpGroupIAdd %ulong %group Reduce %n\n%y = OpShiftRightLogical %ulong %x %c16\n%r = OpUConvert %uint %y",
        |g, _| (g.iter().map(|x| u64::from(x.0)).sum::<u64>() >> 16) as u32,
    ),
    ("%f = OpConvertUToF %float %a\n%x = OpGroupFAdd %float %group Reduce %f\n%r = OpBitcast %uint %x", |g, _| {
        in_parts(floats(g)).to_bits()
    }),
    (
        "%f = OpConvertUToF %float %a\n%x = OpGroupFAdd %float %group InclusiveScan %f\n%r = OpBitcast %uint %x",
        |g, i| floats(&g[..=i]).reduce(|s, x| s + x).unwrap().to_bits(),
    ),
    (
        "%f = OpConvertUToF %float %a\n%x = OpGroupFMin %float %group ExclusiveScan %f\n%r = OpBitcast %uint %x",
        |g, i| floats(&g[..i]).reduce(f32::min).unwrap_or(f32::INFINITY).to_bits(),
    ),
    // Of -0.0 alone.
    ("%f = OpBitcast %float %minus\n%x = OpGroupFAdd %float %group Reduce %f\n%r = OpBitcast %uint %x", |_, _| 1 << 31),
    // Bit patterns may be no numbers, which lose to numbers.
    (
        "%f = OpBitcast %float %b\n%n = OpIsNan %bool %f\n%x = OpGroupFMax %float %group Reduce %f\n%y = OpBitcast %uint %x\n%r = OpShiftRightLogical %uint %y %c1",
        |g, _| {
            let bits = g.iter().map(|x| f32::from_bits(x.1)).reduce(|s, x| if x > s || s.is_nan() { x } else { s });
            bits.unwrap().to_bits() >> 1
        },
    ),
    (
        "%f = OpConvertUToF %double %a\n%d = OpFMul %double %f %tiny\n%e = OpFAdd %double %d %one\n%x = OpGroupFMulKHR %double %group InclusiveScan %e\n%y = OpBitcast %ulong %x\n%r = OpUConvert %uint %y",
        |g, i| low(doubles(&g[..=i]).reduce(|s, x| s * x).unwrap()),
    ),
    ("%r = OpGroupIMulKHR %uint %group ExclusiveScan %a", |g, i| g[..i].iter().fold(1, |s, x| s.wrapping_mul(x.0))),
    ("%r = OpGroupBitwiseAndKHR %uint %group Reduce %a", |g, _| g.iter().fold(u32::MAX, |s, x| s & x.0)),
    ("%r = OpGroupBitwiseOrKHR %uint %group ExclusiveScan %a", |g, i| g[..i].iter().fold(0, |s, x| s | x.0)),
    ("%r = OpGroupBitwiseXorKHR %uint %group InclusiveScan %a", |g, i| g[..=i].iter().fold(0, |s, x| s ^ x.0)),
    (
        "%o = OpULessThan %bool %a %b\n%p = OpGroupLogicalAndKHR %bool %group ExclusiveScan %o\n%r = OpSelect %uint %p %c1 %c0",
        |g, i| u32::from(g[..i].iter().all(|(a, b)| a < b)),
    ),
    (
        "%o = OpULessThan %bool %a %b\n%p = OpGroupLogicalOrKHR %bool %group InclusiveScan %o\n%r = OpSelect %uint %p %c1 %c0",
        |g, i| u32::from(g[..=i].iter().any(|(a, b)| a < b)),
    ),
    (
        "%o = OpULessThan %bool %a %b\n%p = OpGroupLogicalXorKHR %bool %group Reduce %o\n%r = OpSelect %uint %p %c1 %c0",
        |g, _| u32::from(g.iter().filter(|(a, b)| a < b).count() % 2 == 1),
    ),
    // A barrier in two parts: what all wrote before the first is there behind the second.
    (
        "%l = OpUMod %uint %i32 %c50\n%p = OpInBoundsAccessChain %local %shared %l\nOpStore %p %a\n\
         OpControlBarrierArriveINTEL %group %group %acq_rel\n%n = OpIMul %uint %b %c7\n\
         OpControlBarrierWaitINTEL %group %group %acq_rel\n%x = OpIAdd %uint %l %c7\n%y = OpUMod %uint %x %c50\n\
         %z = OpInBoundsAccessChain %local %shared %y\n%d = OpLoad %uint %z\n%r = OpIAdd %uint %d %n\n\
         OpControlBarrier %group %group %acq_rel",
        |g, i| g[(i + 7) % GROUP].0.wrapping_add(g[i].1.wrapping_mul(7)),
    ),
];

const HEAD: &str = "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int8\nOpCapability Int16\n\
    OpCapability Int64\nOpCapability Float16\nOpCapability Float64\nOpCapability Groups\nOpCapability SubgroupDispatch\n\
    OpCapability GroupNonUniform\nOpCapability GroupNonUniformVote\nOpCapability GroupNonUniformArithmetic\n\
    OpCapability GroupNonUniformBallot\nOpCapability GroupNonUniformShuffle\n\
    OpCapability GroupNonUniformShuffleRelative\nOpCapability GroupNonUniformClustered\n\
    OpCapability GroupNonUniformRotateKHR\nOpCapability SubgroupShuffleINTEL\n\
    OpCapability SubgroupBufferBlockIOINTEL\nOpCapability GroupUniformArithmeticKHR\n\
    OpCapability SplitBarrierINTEL\nOpCapability ShaderClockKHR\n\
    OpExtension \"SPV_INTEL_split_barrier\"\nOpExtension \"SPV_KHR_shader_clock\"\n\
    OpExtension \"SPV_KHR_uniform_group_instructions\"\nOpExtension \"SPV_KHR_subgroup_rotate\"\n\
    OpExtension \"SPV_INTEL_subgroups\"\nOpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\" %gid %size %max_size \
    %count %enqueued %number %lane %eq %ge %gt %le %lt %shared\n";

const BUILT_INS: &[(&str, &str, &str)] = &[
    ("gid", "GlobalInvocationId", "v3"),
    ("size", "SubgroupSize", "uint"),
    ("max_size", "SubgroupMaxSize", "uint"),
    ("count", "NumSubgroups", "uint"),
    ("enqueued", "NumEnqueuedSubgroups", "uint"),
    ("number", "SubgroupId", "uint"),
    ("lane", "SubgroupLocalInvocationId", "uint"),
    ("eq", "SubgroupEqMask", "v4"),
    ("ge", "SubgroupGeMask", "v4"),
    ("gt", "SubgroupGtMask", "v4"),
    ("le", "SubgroupLeMask", "v4"),
    ("lt", "SubgroupLtMask", "v4"),
];

/// A module whose kernel `k(a, b, out)` stores the results of all rows, one after the other for each work-item, with
/// sub-groups of a size.
fn module(rows: &[String], size: usize) -> String {
    let mut text = format!("{HEAD}OpExecutionMode %k SubgroupSize {size}\n");
    for (name, built_in, _) in BUILT_INS {
        let _ = writeln!(text, "OpDecorate %{name} BuiltIn {built_in}");
    }
    text.push_str(
        "%void = OpTypeVoid\n%bool = OpTypeBool\n%uchar = OpTypeInt 8 0\n%ushort = OpTypeInt 16 0\n\
         %uint = OpTypeInt 32 0\n%ulong = OpTypeInt 64 0\n%half = OpTypeFloat 16\n%float = OpTypeFloat 32\n\
         %double = OpTypeFloat 64\n%v2 = OpTypeVector %uint 2\n%v3 = OpTypeVector %ulong 3\n\
         %v4 = OpTypeVector %uint 4\n%true = OpConstantTrue %bool\n%c0 = OpConstant %uint 0\n%c1 = OpConstant %uint 1\n\
         %c2 = OpConstant %uint 2\n%c4 = OpConstant %uint 4\n\
         %sub = OpConstant %uint 3\n%group = OpConstant %uint 2\n%c50 = OpConstant %uint 50\n\
         %c7 = OpConstant %uint 7\n%c16 = OpConstant %uint 16\n%minus = OpConstant %uint 0x80000000\n\
         %seven = OpConstant %ulong 7\n%one = OpConstant %double 1\n%tiny = OpConstant %double 0x1p-32\n\
         %acq_rel = OpConstant %uint 0x388\n%zero = OpConstant %ulong 0\n\
         %ptr = OpTypePointer CrossWorkgroup %uint\n%in_uint = OpTypePointer Input %uint\n\
         %local = OpTypePointer Workgroup %uint\n%array = OpTypeArray %uint %c50\n\
         %locals = OpTypePointer Workgroup %array\n%shared = OpVariable %locals Workgroup\n\
         %in_v3 = OpTypePointer Input %v3\n%in_v4 = OpTypePointer Input %v4\n%ty = OpTypeFunction %void %ptr %ptr %ptr\n",
    );
    let _ = writeln!(text, "%rows = OpConstant %ulong {}", rows.len());
    for (name, _, ty) in BUILT_INS {
        let _ = writeln!(text, "%{name} = OpVariable %in_{ty} Input");
    }
    for row in 0..rows.len() {
        let _ = writeln!(text, "%row{row} = OpConstant %ulong {row}");
    }
    text.push_str(
        "%k = OpFunction %void None %ty\n%pa = OpFunctionParameter %ptr\n%pb = OpFunctionParameter %ptr\n\
         %po = OpFunctionParameter %ptr\n%entry = OpLabel\n%ids = OpLoad %v3 %gid\n\
         %i = OpCompositeExtract %ulong %ids 0\n%i32 = OpUConvert %uint %i\n%first = OpIMul %ulong %i %rows\n\
         %ppa = OpInBoundsPtrAccessChain %ptr %pa %i\n%ppb = OpInBoundsPtrAccessChain %ptr %pb %i\n\
         %a = OpLoad %uint %ppa\n%b = OpLoad %uint %ppb\n%own = OpLoad %uint %lane\n%here = OpLoad %uint %size\n\
         %most = OpLoad %uint %max_size\n%full = OpIEqual %bool %here %most\n",
    );
    for (number, row) in rows.iter().enumerate() {
        // Names of one row are no other's.
        let local = ["%r", "%p", "%o", "%f", "%v", "%w", "%d", "%n", "%e", "%s", "%x", "%y", "%z", "%l", "%ppo"];
        let _ = writeln!(
            text,
            "%at_{number} = OpIAdd %ulong %first %row{number}\n\
             %ppo_{number} = OpInBoundsPtrAccessChain %ptr %po %at_{number}"
        );
        for line in row.lines() {
            let words = line
                .split_whitespace()
                .map(|word| if local.contains(&word) { format!("{word}_{number}") } else { word.to_owned() });
            text.push_str(&words.collect::<Vec<_>>().join(" "));
            text.push('\n');
        }
        let _ = writeln!(text, "OpStore %ppo_{number} %r_{number} Aligned 4");
    }
    text.push_str("OpReturn\nOpFunctionEnd\n");
    text
}

#[test]
fn sub_groups_of_every_size_do_what_their_work_items_do_together() {
    let mut rows: Vec<Row> = Vec::new();
    for (text, expected) in ROWS {
        rows.push(((*text).to_owned(), Box::new(expected)));
    }
    for (op, ty) in ARITHMETIC {
        for operation in ["Reduce", "InclusiveScan", "ExclusiveScan", "ClusteredReduce"] {
            rows.push(arithmetic(&format!("OpGroupNonUniform{op}"), (op, ty), operation));
            if UNIFORM.contains(op) && operation != "ClusteredReduce" {
                rows.push(arithmetic(&format!("OpGroup{op}"), (op, ty), operation));
            }
        }
    }
    let texts: Vec<String> = rows.iter().map(|row| row.0.clone()).collect();
    for size in [4, 16, 64] {
        assert_rows(&texts, size, |all, item, row| {
            let start = item / GROUP * GROUP + item % GROUP / size * size;
            let end = (start + size).min((item / GROUP + 1) * GROUP);
            rows[row].1(&Seen { all, items: &all[start..end], own: item - start, item, size })
        });
    }
}

#[test]
fn work_groups_combine_in_the_order_of_local_ids() {
    let texts: Vec<String> = IN_GROUP.iter().map(|row| row.0.to_owned()).collect();
    assert_rows(&texts, 4, |items, item, row| {
        let start = item / GROUP * GROUP;
        IN_GROUP[row].1(&items[start..start + GROUP], item % GROUP)
    });
}

/// Executes rows over samples of `a` and `b` and compares with `expected` of all samples, a work-item and a row.
fn assert_rows(texts: &[String], size: usize, expected: impl Fn(&[(u32, u32)], usize, usize) -> u32) {
    let source = module(texts, size);
    let words = oxicl_offline::assemble(&source).unwrap_or_else(|log| panic!("{log}\n{source}"));
    let mut random = Random::new(7);
    let inputs: Vec<(u32, u32)> = (0..SAMPLES).map(|_| (u32::sample(&mut random), u32::sample(&mut random))).collect();
    let mut buffers = [Vec::new(), Vec::new()];
    for (a, b) in &inputs {
        a.put(&mut buffers[0]);
        b.put(&mut buffers[1]);
    }
    // The last sub-groups' blocks of two end behind their own elements.
    buffers[0].extend([0; 4 * 64]);
    let output = execute_module::<u32>(&words, "k", &[&buffers[0], &buffers[1]], 4 * SAMPLES * texts.len());
    for item in 0..SAMPLES {
        for (row, text) in texts.iter().enumerate() {
            let got = u32::get(&output[4 * (item * texts.len() + row)..]);
            assert_eq!(
                got,
                expected(&inputs, item, row),
                "sub-groups of {size}: {text} in work-item {item} of {:x?}",
                inputs[item]
            );
        }
    }
}

/// Copies in both directions, whole and strided, of vectors of three too; the events wait alone and together.
const COPIES: &str = "
kernel void k(global const uint *a, global const uint *b, global uint *out) {
  local uint l[50]; local uint m[50]; local uint2 p[25]; local uint3 q[6];
  size_t g = get_group_id(0), i = get_local_id(0);
  event_t e = async_work_group_copy(l, a + 50 * g, 50, 0);
  wait_group_events(1, &e);
  uint x = l[49 - i];
  event_t f[2];
  f[0] = async_work_group_strided_copy(m, b + 50 * g, 25, 2, 0);
  f[1] = async_work_group_copy(p, (global const uint2 *)(a + 50 * g), 25, f[0]);
  wait_group_events(2, f);
  x += m[i / 2] * 3 + p[i / 2].y * 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  prefetch(b, 50);
  e = async_work_group_copy(q, (global const uint3 *)(b + 50 * g), 6, 0);
  wait_group_events(1, &e);
  x += q[i % 6].z * 7;
  m[i] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_strided_copy(out + 50 * g, m, 25, 2, 0);
  wait_group_events(1, &e);
  if (i < 25) out[50 * g + 2 * i + 1] = m[25 + i];
}";

#[test]
fn asynchronous_copies_are_there_when_they_were_waited_for() {
    for level in [oxicl_offline::Level::Plain, oxicl_offline::Level::Optimised] {
        let words = oxicl_offline::compile(COPIES, level).unwrap_or_else(|log| panic!("{log}"));
        let number = |item: usize, factor: u32| (item as u32).wrapping_mul(factor) ^ 0x5a5a;
        let mut buffers = [Vec::new(), Vec::new()];
        for item in 0..SAMPLES {
            number(item, 2_654_435_761).put(&mut buffers[0]);
            number(item, 40_503).put(&mut buffers[1]);
        }
        let output = execute_module::<u32>(&words, "k", &[&buffers[0], &buffers[1]], 4 * SAMPLES);
        for start in (0..SAMPLES).step_by(GROUP) {
            let a = |i: usize| number(start + i, 2_654_435_761);
            let b = |i: usize| number(start + i, 40_503);
            let value = |i: usize| {
                let pair = b(i / 2 * 2).wrapping_mul(3).wrapping_add(a(i / 2 * 2 + 1).wrapping_mul(5));
                a(49 - i).wrapping_add(pair).wrapping_add(b(i % 6 * 4 + 2).wrapping_mul(7))
            };
            for i in 0..GROUP {
                let expected = if i % 2 == 0 { value(i / 2) } else { value(25 + i / 2) };
                assert_eq!(u32::get(&output[4 * (start + i)..]), expected, "{level:?}, {start} + {i}");
            }
        }
    }
}
