//! Loads and stores.

use oxicl_llvm::{Access, Address, Costs};

use crate::operations::{FIRST, Form, List, Number, ON, Operation, SECOND, splat, text};

impl<'c> List<'c> {
    /// Loads and stores, under masks too, gathers and scatters.
    pub fn accesses(&self) -> Vec<Operation<'c>> {
        let mut all = Vec::new();
        let numbers = [self.int(8), self.int(16), self.float(), self.double()];
        for number in numbers {
            let place = Address { align: number.bits / 8, space: 0 };
            let align = place.align;
            let load = move |ty: &str| format!("%r0 = load {ty}, ptr %p, align {align}");
            let ask = move |costs: &Costs<'c>, ty| costs.memory(Access::Load, ty, place);
            all.push(self.same("load", Form::Unary, number, load, ask));
            let store = move |ty: &str| format!("store {ty} %a, ptr %p, align {align}");
            let ask = move |costs: &Costs<'c>, ty| costs.memory(Access::Store, ty, place);
            all.push(stores(self.same("store", Form::Unary, number, store, ask)));
            let (lanes, bits) = (self.bits / number.bits, number.bits);
            let masks = format!("%u = bitcast <{lanes} x {}> %a to <{lanes} x i{bits}>", number.name);
            let masks = format!("{masks}\n%t = icmp slt <{lanes} x i{bits}> %u, zeroinitializer");
            let (load, store) = (masks.clone(), masks);
            let load = move |ty: &str| {
                format!(
                    "{load}\n%r0 = call {ty} @llvm.masked.load(ptr align {align} %p, <{lanes} x i1> %t, {ty} poison)"
                )
            };
            let ask = move |costs: &Costs<'c>, ty| costs.masked(Access::Load, ty, place);
            let masked = self.same("masked load", Form::Unary, number, load, ask);
            all.push(Operation { value: splat(number, ON), ..masked });
            let store = move |ty: &str| {
                format!("{store}\ncall void @llvm.masked.store({ty} %a, ptr align {align} %p, <{lanes} x i1> %t)")
            };
            let ask = move |costs: &Costs<'c>, ty| costs.masked(Access::Store, ty, place);
            let masked = self.same("masked store", Form::Unary, number, store, ask);
            all.push(stores(Operation { value: splat(number, ON), ..masked }));
        }
        for number in numbers {
            all.extend(self.scattered(number));
        }
        all
    }

    /// Gathers and scatters of all lanes, by numbers as wide as what they gather, but words of what is narrower.
    fn scattered(&self, number: Number<'c>) -> [Operation<'c>; 2] {
        let index = self.int(number.bits.max(32));
        let lanes = self.bits / index.bits;
        let place = Address { align: number.bits / 8, space: 0 };
        let (ty, whole) = (text(number, lanes), number.ty.vector(lanes));
        let stored = if index.bits > number.bits { "trunc" } else { "bitcast" };
        let indices: Vec<String> = (0..lanes).map(|lane| format!("{} {}", index.name, lane * 5 % 61)).collect();
        let places = format!("%t = getelementptr {}, ptr %p, {} %a", number.name, text(index, lanes));
        let align = place.align;
        let gather = format!(
            "{places}\n%r0 = call {ty} @llvm.masked.gather(<{lanes} x ptr> align {align} %t, <{lanes} x i1> splat (i1 true), {ty} poison)"
        );
        let scatter = format!(
            "{places}\n%u = {stored} {} %a to {ty}\ncall void @llvm.masked.scatter({ty} %u, <{lanes} x ptr> align {align} %t, <{lanes} x i1> splat (i1 true))",
            text(index, lanes)
        );
        [("gather", Access::Load, gather), ("scatter", Access::Store, scatter)].map(|(name, access, code)| Operation {
            name: format!("{name} {ty}"),
            form: Form::Unary,
            operand: text(index, lanes),
            value: format!("<{}>", indices.join(", ")),
            second: splat(index, SECOND),
            results: if access == Access::Load { vec![ty.clone()] } else { Vec::new() },
            code,
            ask: Box::new(move |costs| costs.scattered(access, whole, place, false)),
        })
    }

    /// Loads and stores of records whose numbers lie side by side.
    pub fn interleaved(&self) -> Vec<Operation<'c>> {
        let mut all = Vec::new();
        for (number, factor) in
            [(self.float(), 2), (self.float(), 3), (self.float(), 4), (self.int(8), 3), (self.int(16), 2)]
        {
            let lanes = self.bits / number.bits;
            let (ty, whole) = (text(number, lanes), text(number, lanes * factor));
            let place = Address { align: number.bits / 8, space: 0 };
            let mut code = format!("%t = load {whole}, ptr %p, align {}", place.align);
            for part in 0..factor {
                let mask: Vec<String> = (0..lanes).map(|lane| format!("i32 {}", lane * factor + part)).collect();
                let mask = format!("<{lanes} x i32> <{}>", mask.join(", "));
                code += &format!("\n%r{part} = shufflevector {whole} %t, {whole} poison, {mask}");
            }
            let all_lanes = number.ty.vector(lanes * factor);
            all.push(Operation {
                name: format!("load {factor} interleaved {ty}"),
                form: Form::Unary,
                operand: ty.clone(),
                value: splat(number, FIRST),
                second: splat(number, SECOND),
                results: vec![ty; factor as usize],
                code,
                ask: Box::new(move |costs| costs.interleaved(Access::Load, all_lanes, factor, place)),
            });
        }
        let number = self.float();
        let (lanes, place) = (self.bits / number.bits, Address { align: 4, space: 0 });
        let (ty, whole) = (text(number, lanes), text(number, lanes * 2));
        let mask: Vec<String> = (0..lanes).map(|lane| format!("i32 {lane}, i32 {}", lanes + lane)).collect();
        let both = number.ty.vector(lanes * 2);
        let mask = mask.join(", ");
        let mixed = format!("%t = shufflevector {ty} %a, {ty} %b, <{} x i32> <{mask}>", lanes * 2);
        all.push(Operation {
            name: format!("store 2 interleaved {ty}"),
            form: Form::Binary,
            operand: ty,
            value: splat(number, FIRST),
            second: splat(number, SECOND),
            results: Vec::new(),
            code: format!("{mixed}\nstore {whole} %t, ptr %p, align 4"),
            ask: Box::new(move |costs| costs.interleaved(Access::Store, both, 2, place)),
        });
        all
    }
}

/// Without the result.
fn stores(operation: Operation<'_>) -> Operation<'_> {
    Operation { results: Vec::new(), ..operation }
}
