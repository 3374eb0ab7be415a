//! The operations: each as IR, and as a question to LLVM.

use oxicl_llvm::{Context, Costs, IntPredicate, Opcode, RealPredicate, Shuffle, Type};

/// What an instance of an operation has to work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `%a`, a value of its own.
    Unary,
    /// `%a` and `%b`, a pair of its own, and `%d`, which all have.
    Binary,
    /// `%a` and `%b` of all, and `%c`, which the result takes the place of, as the machine's instruction writes there.
    Accumulating,
}

/// An operation.
pub struct Operation<'c> {
    pub name: String,
    pub form: Form,
    /// The type of the operands, and constants that `%a`, and `%b` and `%c` have.
    pub operand: String,
    pub value: String,
    pub second: String,
    /// The types of `%r0`, `%r1` and so on; none if it stores.
    pub results: Vec<String>,
    /// IR with `%a`, `%b`, `%c`, `%d`, the results, temporaries `%t` and `%u`, and `%p`, a place in memory of its own.
    pub code: String,
    /// What LLVM says that one costs.
    pub ask: Ask<'c>,
}

/// A question to LLVM.
pub type Ask<'c> = Box<dyn Fn(&Costs<'c>) -> Option<u64> + 'c>;

/// Numbers of a vector.
#[derive(Clone, Copy)]
pub struct Number<'c> {
    pub name: &'static str,
    pub bits: u32,
    pub ty: Type<'c>,
}

/// What `%a` is, which divisions take some time for, what `%b` is, which it is shifted and divided by, and 1.5 as a half.
pub const FIRST: i64 = 123_456_789;
pub const SECOND: i64 = 7;
const HALF: u16 = 0x3e00;
/// What masks have for lanes that are on.
pub const ON: i64 = -3;

/// All operations on registers of so many bits.
pub fn operations<'c>(context: &'c Context, bits: u32) -> Vec<Operation<'c>> {
    let list = List { context, bits };
    let mut all = list.integers();
    all.extend(list.floats());
    all.extend(list.choices());
    all.extend(list.casts());
    all.extend(list.accesses());
    all.extend(list.interleaved());
    all.extend(list.shuffles());
    all.extend(list.intrinsics());
    all.extend(list.scalars());
    all
}

/// What makes the operations, for registers of so many bits.
pub struct List<'c> {
    context: &'c Context,
    pub bits: u32,
}

