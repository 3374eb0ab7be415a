//! Finds out beforehand what later stages may refuse of a kernel, so that a successful build does not fail afterwards
//! for a reason of its program.
//!
//! `lower` and the choice of what is inlined say at once what they refuse. After them three things can be wrong with a
//! program, each only in a kernel that is unusual in a way that shows in its scalar code. Such a kernel is left
//! undecided until the stage in question is over.

use std::collections::HashMap;

use oxicl_llvm::{Module, Opcode, Place, Type, TypeKind, Value};
use oxicl_lower::LoweredKernel;
use oxicl_ops::Operation;
use oxicl_protocol::BuildFailure;

use crate::stack;

/// The last stage that may refuse a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Decided {
    /// No stage that is still to come.
    Now,
    /// The work-group compiler.
    ByPlan,
    /// The code generator.
    ByCode,
}

/// The most lanes of a gang. A matter of correctness: each may have values and variables of its own in a frame.
const LANES: u64 = 64;
/// Copies that passes may make of an instruction, by unrolling and by writing loops for several kinds of work-groups. A
/// matter of correctness, and on the safe side: LLVM's bounds on the size of an unrolled loop are tighter for all but
/// the smallest loops.
const COPIES: u64 = 64;

/// Sums over a function and all that it calls, with each call counted.
#[derive(Clone, Copy, Default)]
struct Weight {
    /// Bytes of its variables.
    variables: u64,
    /// Bytes of all values that it computes.
    values: u64,
    instructions: u64,
    /// Barriers and collective operations.
    collectives: u64,
    /// It has operations of sub-groups.
    sub_groups: bool,
}

impl Weight {
    fn add(&mut self, other: Weight) {
        self.variables = self.variables.saturating_add(other.variables);
        self.values = self.values.saturating_add(other.values);
        self.instructions = self.instructions.saturating_add(other.instructions);
        self.collectives = self.collectives.saturating_add(other.collectives);
        self.sub_groups |= other.sub_groups;
    }

    /// An upper bound of the stack that a kernel of this weight takes, in bytes.
    fn most_stack(self) -> u64 {
        self.values.saturating_mul(COPIES).saturating_add(self.variables).saturating_mul(LANES)
    }

    /// An upper bound of the number of its values that live across barriers.
    fn most_across_barriers(self) -> u64 {
        self.instructions.saturating_mul(self.collectives).saturating_mul(COPIES)
    }

    fn decided(self, requires_sub_groups: bool) -> Decided {
        if self.most_stack() > stack::MOST {
            Decided::ByCode
        } else if self.most_across_barriers() > oxicl_workgroup::MOST_VALUES_ACROSS_BARRIERS as u64
            || requires_sub_groups && self.sub_groups
        {
            Decided::ByPlan
        } else {
            Decided::Now
        }
    }
}

/// When each kernel of a module is decided, before LLVM's passes have run.
///
/// # Errors
/// What is refused already.
pub(crate) fn decided(module: &Module<'_>, kernels: &[LoweredKernel]) -> Result<Vec<Decided>, BuildFailure> {
    let names: Vec<&str> = kernels.iter().map(|kernel| kernel.function_name.as_str()).collect();
    oxicl_prepare::check(module, &names)?;
    let weights = weights(module)?;
    let decided = kernels.iter().map(|kernel| {
        let weight = module.function(&kernel.function_name).and_then(|function| weights.get(&function).copied());
        weight.unwrap_or_default().decided(kernel.signature.required_sub_group_size.is_some())
    });
    Ok(decided.collect())
}

/// The weights of all functions that are defined.
fn weights<'m>(module: &'m Module<'_>) -> Result<HashMap<Value<'m>, Weight>, BuildFailure> {
    let mut weights = HashMap::new();
    for function in oxicl_prepare::callees_first(module)? {
        let weight = weigh(module, function, &weights);
        weights.insert(function, weight);
    }
    Ok(weights)
}

