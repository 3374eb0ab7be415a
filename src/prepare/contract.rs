//! Decides which products and sums become fused multiply-adds, which round once, where the program leaves that open.
//!
//! LLVM's code generator would decide it last: by which products, behind all passes, stand in the block of their sum
//! and have one use. That differs between tiers. Here it is decided on code that all tiers share, so that a kernel
//! computes the same bits at each tier. Operations that may be reassociated, too, are left to LLVM: kernels with such
//! operations have one tier.

use oxicl_llvm::{Builder, FastMath, Module, Opcode, TypeKind, Value};
use oxicl_ops::attribute::PLACE_METADATA;

/// Fuses products with their sums, in the order of the code. As in the code generator, a product is fused if it has no
/// other use and is in the block of its sum. Other operations lose the permission to be fused, and round by themselves.
/// True if anything was rewritten, which leaves dead instructions.
pub(crate) fn fuse(module: &Module<'_>) -> bool {
    let b = Builder::new(module.context());
    let blocks = module.functions().into_iter().flat_map(|function| function.blocks());
    let open: Vec<Value<'_>> = blocks.flat_map(|block| block.instructions()).filter(|value| is_open(*value)).collect();
    for sum in &open {
        fuse_sum(module, &b, *sum);
    }
    open.iter().filter(|value| value.has_uses()).for_each(|value| close(&b, *value));
    !open.is_empty()
}

/// Replaces an operation by one without the permission to be fused: LLVM's setter of fast-math flags only adds some.
fn close<'m>(b: &Builder<'m>, value: Value<'m>) {
    let (Some(opcode), Some(left), Some(right)) = (value.opcode(), value.operand(0), value.operand(1)) else { return };
    b.position_before(value);
    let closed = b.binary(opcode, left, right);
    let place = b.context().metadata_kind(PLACE_METADATA);
    if let Some(metadata) = value.metadata(place) {
        closed.set_metadata(b.context(), place, metadata);
    }
    value.replace_uses_with(closed);
}

/// Do its fast-math flags allow contraction, and nothing else?
fn is_open(value: Value<'_>) -> bool {
    let computes = matches!(value.opcode(), Some(Opcode::FMul | Opcode::FAdd | Opcode::FSub));
    computes && value.fast_math() == FastMath::CONTRACT && is_float(value)
}

/// Is its type one that machines have fused instructions for?
fn is_float(value: Value<'_>) -> bool {
    matches!(value.ty().scalar().kind(), TypeKind::Float | TypeKind::Double)
}

fn fuse_sum<'m>(module: &'m Module<'_>, b: &Builder<'m>, sum: Value<'m>) -> Option<()> {
    let is_difference = match sum.opcode()? {
        Opcode::FAdd => false,
        Opcode::FSub => true,
        _ => return None,
    };
    let [left, right] = [sum.operand(0)?, sum.operand(1)?];
    let is_product = |value: Value<'m>| {
        value.opcode() == Some(Opcode::FMul)
            && is_open(value)
            && value.block() == sum.block()
            && value.users().len() == 1
    };
    let is_left = is_product(left);
    if !is_left && !is_product(right) {
        return None;
    }
    b.position_before(sum);
    let (product, mut other) = if is_left { (left, right) } else { (right, left) };
    let [mut factor, by] = [product.operand(0)?, product.operand(1)?];
    match (is_difference, is_left) {
        (true, true) => other = b.fneg(other),
        (true, false) => factor = b.fneg(factor),
        _ => {}
    }
    let multiply_add = module.intrinsic("llvm.fmuladd", &[sum.ty()])?;
    sum.replace_uses_with(b.call(multiply_add, &[factor, by, other]));
    Some(())
}

#[cfg(test)]
mod tests {
    use oxicl_llvm::{Context, PassOptions};

    use super::*;

    /// The fused code of a function, without what is dead.
    fn fused(body: &str) -> String {
        let context = Context::new();
        let text = format!("define float @k(float %a, float %b, float %c) {{ {body} }}");
        let mut module = Module::parse_text(&context, &text).expect("a module");
        fuse(&module);
        module.run_passes("function(adce)", None, PassOptions::default()).expect("a pipeline");
        module.to_text()
    }

    #[test]
    fn a_product_that_is_only_part_of_a_sum_is_fused() {
        for (sum, arguments) in [
            ("fadd contract float %m, %c", "float %a, float %b, float %c"),
            ("fadd contract float %c, %m", "float %a, float %b, float %c"),
            ("fsub contract float %m, %c", "float %a, float %b, float %1"),
            ("fsub contract float %c, %m", "float %1, float %b, float %c"),
        ] {
            let text = fused(&format!("%m = fmul contract float %a, %b\n %s = {sum}\n ret float %s"));
            assert!(text.contains(&format!("@llvm.fmuladd.f32({arguments})")) && !text.contains("fmul "), "{text}");
        }
    }

    #[test]
    fn what_is_left_is_rounded_by_itself() {
        for body in [
            "%m = fmul contract float %a, %b\n %s = fadd contract float %m, %m\n ret float %s",
            "%m = fmul float %a, %b\n %s = fadd contract float %m, %c\n ret float %s",
            "%m = fmul contract float %a, %b\n br label %next\n next: %s = fadd contract float %m, %c\n ret float %s",
        ] {
            let text = fused(body);
            assert!(text.contains("fmul float") && !text.contains("contract") && !text.contains("fmuladd"), "{text}");
        }
    }

    #[test]
    fn what_may_be_reassociated_is_left_to_llvm() {
        let text =
            fused("%m = fmul contract reassoc float %a, %b\n %s = fadd contract reassoc float %m, %c\n ret float %s");
        assert_eq!(text.matches("reassoc contract").count(), 2, "{text}");
    }
}