impl<'c> List<'c> {
    pub fn int(&self, bits: u32) -> Number<'c> {
        let name = match bits {
            8 => "i8",
            16 => "i16",
            32 => "i32",
            _ => "i64",
        };
        Number { name, bits, ty: self.context.int_type(bits) }
    }

    pub fn float(&self) -> Number<'c> {
        Number { name: "float", bits: 32, ty: self.context.float_type() }
    }

    pub fn double(&self) -> Number<'c> {
        Number { name: "double", bits: 64, ty: self.context.double_type() }
    }

    /// A vector that fills a register.
    pub fn full(&self, number: Number<'c>) -> (String, Type<'c>) {
        let lanes = self.bits / number.bits;
        (text(number, lanes), number.ty.vector(lanes))
    }

    /// An operation whose operands and result are all of one type that fills a register.
    pub fn same(
        &self,
        name: &str,
        form: Form,
        number: Number<'c>,
        code: impl Fn(&str) -> String,
        ask: impl Fn(&Costs<'c>, Type<'c>) -> Option<u64> + 'c,
    ) -> Operation<'c> {
        let (ty, whole) = self.full(number);
        Operation {
            name: format!("{name} {ty}"),
            form,
            value: splat(number, FIRST),
            second: splat(number, SECOND),
            results: vec![ty.clone()],
            code: code(&ty),
            operand: ty,
            ask: Box::new(move |costs| ask(costs, whole)),
        }
    }

    fn arithmetic(&self, name: &'static str, opcode: Opcode, number: Number<'c>) -> Operation<'c> {
        let code = |ty: &str| format!("%r0 = {name} {ty} %a, %b");
        self.same(name, Form::Binary, number, code, move |costs, ty| costs.arithmetic(opcode, ty))
    }

    fn integers(&self) -> Vec<Operation<'c>> {
        let mut all = Vec::new();
        for bits in [8, 16, 32, 64] {
            for (name, opcode) in [
                ("add", Opcode::Add),
                ("mul", Opcode::Mul),
                ("shl", Opcode::Shl),
                ("lshr", Opcode::LShr),
                ("ashr", Opcode::AShr),
            ] {
                all.push(self.arithmetic(name, opcode, self.int(bits)));
            }
        }
        all.push(self.arithmetic("xor", Opcode::Xor, self.int(32)));
        for bits in [32, 64] {
            for (name, opcode) in [("udiv", Opcode::UDiv), ("sdiv", Opcode::SDiv), ("urem", Opcode::URem)] {
                all.push(self.arithmetic(name, opcode, self.int(bits)));
            }
        }
        all
    }

    fn floats(&self) -> Vec<Operation<'c>> {
        let mut all = Vec::new();
        for number in [self.float(), self.double()] {
            for (name, opcode) in [("fadd", Opcode::FAdd), ("fmul", Opcode::FMul), ("fdiv", Opcode::FDiv)] {
                all.push(self.arithmetic(name, opcode, number));
            }
            let code = |ty: &str| format!("%r0 = fneg {ty} %a");
            all.push(self.same("fneg", Form::Unary, number, code, |costs, ty| costs.arithmetic(Opcode::FNeg, ty)));
        }
        all
    }

    /// Comparisons with the choices that they are for: what is between has no form that all machines share.
    fn choices(&self) -> Vec<Operation<'c>> {
        let mut all = Vec::new();
        for bits in [8, 16, 32, 64] {
            let lanes = self.bits / bits;
            let code =
                move |ty: &str| format!("%t = icmp slt {ty} %a, %b\n%r0 = select <{lanes} x i1> %t, {ty} %a, {ty} %d");
            let ask = |costs: &Costs<'c>, ty| Some(costs.compare_int(IntPredicate::Slt, ty)? + costs.select(ty)?);
            all.push(self.same("icmp and select", Form::Binary, self.int(bits), code, ask));
        }
        for number in [self.float(), self.double()] {
            let lanes = self.bits / number.bits;
            let code =
                move |ty: &str| format!("%t = fcmp olt {ty} %a, %b\n%r0 = select <{lanes} x i1> %t, {ty} %a, {ty} %d");
            let ask = |costs: &Costs<'c>, ty| Some(costs.compare_float(RealPredicate::Olt, ty)? + costs.select(ty)?);
            all.push(self.same("fcmp and select", Form::Binary, number, code, ask));
        }
        all
    }

    /// Conversions of as many numbers as fill a register with the larger ones. Registers of 128 bits hold the smaller vectors.
    fn casts(&self) -> Vec<Operation<'c>> {
        let (f32, f64) = (self.float(), self.double());
        let half = Number { name: "half", bits: 16, ty: self.context.half_type() };
        let int = |bits| self.int(bits);
        [
            ("sitofp", Opcode::SIToFP, int(32), f32),
            ("uitofp", Opcode::UIToFP, int(32), f32),
            ("fptosi", Opcode::FPToSI, f32, int(32)),
            ("fptoui", Opcode::FPToUI, f32, int(32)),
            ("sitofp", Opcode::SIToFP, int(64), f64),
            ("uitofp", Opcode::UIToFP, int(64), f64),
            ("fptosi", Opcode::FPToSI, f64, int(64)),
            ("fptoui", Opcode::FPToUI, f64, int(64)),
            ("sitofp", Opcode::SIToFP, int(32), f64),
            ("fptosi", Opcode::FPToSI, f64, int(32)),
            ("fpext", Opcode::FPExt, f32, f64),
            ("fptrunc", Opcode::FPTrunc, f64, f32),
            ("fpext", Opcode::FPExt, half, f32),
            ("fptrunc", Opcode::FPTrunc, f32, half),
            ("sext", Opcode::SExt, int(8), int(16)),
            ("zext", Opcode::ZExt, int(8), int(16)),
            ("sext", Opcode::SExt, int(8), int(32)),
            ("zext", Opcode::ZExt, int(8), int(32)),
            ("sext", Opcode::SExt, int(16), int(32)),
            ("zext", Opcode::ZExt, int(16), int(32)),
            ("sext", Opcode::SExt, int(32), int(64)),
            ("zext", Opcode::ZExt, int(32), int(64)),
            ("trunc", Opcode::Trunc, int(16), int(8)),
            ("trunc", Opcode::Trunc, int(32), int(8)),
            ("trunc", Opcode::Trunc, int(32), int(16)),
            ("trunc", Opcode::Trunc, int(64), int(32)),
        ]
        .into_iter()
        .map(|(name, opcode, from, to)| self.cast(name, opcode, from, to))
        .collect()
    }

    fn cast(&self, name: &str, opcode: Opcode, from: Number<'c>, to: Number<'c>) -> Operation<'c> {
        let lanes = self.bits / from.bits.max(to.bits);
        let (source, target) = (text(from, lanes), text(to, lanes));
        // A register's worth of words stands for halves, which are in no register by themselves.
        let held = |number: Number<'c>| {
            let number = if number.name == "half" { self.int(16) } else { number };
            (number, lanes.max(128 / number.bits))
        };
        let ((from_held, from_lanes), (to_held, to_lanes)) = (held(from), held(to));
        let mut code = String::from("%t = ");
        code += &resized(from_held, from_lanes, lanes, "%a");
        code += &format!("\n%u = bitcast {} %t to {source}", text(from_held, lanes));
        code += &format!("\n%v = {name} {source} %u to {target}");
        code += &format!("\n%w = bitcast {target} %v to {}", text(to_held, lanes));
        code += &format!("\n%r0 = {}", resized(to_held, lanes, to_lanes, "%w"));
        let (from_type, to_type) = (from.ty.vector(lanes), to.ty.vector(lanes));
        Operation {
            name: format!("{name} {source} to {target}"),
            form: Form::Unary,
            operand: text(from_held, from_lanes),
            value: if from.name == "half" { format!("splat (i16 {HALF})") } else { splat(from_held, FIRST) },
            second: splat(from_held, SECOND),
            results: vec![text(to_held, to_lanes)],
            code,
            ask: Box::new(move |costs| costs.cast(opcode, from_type, to_type)),
        }
    }

    fn shuffles(&self) -> Vec<Operation<'c>> {
        let mut all = Vec::new();
        for number in [self.float(), self.double(), self.int(8), self.int(16)] {
            let lanes = self.bits / number.bits;
            let one = |mask: Vec<u32>| move |ty: &str| shuffled(ty, "poison", &mask);
            let two = |mask: Vec<u32>| move |ty: &str| shuffled(ty, "%b", &mask);
            let ask = |shuffle| move |costs: &Costs<'c>, ty| costs.shuffle(shuffle, ty);
            // Orders that no simpler shuffle has.
            let mixed: Vec<u32> = (0..lanes).map(|lane| (lane * 5 + 3) % lanes).collect();
            let mixed_two: Vec<u32> = mixed.iter().zip(0..).map(|(from, lane)| from + lane % 2 * lanes).collect();
            let chosen: Vec<u32> = (0..lanes).map(|lane| if lane % 3 == 0 { lane } else { lane + lanes }).collect();
            let (broadcast, reverse) = (vec![0; lanes as usize], (0..lanes).rev().collect());
            all.push(self.same("broadcast", Form::Unary, number, one(broadcast), ask(Shuffle::Broadcast)));
            all.push(self.same("reverse", Form::Unary, number, one(reverse), ask(Shuffle::Reverse)));
            all.push(self.same("choose lanes of", Form::Binary, number, two(chosen), ask(Shuffle::Select)));
            all.push(self.same("permute", Form::Unary, number, one(mixed), ask(Shuffle::Permute)));
            all.push(self.same("permute two", Form::Binary, number, two(mixed_two), ask(Shuffle::PermuteTwo)));
        }
        let number = self.float();
        let lanes = self.bits / number.bits;
        let half = number.ty.vector(lanes / 2);
        let upper: Vec<u32> = (lanes / 2..lanes).collect();
        let ask = move |costs: &Costs<'c>, ty| costs.shuffle(Shuffle::Extract(half), ty);
        let mut extract = self.same("upper half of", Form::Unary, number, |ty| shuffled(ty, "poison", &upper), ask);
        extract.results = vec![text(number, lanes / 2)];
        all.push(extract);
        all
    }

    fn intrinsics(&self) -> Vec<Operation<'c>> {
        let (f32, f64) = (self.float(), self.double());
        let int = |bits| self.int(bits);
        let mut all: Vec<Operation<'c>> = Vec::new();
        for number in [f32, f64] {
            for name in ["sqrt", "fabs", "floor", "rint"] {
                all.push(self.intrinsic(name, number, 1));
            }
            for name in ["minnum", "copysign"] {
                all.push(self.intrinsic(name, number, 2));
            }
            all.push(self.intrinsic("fma", number, 3));
        }
        for bits in [8, 16, 32, 64] {
            all.push(self.intrinsic("umin", int(bits), 2));
            all.push(self.intrinsic("smax", int(bits), 2));
        }
        all.extend(
            [(8, "uadd.sat"), (16, "sadd.sat"), (32, "uadd.sat")]
                .map(|(bits, name)| self.intrinsic(name, int(bits), 2)),
        );
        all.extend([8, 32, 64].map(|bits| self.intrinsic("ctpop", int(bits), 1)));
        all.extend([(32, "bswap"), (32, "bitreverse")].map(|(bits, name)| self.intrinsic(name, int(bits), 1)));
        for bits in [32, 64] {
            all.push(self.rotate(int(bits)));
            all.push(self.zeros("ctlz", int(bits)));
        }
        all.push(self.zeros("cttz", int(32)));
        all
    }

    /// A call of `llvm.<name>` with so many arguments of the type of its result.
    fn intrinsic(&self, name: &'static str, number: Number<'c>, arguments: usize) -> Operation<'c> {
        let form = [Form::Unary, Form::Binary, Form::Accumulating][arguments - 1];
        let code = move |ty: &str| {
            let operands: Vec<String> = ["%a", "%b", "%c"][..arguments].iter().map(|a| format!("{ty} {a}")).collect();
            format!("%r0 = call {ty} @llvm.{name}({})", operands.join(", "))
        };
        let ask = move |costs: &Costs<'c>, ty| costs.intrinsic(&format!("llvm.{name}"), ty, &vec![ty; arguments]);
        self.same(name, form, number, code, ask)
    }

    fn rotate(&self, number: Number<'c>) -> Operation<'c> {
        let code = |ty: &str| format!("%r0 = call {ty} @llvm.fshl({ty} %a, {ty} %a, {ty} %b)");
        let ask = |costs: &Costs<'c>, ty| costs.intrinsic("llvm.fshl", ty, &[ty; 3]);
        self.same("rotate by fshl", Form::Binary, number, code, ask)
    }

    fn zeros(&self, name: &'static str, number: Number<'c>) -> Operation<'c> {
        let code = move |ty: &str| format!("%r0 = call {ty} @llvm.{name}({ty} %a, i1 false)");
        let truth = self.context.int_type(1);
        let ask = move |costs: &Costs<'c>, ty| costs.intrinsic(&format!("llvm.{name}"), ty, &[ty, truth]);
        self.same(name, Form::Unary, number, code, ask)
    }

    /// What one work-item alone does.
    fn scalars(&self) -> Vec<Operation<'c>> {
        let (f32, f64) = (self.float(), self.double());
        let one = |name: &'static str, opcode, number: Number<'c>| Operation {
            name: format!("{name} {}", number.name),
            form: Form::Binary,
            operand: number.name.to_owned(),
            value: number_text(number, FIRST),
            second: number_text(number, SECOND),
            results: vec![number.name.to_owned()],
            code: format!("%r0 = {name} {} %a, %b", number.name),
            ask: Box::new(move |costs| costs.arithmetic(opcode, number.ty)),
        };
        let mut all = Vec::new();
        for number in [self.int(32), self.int(64)] {
            for (name, opcode) in [
                ("add", Opcode::Add),
                ("mul", Opcode::Mul),
                ("shl", Opcode::Shl),
                ("udiv", Opcode::UDiv),
                ("sdiv", Opcode::SDiv),
            ] {
                all.push(one(name, opcode, number));
            }
        }
        for number in [f32, f64] {
            for (name, opcode) in [("fadd", Opcode::FAdd), ("fmul", Opcode::FMul), ("fdiv", Opcode::FDiv)] {
                all.push(one(name, opcode, number));
            }
        }
        all
    }
}