fn weigh<'m>(module: &Module<'_>, function: Value<'m>, known: &HashMap<Value<'m>, Weight>) -> Weight {
    let mut weight = Weight::default();
    for index in 0..function.parameters().len() as u32 {
        let by_value = function.attribute(Place::Parameter(index), "byval").and_then(|attribute| attribute.ty());
        let bytes = by_value.map_or(0, |ty| size_of(module, ty));
        weight.variables = weight.variables.saturating_add(bytes);
    }
    for instruction in function.blocks().into_iter().flat_map(|block| block.instructions()) {
        weight.instructions += 1;
        weight.values = weight.values.saturating_add(size_of(module, instruction.ty()));
        match instruction.opcode() {
            Some(Opcode::Alloca) => {
                let count = instruction.operand(0).and_then(|count| count.as_u64()).unwrap_or(u64::MAX);
                let bytes = instruction.allocated_type().map_or(0, |ty| size_of(module, ty));
                weight.variables = weight.variables.saturating_add(bytes.saturating_mul(count));
            }
            Some(Opcode::Call) => {
                let Some(callee) = instruction.called_function() else { continue };
                match known.get(&callee) {
                    Some(other) => weight.add(*other),
                    None => {
                        let name = callee.name();
                        weight.collectives += u64::from(oxicl_ops::is_collective(&name));
                        weight.sub_groups |= matches!(Operation::parse(&name, None), Ok(Operation::SubGroup(_)));
                    }
                }
            }
            _ => {}
        }
    }
    weight
}

/// Bytes of a value of a type; 0 if it has none.
fn size_of(module: &Module<'_>, ty: Type<'_>) -> u64 {
    match ty.kind() {
        TypeKind::Void | TypeKind::Label | TypeKind::Metadata | TypeKind::Function | TypeKind::Other => 0,
        _ => module.size_of(ty),
    }
}

#[cfg(test)]
mod tests {
    use oxicl_llvm::Context;

    use super::*;

    /// What is known of the function `k` of a module.
    fn weight_of(text: &str) -> Weight {
        let context = Context::new();
        let module = Module::parse_text(&context, text).expect("a module");
        let kernel = module.function("k").expect("a kernel");
        weights(&module).expect("no circle")[&kernel]
    }

    #[test]
    fn usual_kernels_are_decided_in_front_of_the_passes() {
        let text = "declare void @oxicl.barrier(i32, i32)
            define void @k(ptr addrspace(1) %p) {
                %array = alloca [64 x i32]
                call void @oxicl.barrier(i32 0, i32 0)
                ret void
            }";
        let weight = weight_of(text);
        assert_eq!((weight.variables, weight.collectives, weight.sub_groups), (256, 1, false));
        assert_eq!(weight.decided(true), Decided::Now);
    }

    #[test]
    fn variables_that_lanes_may_not_have_room_for_are_decided_by_the_code() {
        let kernel = |bytes: u64| {
            format!(
                "define internal void @f(ptr byval([{bytes} x i8]) %x) {{ ret void }}
                 define void @k(ptr %x) {{
                    call void @f(ptr byval([{bytes} x i8]) %x)
                    call void @f(ptr byval([{bytes} x i8]) %x)
                    ret void
                 }}"
            )
        };
        assert_eq!(weight_of(&kernel(1 << 20)).decided(false), Decided::Now);
        assert_eq!(weight_of(&kernel(1 << 24)).decided(false), Decided::ByCode);
    }

    #[test]
    fn sub_groups_of_a_size_and_values_across_many_barriers_are_decided_by_the_plan() {
        let text = "declare i32 @oxicl.sub_group.broadcast(i32, i32)
            define void @k(ptr %p) { %x = call i32 @oxicl.sub_group.broadcast(i32 1, i32 0) ret void }";
        assert_eq!(weight_of(text).decided(true), Decided::ByPlan);
        assert_eq!(weight_of(text).decided(false), Decided::Now);
        let barriers = "call void @oxicl.barrier(i32 0, i32 0)\n".repeat(700);
        let text = format!("declare void @oxicl.barrier(i32, i32)\n define void @k(ptr %p) {{ {barriers} ret void }}");
        assert_eq!(weight_of(&text).decided(false), Decided::ByPlan);
    }
}
