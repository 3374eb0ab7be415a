//! Sums under masks. Who counts the lanes of a mask adds ones in these, which LLVM's clean-up writes as adding the mask, as a
//! number; machines that have masks add under them, and have to make a number of one first.

use oxicl_llvm::{Builder, Module, Opcode, Place, Value};
use oxicl_protocol::{Target, attribute};

/// What machines need to add under masks in vectors of every length.
const MASKS: [&str; 2] = ["+avx512f", "+avx512vl"];

/// Has lanes of gangs add under masks, where the machine can.
pub fn add_under_masks(module: &Module<'_>, target: &Target) {
    if !MASKS.iter().all(|mask| target.features.iter().any(|feature| feature == mask)) {
        return;
    }
    let b = Builder::new(module.context());
    let has_gangs = |function: &Value<'_>| {
        let attributes = function.attributes(Place::Function).into_iter().filter_map(|attribute| attribute.text());
        attributes.into_iter().any(|(key, _)| key == attribute::GANGS)
    };
    for function in module.functions().into_iter().filter(has_gangs) {
        let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
        for (sum, number, mask, one) in instructions.filter_map(sum_with_mask).collect::<Vec<_>>() {
            b.position_before(sum);
            let ones = b.context().const_vector(&vec![sum.ty().scalar().const_signed(one); sum.ty().length() as usize]);
            let more = b.add(number, ones);
            sum.replace_uses_with(b.select(mask, more, number));
        }
    }
}

/// Is this the sum of a number and a mask? Gives both, and what a lane in the mask adds.
fn sum_with_mask(sum: Value<'_>) -> Option<(Value<'_>, Value<'_>, Value<'_>, i64)> {
    let is_wide = |ty: oxicl_llvm::Type<'_>| ty.is_vector() && ty.scalar().is_int() && ty.scalar().int_width() >= 32;
    if sum.opcode() != Some(Opcode::Add) || !is_wide(sum.ty()) {
        return None;
    }
    let (left, right) = (sum.operand(0)?, sum.operand(1)?);
    [(left, right), (right, left)].into_iter().find_map(|(number, other)| {
        let one = match other.opcode()? {
            Opcode::ZExt => 1,
            Opcode::SExt => -1,
            _ => return None,
        };
        let mask = other.operand(0).filter(|mask| mask.ty().scalar().int_width() == 1)?;
        (!number.is_constant() && other.users().len() == 1).then_some((sum, number, mask, one))
    })
}

#[cfg(test)]
mod tests {
    use oxicl_llvm::Context;

    use super::*;

    /// The code of a gang's function with a sum, for a machine with masks or not.
    fn written(sum: &str, features: &[&str]) -> String {
        let text = format!(
            "define <16 x i32> @k(<16 x i32> %a, <16 x i1> %m, <16 x i8> %n) \"{}\" {{\n{sum}\nret <16 x i32> %s }}",
            attribute::GANGS
        );
        let context = Context::new();
        let module = Module::parse_text(&context, &text).expect("valid");
        let features = features.iter().map(|feature| (*feature).to_owned()).collect();
        add_under_masks(&module, &Target { triple: "x86_64-unknown-linux-gnu".into(), features });
        module.verify().expect("valid code");
        module.to_text()
    }

    #[test]
    fn masks_are_added_under_where_they_are_all_that_is_added() {
        let one = "%x = zext <16 x i1> %m to <16 x i32>\n%s = add <16 x i32> %a, %x";
        let down = "%x = sext <16 x i1> %m to <16 x i32>\n%s = add <16 x i32> %x, %a";
        assert!(written(one, &MASKS).contains("select <16 x i1> %m, <16 x i32> %1, <16 x i32> %a"));
        assert!(written(one, &MASKS).contains("add <16 x i32> %a, splat (i32 1)"));
        assert!(written(down, &MASKS).contains("add <16 x i32> %a, splat (i32 -1)"));
        let narrow = one.replace("i1> %m", "i8> %n");
        let twice = "%x = zext <16 x i1> %m to <16 x i32>\n%y = add <16 x i32> %a, %x\n%s = mul <16 x i32> %y, %x";
        for (sum, features) in [(one, &MASKS[..1]), (&narrow, &MASKS), (twice, &MASKS)] {
            assert!(!written(sum, features).contains("select"), "{sum}");
        }
    }
}