pub fn text(number: Number<'_>, lanes: u32) -> String {
    format!("<{lanes} x {}>", number.name)
}

/// A number, as IR has it: what is left of it in bytes and words, and a half more than its last two digits in floating-point
/// numbers, which have no more.
fn number_text(number: Number<'_>, value: i64) -> String {
    match number.bits {
        _ if number.ty.is_float() => format!("{}.5", value % 100),
        8 => format!("{}", value as i8),
        16 => format!("{}", value as i16),
        _ => value.to_string(),
    }
}

pub fn splat(number: Number<'_>, value: i64) -> String {
    format!("splat ({} {})", number.name, number_text(number, value))
}

/// A vector made longer or shorter at its end, which no instruction is for.
fn resized(number: Number<'_>, from: u32, to: u32, value: &str) -> String {
    let lane = |lane: u32| if lane < from { format!("i32 {lane}") } else { "i32 poison".to_owned() };
    let mask: Vec<String> = (0..to).map(lane).collect();
    let ty = text(number, from);
    format!("shufflevector {ty} {value}, {ty} poison, <{to} x i32> <{}>", mask.join(", "))
}

fn shuffled(ty: &str, second: &str, mask: &[u32]) -> String {
    let lanes: Vec<String> = mask.iter().map(|lane| format!("i32 {lane}")).collect();
    format!("%r0 = shufflevector {ty} %a, {ty} {second}, <{} x i32> <{}>", mask.len(), lanes.join(", "))
}
