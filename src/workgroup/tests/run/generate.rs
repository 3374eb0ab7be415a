//! Random kernels with barriers: as textual IR, and as a model that runs all work-items in step.
//!
//! Variables are 32-bit. A kernel has no data race: a work-item writes its own element of the local array, and reads
//! others' only behind a barrier.

#![allow(clippy::needless_range_loop, reason = "several arrays have one entry for each work-item")]

use std::fmt::Write;

use super::machine::Range;

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

const VARIABLES: usize = 4;
/// Elements of the private array.
const PRIVATE: u32 = 8;
/// Elements of the local array: work-groups are no larger.
pub const LOCAL: u64 = 256;

#[derive(Clone, Debug)]
pub enum Expr {
    Constant(u32),
    Variable(usize),
    Counter(usize),
    Argument(usize),
    GlobalId(usize),
    LocalId(usize),
    GroupId(usize),
    LocalSize(usize),
    Binary(&'static str, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Debug)]
pub enum Stmt {
    Assign(usize, Expr),
    /// A condition that may vary; no barrier inside.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// A uniform condition; barriers inside.
    UniformIf(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Turns (below 4) that may vary, counter; no barrier inside.
    Loop(Expr, usize, Vec<Stmt>),
    /// Uniform turns (below 4), counter; barriers inside.
    UniformLoop(Expr, usize, Vec<Stmt>),
    /// Components the innermost uniform loop; uniform.
    BreakIf(Expr),
    /// local[own] = value; barrier; variable = local[(own * factor + shift) % size]; barrier.
    Exchange(usize, Expr, u32, u32),
    Barrier,
    /// variable = a collective operation of [`COLLECTIVES`] on a value, of the work-items that are there.
    Collective(usize, usize, Expr),
    /// variable = the value of the work-item whose local id is the second expression, uniform, modulo the size, in x and y;
    /// 0 if that work-item has returned.
    Broadcast(usize, Expr, Expr),
    /// An early return.
    ReturnIf(Expr),
    PrivateStore(Expr, Expr),
    PrivateLoad(usize, Expr),
}

/// Kind, operation, type, what two values become, and the value before the first.
type Row = (&'static str, &'static str, &'static str, fn(u32, u32) -> u32, u32);

/// Collective operations; floats as their bits.
pub const COLLECTIVES: &[Row] = &[
    ("reduce", "add", "i32", u32::wrapping_add, 0),
    ("reduce", "umin", "i32", u32::min, u32::MAX),
    ("reduce", "smax", "i32", |a, b| (a as i32).max(b as i32) as u32, 1 << 31),
    ("reduce", "xor", "i32", |a, b| a ^ b, 0),
    ("reduce", "fadd", "float", |a, b| (f32::from_bits(a) + f32::from_bits(b)).to_bits(), 0),
    ("scan_inclusive", "add", "i32", u32::wrapping_add, 0),
    ("scan_inclusive", "mul", "i32", u32::wrapping_mul, 1),
    ("scan_inclusive", "fadd", "float", |a, b| (f32::from_bits(a) + f32::from_bits(b)).to_bits(), 0),
    ("scan_exclusive", "smin", "i32", |a, b| (a as i32).min(b as i32) as u32, i32::MAX as u32),
    ("scan_exclusive", "or", "i32", |a, b| a | b, 0),
    ("scan_exclusive", "fmul", "float", |a, b| (f32::from_bits(a) * f32::from_bits(b)).to_bits(), 0x3f80_0000),
];

pub struct Generator {
    pub random: Random,
    counters: usize,
    /// Counters of the loops that are open.
    open: Vec<usize>,
    pub returns: bool,
}

impl Generator {
    pub fn kernel(seed: u64) -> (Vec<Stmt>, usize) {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let returns = random.below(3) == 0;
        let mut generator = Generator { random, counters: 0, open: Vec::new(), returns };
        let body = generator.block(4, true, false);
        (body, generator.counters)
    }

    fn expr(&mut self, depth: u32, uniform: bool) -> Expr {
        if depth > 0 && self.random.below(3) > 0 {
            let op = ["add", "sub", "mul", "xor", "and", "or"][self.random.below(6) as usize];
            return Expr::Binary(op, Box::new(self.expr(depth - 1, uniform)), Box::new(self.expr(depth - 1, uniform)));
        }
        let dimension = self.random.below(3) as usize;
        match self.random.below(if uniform { 5 } else { 9 }) {
            0 => Expr::Constant(self.random.below(7) as u32),
            1 => Expr::Argument(self.random.below(2) as usize),
            2 if !self.open.is_empty() => {
                let index = self.random.below(self.open.len() as u64) as usize;
                Expr::Counter(self.open[index])
            }
            2 | 3 => Expr::GroupId(dimension),
            4 => Expr::LocalSize(dimension),
            5 => Expr::GlobalId(dimension),
            6 => Expr::LocalId(dimension),
            _ => Expr::Variable(self.random.below(VARIABLES as u64) as usize),
        }
    }

    fn block(&mut self, depth: u32, barriers: bool, in_loop: bool) -> Vec<Stmt> {
        let count = 1 + self.random.below(4);
        (0..count).map(|_| self.statement(depth, barriers, in_loop)).collect()
    }

    fn statement(&mut self, depth: u32, barriers: bool, in_loop: bool) -> Stmt {
        let variable = self.random.below(VARIABLES as u64) as usize;
        let choice = self.random.below(if depth == 0 { 8 } else { 16 });
        match choice {
            0 | 1 => Stmt::Assign(variable, self.expr(2, false)),
            2 => Stmt::PrivateStore(self.expr(1, false), self.expr(2, false)),
            3 => Stmt::PrivateLoad(variable, self.expr(1, false)),
            4 if barriers => Stmt::Exchange(variable, self.expr(2, false), 1 + 2 * self.random.below(3) as u32, 3),
            5 if barriers && in_loop => Stmt::BreakIf(self.expr(2, true)),
            5 if barriers => Stmt::Barrier,
            6 if barriers => {
                let operation = self.random.below(COLLECTIVES.len() as u64) as usize;
                Stmt::Collective(variable, operation, self.expr(2, false))
            }
            7 if barriers => Stmt::Broadcast(variable, self.expr(2, false), self.expr(1, true)),
            8 | 9 if depth > 0 => Stmt::If(
                self.expr(2, false),
                self.block(depth - 1, false, in_loop),
                self.block(depth - 1, false, in_loop),
            ),
            10 | 11 if barriers => {
                let condition = self.expr(2, true);
                Stmt::UniformIf(condition, self.block(depth - 1, true, in_loop), self.block(depth - 1, true, in_loop))
            }
            12 | 13 if barriers => {
                let turns = self.expr(1, true);
                let (counter, body) = self.loop_body(depth, true);
                Stmt::UniformLoop(turns, counter, body)
            }
            14 => {
                let turns = self.expr(1, false);
                // Its counter varies, so it is not offered as a uniform expression.
                let counter = self.counters;
                self.counters += 1;
                Stmt::Loop(turns, counter, self.block(depth - 1, false, false))
            }
            15 if self.returns => Stmt::ReturnIf(self.expr(2, false)),
            _ => Stmt::Assign(variable, self.expr(3, false)),
        }
    }

    fn loop_body(&mut self, depth: u32, barriers: bool) -> (usize, Vec<Stmt>) {
        let counter = self.counters;
        self.counters += 1;
        self.open.push(counter);
        let body = self.block(depth - 1, barriers, true);
        self.open.pop();
        (counter, body)
    }
}

/// Writes a kernel as textual IR with variables in memory, as a front end without optimisation would.
pub struct Writer {
    text: String,
    next: u32,
    /// Targets of breaks.
    breaks: Vec<String>,
    kernel: usize,
}

pub const DECLARATIONS: &str = "
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.local_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.group_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.local_size(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.global_linear_id() memory(none) nounwind willreturn speculatable
declare i64 @oxicl.local_linear_id() memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind
declare i32 @oxicl.group.broadcast.i32(i32, i64, i64, i64) convergent nounwind willreturn memory(none)
";

/// Declares the operations of [`COLLECTIVES`].
pub fn collective_declarations() -> String {
    let declare = |(kind, name, ty, ..): &Row| {
        let short = if *ty == "i32" { "i32" } else { "f32" };
        format!("declare {ty} @oxicl.group.{kind}.{name}.{short}({ty}) convergent nounwind willreturn memory(none)\n")
    };
    COLLECTIVES.iter().map(declare).collect()
}

impl Writer {
    pub fn kernel(kernel: usize, body: &[Stmt], counters: usize) -> String {
        let mut w = Writer { text: String::new(), next: 0, breaks: Vec::new(), kernel };
        let _ = writeln!(w.text, "@l{kernel} = internal addrspace(3) global [{LOCAL} x i32] undef, align 4");
        let _ = writeln!(w.text, "define void @k{kernel}(ptr addrspace(1) %out, i32 %a0, i32 %a1) {{");
        for i in 0..VARIABLES {
            let _ = writeln!(w.text, "%v{i} = alloca i32\nstore i32 {i}, ptr %v{i}");
        }
        for i in 0..counters {
            let _ = writeln!(w.text, "%c{i} = alloca i32\nstore i32 0, ptr %c{i}");
        }
        let _ = writeln!(
            w.text,
            "%private = alloca [{PRIVATE} x i32]\nstore [{PRIVATE} x i32] zeroinitializer, ptr %private"
        );
        w.text += "%own = call i64 @oxicl.local_linear_id()\n%slot = call i64 @oxicl.global_linear_id()\n";
        let _ = writeln!(
            w.text,
            "%mine = getelementptr i32, ptr addrspace(3) @l{kernel}, i64 %own\nstore i32 0, ptr addrspace(3) %mine\n\
             %result = getelementptr i32, ptr addrspace(1) %out, i64 %slot\n\
             %s0 = call i64 @oxicl.local_size(i32 0)\n%s1 = call i64 @oxicl.local_size(i32 1)\n\
             %s2 = call i64 @oxicl.local_size(i32 2)\n%s01 = mul i64 %s0, %s1\n%size = mul i64 %s01, %s2"
        );
        w.barrier();
        w.statements(body);
        let mut sum = w.value("add i32 0, 0");
        for i in 0..VARIABLES {
            let v = w.value(&format!("load i32, ptr %v{i}"));
            let scaled = w.value(&format!("mul i32 {sum}, 31"));
            sum = w.value(&format!("add i32 {scaled}, {v}"));
        }
        let _ = writeln!(w.text, "store i32 {sum}, ptr addrspace(1) %result\nret void\n}}");
        w.text
    }

    fn value(&mut self, code: &str) -> String {
        self.next += 1;
        let _ = writeln!(self.text, "%t{} = {code}", self.next);
        format!("%t{}", self.next)
    }

    fn label(&mut self) -> String {
        self.next += 1;
        format!("b{}", self.next)
    }

    fn begin(&mut self, label: &str) {
        let _ = writeln!(self.text, "{label}:");
    }

    fn go(&mut self, label: &str) {
        let _ = writeln!(self.text, "br label %{label}");
    }

    fn barrier(&mut self) {
        self.text += "call void @oxicl.barrier(i32 2, i32 2, i32 272)\n";
    }

    fn query(&mut self, name: &str, dimension: usize) -> String {
        let wide = self.value(&format!("call i64 @oxicl.{name}(i32 {dimension})"));
        self.value(&format!("trunc i64 {wide} to i32"))
    }

    fn expr(&mut self, expr: &Expr) -> String {
        match expr {
            Expr::Constant(c) => format!("{c}"),
            Expr::Variable(v) => self.value(&format!("load i32, ptr %v{v}")),
            Expr::Counter(c) => self.value(&format!("load i32, ptr %c{c}")),
            Expr::Argument(a) => format!("%a{a}"),
            Expr::GlobalId(d) => self.query("global_id", *d),
            Expr::LocalId(d) => self.query("local_id", *d),
            Expr::GroupId(d) => self.query("group_id", *d),
            Expr::LocalSize(d) => self.query("local_size", *d),
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                self.value(&format!("{op} i32 {left}, {right}"))
            }
        }
    }

    /// Bit 1 of an expression: a condition that is not too often the same.
    fn condition(&mut self, expr: &Expr) -> String {
        let value = self.expr(expr);
        let bit = self.value(&format!("and i32 {value}, 2"));
        self.value(&format!("icmp ne i32 {bit}, 0"))
    }

    fn private(&mut self, index: &Expr) -> String {
        let index = self.expr(index);
        let index = self.value(&format!("and i32 {index}, {}", PRIVATE - 1));
        self.value(&format!("getelementptr i32, ptr %private, i32 {index}"))
    }

    fn statements(&mut self, statements: &[Stmt]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Assign(v, expr) => {
                let value = self.expr(expr);
                let _ = writeln!(self.text, "store i32 {value}, ptr %v{v}");
            }
            Stmt::If(condition, then, otherwise) | Stmt::UniformIf(condition, then, otherwise) => {
                let condition = self.condition(condition);
                let (t, e, end) = (self.label(), self.label(), self.label());
                let _ = writeln!(self.text, "br i1 {condition}, label %{t}, label %{e}");
                self.begin(&t);
                self.statements(then);
                self.go(&end);
                self.begin(&e);
                self.statements(otherwise);
                self.go(&end);
                self.begin(&end);
            }
            Stmt::Loop(turns, counter, body) | Stmt::UniformLoop(turns, counter, body) => {
                let turns = self.expr(turns);
                let turns = self.value(&format!("and i32 {turns}, 3"));
                let (head, inside, end) = (self.label(), self.label(), self.label());
                let _ = writeln!(self.text, "store i32 0, ptr %c{counter}");
                self.go(&head);
                self.begin(&head);
                let count = self.value(&format!("load i32, ptr %c{counter}"));
                let more = self.value(&format!("icmp ult i32 {count}, {turns}"));
                let _ = writeln!(self.text, "br i1 {more}, label %{inside}, label %{end}");
                self.begin(&inside);
                self.breaks.push(end.clone());
                self.statements(body);
                self.breaks.pop();
                let count = self.value(&format!("load i32, ptr %c{counter}"));
                let next = self.value(&format!("add i32 {count}, 1"));
                let _ = writeln!(self.text, "store i32 {next}, ptr %c{counter}");
                self.go(&head);
                self.begin(&end);
            }
            Stmt::BreakIf(condition) => {
                let condition = self.condition(condition);
                let (target, on) = (self.breaks.last().expect("in a loop").clone(), self.label());
                let _ = writeln!(self.text, "br i1 {condition}, label %{target}, label %{on}");
                self.begin(&on);
            }
            Stmt::Exchange(v, value, factor, shift) => {
                let value = self.expr(value);
                let _ = writeln!(self.text, "store i32 {value}, ptr addrspace(3) %mine");
                self.barrier();
                let scaled = self.value(&format!("mul i64 %own, {factor}"));
                let shifted = self.value(&format!("add i64 {scaled}, {shift}"));
                let index = self.value(&format!("urem i64 {shifted}, %size"));
                let k = self.kernel;
                let address = self.value(&format!("getelementptr i32, ptr addrspace(3) @l{k}, i64 {index}"));
                let read = self.value(&format!("load i32, ptr addrspace(3) {address}"));
                let _ = writeln!(self.text, "store i32 {read}, ptr %v{v}");
                self.barrier();
            }
            Stmt::Barrier => self.barrier(),
            Stmt::Collective(v, operation, value) => {
                let (kind, name, ty, ..) = COLLECTIVES[*operation];
                let mut value = self.expr(value);
                if ty == "float" {
                    value = self.value(&format!("uitofp i32 {value} to float"));
                }
                let short = if ty == "i32" { "i32" } else { "f32" };
                let mut result = self.value(&format!("call {ty} @oxicl.group.{kind}.{name}.{short}({ty} {value})"));
                if ty == "float" {
                    result = self.value(&format!("bitcast float {result} to i32"));
                }
                let _ = writeln!(self.text, "store i32 {result}, ptr %v{v}");
            }
            Stmt::Broadcast(v, value, whose) => {
                let (value, whose) = (self.expr(value), self.expr(whose));
                let whose = self.value(&format!("zext i32 {whose} to i64"));
                let (x, y) =
                    (self.value(&format!("urem i64 {whose}, %s0")), self.value(&format!("urem i64 {whose}, %s1")));
                let arguments = format!("i32 {value}, i64 {x}, i64 {y}, i64 0");
                let result = self.value(&format!("call i32 @oxicl.group.broadcast.i32({arguments})"));
                let _ = writeln!(self.text, "store i32 {result}, ptr %v{v}");
            }
            Stmt::ReturnIf(condition) => {
                let condition = self.condition(condition);
                let (leave, on) = (self.label(), self.label());
                let _ = writeln!(self.text, "br i1 {condition}, label %{leave}, label %{on}");
                self.begin(&leave);
                let first = self.value("load i32, ptr %v0");
                let _ = writeln!(self.text, "store i32 {first}, ptr addrspace(1) %result\nret void");
                self.begin(&on);
            }
            Stmt::PrivateStore(index, value) => {
                let value = self.expr(value);
                let address = self.private(index);
                let _ = writeln!(self.text, "store i32 {value}, ptr {address}");
            }
            Stmt::PrivateLoad(v, index) => {
                let address = self.private(index);
                let value = self.value(&format!("load i32, ptr {address}"));
                let _ = writeln!(self.text, "store i32 {value}, ptr %v{v}");
            }
        }
    }
}

/// A work-item of the model.
#[derive(Clone, Default)]
struct Item {
    id: [u64; 3],
    local: [u64; 3],
    variables: [u32; VARIABLES],
    counters: Vec<u32>,
    private: [u32; PRIVATE as usize],
    returned: bool,
    result: u32,
}

/// Runs a kernel in the model: every statement for all work-items of a group before the next.
pub struct Model<'k> {
    arguments: [u32; 2],
    range: Range,
    group: [u64; 3],
    size: [u64; 3],
    items: Vec<Item>,
    local: Vec<u32>,
    body: &'k [Stmt],
}

impl<'k> Model<'k> {
    pub fn results(body: &'k [Stmt], counters: usize, range: Range, arguments: [u32; 2]) -> Vec<u32> {
        let mut results = vec![0; range.global.iter().product::<u64>() as usize];
        let groups = range.groups();
        for g in 0..groups.iter().product::<u64>() {
            let group = [g % groups[0], g / groups[0] % groups[1], g / groups[0] / groups[1]];
            let size = [0, 1, 2].map(|d| range.local[d].min(range.global[d] - group[d] * range.local[d]));
            let mut items = Vec::new();
            for i in 0..size.iter().product::<u64>() {
                let local = [i % size[0], i / size[0] % size[1], i / size[0] / size[1]];
                let id = [0, 1, 2].map(|d| group[d] * range.local[d] + local[d] + range.offset[d]);
                let mut item = Item { id, local, counters: vec![0; counters], ..Item::default() };
                item.variables = [0, 1, 2, 3];
                items.push(item);
            }
            let local = vec![0; items.len()];
            let mut model = Model { arguments, range, group, size, items, local, body };
            let active = vec![true; model.items.len()];
            model.statements(model.body, &active);
            for item in &model.items {
                let [x, y, z] = [0, 1, 2].map(|d| item.id[d] - range.offset[d]);
                let slot = (z * range.global[1] + y) * range.global[0] + x;
                let sum = item.variables.iter().fold(0u32, |s, v| s.wrapping_mul(31).wrapping_add(*v));
                results[slot as usize] = if item.returned { item.result } else { sum };
            }
        }
        results
    }

    fn expr(&self, expr: &Expr, item: &Item) -> u32 {
        match expr {
            Expr::Constant(c) => *c,
            Expr::Variable(v) => item.variables[*v],
            Expr::Counter(c) => item.counters[*c],
            Expr::Argument(a) => self.arguments[*a],
            Expr::GlobalId(d) => item.id[*d] as u32,
            Expr::LocalId(d) => item.local[*d] as u32,
            Expr::GroupId(d) => self.group[*d] as u32,
            Expr::LocalSize(d) => self.size[*d] as u32,
            Expr::Binary(op, left, right) => {
                let (a, b) = (self.expr(left, item), self.expr(right, item));
                match *op {
                    "add" => a.wrapping_add(b),
                    "sub" => a.wrapping_sub(b),
                    "mul" => a.wrapping_mul(b),
                    "xor" => a ^ b,
                    "and" => a & b,
                    _ => a | b,
                }
            }
        }
    }

    /// Runs statements for active work-items; gives those that left by a break.
    fn statements(&mut self, statements: &[Stmt], active: &[bool]) -> Vec<bool> {
        let mut active = active.to_vec();
        let mut broke = vec![false; active.len()];
        for statement in statements {
            for (a, item) in active.iter_mut().zip(&self.items) {
                *a &= !item.returned;
            }
            let left = self.statement(statement, &active);
            for i in 0..active.len() {
                broke[i] |= left[i];
                active[i] &= !left[i];
            }
        }
        broke
    }

    /// What rounds is combined in sixteen parts by the place along x, of which the upper half comes to the lower until there is
    /// one.
    fn in_parts(&self, active: &[bool], values: &[u32], combine: fn(u32, u32) -> u32) -> u32 {
        let both = |first: Option<u32>, second: Option<u32>| match (first, second) {
            (Some(first), Some(second)) => Some(combine(first, second)),
            (first, second) => first.or(second),
        };
        let mut parts = [None; 16];
        for (item, value) in values.iter().enumerate().filter(|(item, _)| active[*item]) {
            let part = &mut parts[item % self.size[0] as usize % 16];
            *part = both(*part, Some(*value));
        }
        for half in [8, 4, 2, 1] {
            (0..half).for_each(|part| parts[part] = both(parts[part], parts[part + half]));
        }
        parts[0].unwrap_or_default()
    }

    fn each(&mut self, active: &[bool], mut act: impl FnMut(&Self, &mut Item)) {
        for i in 0..self.items.len() {
            if active[i] {
                let mut item = self.items[i].clone();
                act(self, &mut item);
                self.items[i] = item;
            }
        }
    }

    fn statement(&mut self, statement: &Stmt, active: &[bool]) -> Vec<bool> {
        let none = vec![false; active.len()];
        let lanes = |model: &Self, expr: &Expr, bit: u32| -> Vec<bool> {
            (0..active.len()).map(|i| active[i] && model.expr(expr, &model.items[i]) & bit != 0).collect()
        };
        match statement {
            Stmt::Assign(v, expr) => self.each(active, |m, item| item.variables[*v] = m.expr(expr, item)),
            Stmt::If(condition, then, otherwise) | Stmt::UniformIf(condition, then, otherwise) => {
                let taken = lanes(self, condition, 2);
                let other: Vec<bool> = (0..active.len()).map(|i| active[i] && !taken[i]).collect();
                let mut broke = self.statements(then, &taken);
                for (b, more) in broke.iter_mut().zip(self.statements(otherwise, &other)) {
                    *b |= more;
                }
                return broke;
            }
            Stmt::Loop(turns, counter, body) | Stmt::UniformLoop(turns, counter, body) => {
                let turns: Vec<u32> = self.items.iter().map(|item| self.expr(turns, item) & 3).collect();
                self.each(active, |_, item| item.counters[*counter] = 0);
                let mut inside = active.to_vec();
                loop {
                    for i in 0..inside.len() {
                        inside[i] &= !self.items[i].returned && self.items[i].counters[*counter] < turns[i];
                    }
                    if !inside.contains(&true) {
                        break;
                    }
                    let left = self.statements(body, &inside);
                    for i in 0..inside.len() {
                        inside[i] &= !left[i] && !self.items[i].returned;
                    }
                    let still = inside.clone();
                    self.each(&still, |_, item| item.counters[*counter] += 1);
                }
            }
            Stmt::BreakIf(condition) => return lanes(self, condition, 2),
            Stmt::Exchange(v, value, factor, shift) => {
                for i in 0..self.items.len() {
                    if active[i] {
                        self.local[i] = self.expr(value, &self.items[i]);
                    }
                }
                let size = self.items.len();
                for i in 0..size {
                    if active[i] {
                        self.items[i].variables[*v] = self.local[(i * *factor as usize + *shift as usize) % size];
                    }
                }
            }
            Stmt::Barrier => {}
            Stmt::Collective(v, operation, value) => {
                let (kind, _, ty, combine, identity) = COLLECTIVES[*operation];
                let values: Vec<u32> = (0..self.items.len())
                    .map(|i| self.expr(value, &self.items[i]))
                    .map(|value| if ty == "float" { (value as f32).to_bits() } else { value })
                    .collect();
                let (mut before, mut all) = (identity, None);
                for i in 0..self.items.len() {
                    if active[i] {
                        let new = all.map_or(values[i], |all| combine(all, values[i]));
                        self.items[i].variables[*v] = if kind == "scan_inclusive" { new } else { before };
                        (before, all) = (new, Some(new));
                    }
                }
                if let (Some(all), "reduce") = (all, kind) {
                    let all = if ty == "float" { self.in_parts(active, &values, combine) } else { all };
                    self.each(active, |_, item| item.variables[*v] = all);
                }
            }
            Stmt::Broadcast(v, value, whose) => {
                let Some(first) = (0..active.len()).find(|i| active[*i]) else { return none };
                let whose = u64::from(self.expr(whose, &self.items[first]));
                let [x, y] = [0, 1].map(|d| whose % self.size[d]);
                let from = (y * self.size[0] + x) as usize;
                let result = if active[from] { self.expr(value, &self.items[from]) } else { 0 };
                self.each(active, |_, item| item.variables[*v] = result);
            }
            Stmt::ReturnIf(condition) => {
                let leave = lanes(self, condition, 2);
                self.each(&leave, |_, item| {
                    item.returned = true;
                    item.result = item.variables[0];
                });
            }
            Stmt::PrivateStore(index, value) => self.each(active, |m, item| {
                let value = m.expr(value, item);
                item.private[(m.expr(index, item) % PRIVATE) as usize] = value;
            }),
            Stmt::PrivateLoad(v, index) => self.each(active, |m, item| {
                item.variables[*v] = item.private[(m.expr(index, item) % PRIVATE) as usize];
            }),
        }
        let _ = self.range;
        none
    }
}

/// Statement lists that are smaller by one statement, or by one level of nesting.
pub fn smaller(body: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut all = Vec::new();
    for (index, statement) in body.iter().enumerate() {
        let with = |new: Vec<Stmt>| [&body[..index], &new, &body[index + 1..]].concat();
        all.push(with(Vec::new()));
        let rebuilt: Vec<Stmt> = match statement {
            Stmt::If(c, a, b) => {
                all.extend([with(a.clone()), with(b.clone())]);
                let left = smaller(a).into_iter().map(|a| Stmt::If(c.clone(), a, b.clone()));
                left.chain(smaller(b).into_iter().map(|b| Stmt::If(c.clone(), a.clone(), b))).collect()
            }
            Stmt::UniformIf(c, a, b) => {
                all.extend([with(a.clone()), with(b.clone())]);
                let left = smaller(a).into_iter().map(|a| Stmt::UniformIf(c.clone(), a, b.clone()));
                left.chain(smaller(b).into_iter().map(|b| Stmt::UniformIf(c.clone(), a.clone(), b))).collect()
            }
            Stmt::Loop(n, counter, a) => smaller(a).into_iter().map(|a| Stmt::Loop(n.clone(), *counter, a)).collect(),
            Stmt::UniformLoop(n, counter, a) => {
                smaller(a).into_iter().map(|a| Stmt::UniformLoop(n.clone(), *counter, a)).collect()
            }
            _ => Vec::new(),
        };
        all.extend(rebuilt.into_iter().map(|new| with(vec![new])));
    }
    all
}
