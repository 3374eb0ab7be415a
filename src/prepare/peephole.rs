//! Peephole rewrites: of forms that LLVM's clean-up leaves and for which its code generator selects slow instructions,
//! of code that the code generator translates wrongly without the clean-up, and of code that the clean-up itself makes
//! wrong.
//!
//! Three of the first kind are for gangs on machines with mask registers. To count the lanes of a mask, each of them adds
//! one; the clean-up turns that into adding the extended mask. Such machines add under a mask, and would have to make a
//! vector of the mask first. The clean-up zero-extends 32-bit indices that are not negative, while gathers take signed
//! ones. And it adds what stays the same in a loop first: each lane's index, extended, to the address that lanes share,
//! and to each sum how far the loop has come. Gathers take a shared address and the indices, and extend these by themselves.

use oxicl_llvm::{Builder, GepFlags, IntPredicate, Module, Opcode, Type, TypeKind, Value};
use oxicl_ops::attribute;
use oxicl_target::{Ability, Target};

use crate::functions_with;

/// Makes these three rewrites: additions of masks become masked additions, indices are sign-extended, and the addresses of
/// gathers and scatters are sums of what lanes share and indices.
pub(crate) fn suit_machine(module: &Module<'_>, target: &Target) {
    if !target.can(Ability::Masks) {
        return;
    }
    let b = Builder::new(module.context());
    for function in functions_with(module, attribute::GANGS) {
        for instruction in function.blocks().into_iter().flat_map(|block| block.instructions()).collect::<Vec<_>>() {
            match instruction.opcode() {
                Some(Opcode::Add) => add_under_mask(&b, instruction),
                Some(Opcode::ZExt) => sign_index(&b, instruction),
                Some(Opcode::Call) => share_base(&b, instruction),
                _ => {}
            }
        }
    }
}

/// Negates elements of negated vectors by themselves. Works around a bug of LLVM 22 for AVX-512: of eight doubles that
/// are shuffled and then negated, the code generator takes the first from its place before the shuffle. The clean-up
/// makes the same rewrite.
pub(crate) fn negate_elements(module: &Module<'_>) {
    let b = Builder::new(module.context());
    let blocks = module.functions().into_iter().flat_map(|function| function.blocks());
    for element in blocks.flat_map(|block| block.instructions()).collect::<Vec<_>>() {
        let (Some(Opcode::ExtractElement), Some(vector), Some(index)) =
            (element.opcode(), element.operand(0), element.operand(1))
        else {
            continue;
        };
        if let (Some(Opcode::FNeg), Some(negated)) = (vector.opcode(), vector.operand(0)) {
            b.position_before(element);
            let result = b.fneg(b.extract_element(negated, index));
            element.replace_uses_with(result);
        }
    }
}

/// Selects the unrotated vector where the rotation is by a multiple of the elements' bits. Works around a bug of LLVM
/// 22: without an instruction for rotations, the code generator shifts left by some bits and right by the rest, and
/// takes the second shift for undefined where it knows the rest to be all bits. The clean-up finds such a rotation
/// before.
pub(crate) fn guard_rotations(module: &Module<'_>, target: &Target) {
    let b = Builder::new(module.context());
    let blocks = module.functions().into_iter().flat_map(|function| function.blocks());
    for rotation in blocks.flat_map(|block| block.instructions()).collect::<Vec<_>>() {
        let Some(function) = rotation.called_function() else { continue };
        let name = function.name();
        if !name.starts_with("llvm.fshl.") && !name.starts_with("llvm.fshr.") {
            continue;
        }
        let ty = rotation.ty();
        let has_instruction = target.can(Ability::Masks) && ty.scalar().int_width() >= 32;
        let (Some(number), Some(other), Some(by)) = (rotation.operand(0), rotation.operand(1), rotation.operand(2))
        else {
            continue;
        };
        if !ty.is_vector() || has_instruction || number != other || by.is_constant() {
            continue;
        }
        let rest = u64::from(ty.scalar().int_width() - 1);
        b.position_before(rotation);
        let bits = b.context().const_vector(&vec![ty.scalar().const_int(rest); ty.length() as usize]);
        let stays = b.icmp(IntPredicate::Eq, b.and(by, bits), ty.zero());
        let rotated = b.call(function, &[number, number, by]);
        rotation.replace_uses_with(b.select(stays, number, rotated));
    }
}

/// Freezes the results of masked loads. Works around a bug of LLVM 22: if a select takes the result by the same mask,
/// the clean-up moves the load to the select, past the stores in between. It does not see through a freeze.
pub(crate) fn freeze_masked_loads(module: &Module<'_>) {
    let b = Builder::new(module.context());
    let of_loads = module.functions().into_iter().filter(|function| function.name().starts_with("llvm.masked.load."));
    for load in of_loads.flat_map(|function| function.users()).collect::<Vec<_>>() {
        let users = load.users();
        let Some(next) = load.next_instruction() else { continue };
        if users.iter().all(|user| user.opcode() == Some(Opcode::Freeze)) {
            continue;
        }
        b.position_before(next);
        let frozen = b.freeze(load);
        load.replace_uses_with(frozen);
        frozen.set_operand(0, load);
    }
}

/// Converts halves to floats before they become integers where LLVM 22's code generator for AVX512-FP16 is wrong: it
/// truncates a number that was rounded to the nearest integer as if it had not been rounded, and makes -32768 of NaN in
/// saturating conversions to 16 bits.
pub(crate) fn convert_halves(module: &Module<'_>) {
    let b = Builder::new(module.context());
    let is_call = |value: Value<'_>, names: &[&str]| {
        let name = value.called_function().map(|function| function.name());
        name.is_some_and(|name| names.iter().any(|wanted| name.starts_with(wanted)))
    };
    let is_half = |value: &Value<'_>| value.ty().scalar().kind() == TypeKind::Half;
    let is_rounded = |value: Value<'_>| is_call(value, &["llvm.rint.", "llvm.nearbyint.", "llvm.roundeven."]);
    let blocks = module.functions().into_iter().flat_map(|function| function.blocks());
    for conversion in blocks.flat_map(|block| block.instructions()).collect::<Vec<_>>() {
        let Some(opcode @ (Opcode::FPToSI | Opcode::FPToUI | Opcode::Call)) = conversion.opcode() else { continue };
        let Some(number) = conversion.operand(0).filter(is_half) else { continue };
        let is_wrong = match opcode {
            Opcode::Call => is_call(conversion, &["llvm.fptosi.sat."]),
            _ => is_rounded(number),
        };
        if !is_wrong {
            continue;
        }
        let (ty, float) = (conversion.ty(), b.context().float_type());
        let float = if ty.is_vector() { float.vector(ty.length() as u32) } else { float };
        b.position_before(conversion);
        let number = b.fp_ext(number, float);
        let converted = match opcode {
            Opcode::Call => {
                module.intrinsic("llvm.fptosi.sat", &[ty, float]).map(|function| b.call(function, &[number]))
            }
            _ => Some(b.cast(opcode, number, ty)),
        };
        if let Some(converted) = converted {
            conversion.replace_uses_with(converted);
        }
    }
}

/// Converts integers that are not negative to floating point as signed ones. No machine takes longer for that, and x86
/// takes much less. (The clean-up makes such conversions unsigned.)
pub(crate) fn convert_as_signed(module: &Module<'_>) {
    let b = Builder::new(module.context());
    let blocks = module.functions().into_iter().flat_map(|function| function.blocks());
    for conversion in blocks.flat_map(|block| block.instructions()).collect::<Vec<_>>() {
        let number = conversion.operand(0).filter(|_| conversion.opcode() == Some(Opcode::UIToFP));
        if let Some(number) = number.filter(|_| conversion.is_nonnegative()) {
            b.position_before(conversion);
            conversion.replace_uses_with(b.cast(Opcode::SIToFP, number, conversion.ty()));
        }
    }
}

/// Sign-extends vector indices that are zero-extended but never negative.
fn sign_index<'m>(b: &Builder<'m>, index: Value<'m>) {
    let is_index = |user: &Value<'_>| user.opcode() == Some(Opcode::GetElementPtr);
    let (Some(short), users) = (index.operand(0), index.users()) else { return };
    let is_word = |ty: Type<'_>| ty.is_vector() && ty.scalar().int_width() == 32;
    if index.is_nonnegative() && is_word(short.ty()) && users.iter().all(is_index) {
        b.position_before(index);
        index.replace_uses_with(b.cast(Opcode::SExt, short, index.ty()));
    }
}

/// Computes the addresses of a gather or scatter from one that lanes share, if it is a sum of such an address, an index of
/// each lane's own, and another index that lanes share.
fn share_base<'m>(b: &Builder<'m>, access: Value<'m>) {
    let Some(name) = access.called_function().map(|function| function.name()) else { return };
    let place = match () {
        () if name.starts_with("llvm.masked.gather.") => 0,
        () if name.starts_with("llvm.masked.scatter.") => 1,
        () => return,
    };
    let Some((outer, base, index)) = access.operand(place).and_then(address) else { return };
    let sum = match base.ty().is_vector() {
        true => address(base).filter(|_| !index.ty().is_vector()).map(|inner| (inner, (outer, index))),
        false => terms(index).map(|(own, shared)| ((outer, base, own), (outer, shared))),
    };
    let Some(((inner, base, own), (outer, shared))) = sum else { return };
    if base.ty().is_vector() {
        return;
    }
    b.position_before(access);
    let base = b.gep(outer, base, &[shared], GepFlags::NONE);
    let is_signed = own.opcode() == Some(Opcode::SExt) || own.opcode() == Some(Opcode::ZExt) && own.is_nonnegative();
    let own = match own.operand(0).filter(|_| is_signed) {
        Some(short) => b.cast(Opcode::SExt, short, own.ty()),
        None => own,
    };
    access.set_operand(place, b.gep(inner, base, &[own], GepFlags::NONE));
}

/// The type of the elements, the base and the index of an address with one index.
fn address(address: Value<'_>) -> Option<(Type<'_>, Value<'_>, Value<'_>)> {
    let source = address.gep_source_type()?;
    match address.operands()[..] {
        [base, index] => Some((source, base, index)),
        _ => None,
    }
}

/// The terms of a sum of each lane's own number and one that lanes share.
fn terms(sum: Value<'_>) -> Option<(Value<'_>, Value<'_>)> {
    let (left, right) = (sum.operand(0)?, sum.operand(1)?);
    let is_sum = sum.opcode() == Some(Opcode::Add);
    [(left, right), (right, left)].into_iter().filter(|_| is_sum).find_map(|(own, other)| Some((own, shared(other)?)))
}

/// The number that all lanes of a vector have.
fn shared(vector: Value<'_>) -> Option<Value<'_>> {
    let is_first =
        vector.opcode() == Some(Opcode::ShuffleVector) && vector.shuffle_mask().iter().all(|from| *from == Some(0));
    let inserted = vector.operand(0).filter(|_| is_first)?;
    let at_first = inserted.opcode() == Some(Opcode::InsertElement) && inserted.operand(2)?.as_u64() == Some(0);
    inserted.operand(1).filter(|_| at_first)
}

/// Turns the sum of a vector and an extended mask into a masked addition, if the extension has no other use.
fn add_under_mask<'m>(b: &Builder<'m>, sum: Value<'m>) {
    let Some((number, mask, one)) = sum_with_mask(sum) else { return };
    b.position_before(sum);
    let ones = b.context().const_vector(&vec![sum.ty().scalar().const_signed(one); sum.ty().length() as usize]);
    let more = b.add(number, ones);
    sum.replace_uses_with(b.select(mask, more, number));
}

/// The vector, the mask, and what a lane in the mask adds (1 or -1), if this is the sum of a vector and an extended
/// mask.
fn sum_with_mask(sum: Value<'_>) -> Option<(Value<'_>, Value<'_>, i64)> {
    let is_wide = |ty: Type<'_>| ty.is_vector() && ty.scalar().is_int() && ty.scalar().int_width() >= 32;
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
        (!number.is_constant() && other.users().len() == 1).then_some((number, mask, one))
    })
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::rewritten;

    /// The features for masked operations on vectors of every length.
    const MASKS: [&str; 2] = ["+avx512f", "+avx512vl"];

    fn target(features: &[&str]) -> Target {
        Target::with_features("x86_64-unknown-linux-gnu", features.iter().map(|f| (*f).to_owned()).collect())
    }

    /// The rewritten code of a gang's function with a sum, for a machine with these features.
    fn written(sum: &str, features: &[&str]) -> String {
        let text = format!(
            "define <16 x i32> @k(<16 x i32> %a, <16 x i1> %m, <16 x i8> %n) \"{}\" {{\n{sum}\nret <16 x i32> %s }}",
            attribute::GANGS
        );
        rewritten(&text, |module| suit_machine(module, &target(features)))
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

    #[test]
    fn elements_of_negated_vectors_are_negated_by_themselves() {
        let text = "define double @k(<8 x double> %a) {
            %s = shufflevector <8 x double> %a, <8 x double> poison, <8 x i32> <i32 3, i32 1, i32 2, i32 0, i32 4, i32 5, i32 6, i32 7>
            %n = fneg <8 x double> %s
            %e = extractelement <8 x double> %n, i64 0
            ret double %e }";
        let text = rewritten(text, negate_elements);
        assert!(text.contains("extractelement <8 x double> %s") && text.contains("fneg double"), "{text}");
    }

    #[test]
    fn vectors_rotated_by_a_multiple_of_their_bits_stay_as_they_are() {
        let rotated = |by: &str, other: &str, features: &[&str]| {
            let text = format!(
                "define <8 x i32> @k(<8 x i32> %a, <8 x i32> %b) {{
                %r = call <8 x i32> @llvm.fshl.v8i32(<8 x i32> %a, <8 x i32> {other}, <8 x i32> {by})
                ret <8 x i32> %r }}
                declare <8 x i32> @llvm.fshl.v8i32(<8 x i32>, <8 x i32>, <8 x i32>)"
            );
            rewritten(&text, |module| guard_rotations(module, &target(features)))
        };
        let text = rotated("%b", "%a", &[]);
        assert!(text.contains("and <8 x i32> %b, splat (i32 31)") && text.contains("select <8 x i1>"), "{text}");
        for (by, other, features) in [("splat (i32 7)", "%a", &[][..]), ("%b", "%b", &[]), ("%b", "%a", &MASKS)] {
            assert!(!rotated(by, other, features).contains("select"), "{by} {other} {features:?}");
        }
    }

    #[test]
    fn numbers_that_are_not_negative_become_floats_as_signed_ones() {
        let converted = |conversion: &str| {
            let text = format!("define float @k(i64 %a) {{ %r = {conversion} i64 %a to float\nret float %r }}");
            rewritten(&text, convert_as_signed)
        };
        assert!(converted("uitofp nneg").contains("sitofp i64 %a"));
        assert!(!converted("uitofp").contains("sitofp"));
    }

    #[test]
    fn halves_are_floats_before_they_are_integers_where_that_matters() {
        let converted = |conversion: &str| {
            let text = format!(
                "define <2 x i16> @k(<2 x half> %a) {{
                %r = call <2 x half> @llvm.rint.v2f16(<2 x half> %a)
                {conversion}
                ret <2 x i16> %i }}
                declare <2 x half> @llvm.rint.v2f16(<2 x half>)
                declare <2 x i16> @llvm.fptosi.sat.v2i16.v2f16(<2 x half>)"
            );
            rewritten(&text, convert_halves)
        };
        assert!(converted("%i = fptosi <2 x half> %r to <2 x i16>").contains("fptosi <2 x float>"));
        assert!(converted("%i = fptoui <2 x half> %r to <2 x i16>").contains("fptoui <2 x float>"));
        assert!(!converted("%i = fptosi <2 x half> %a to <2 x i16>").contains("float"));
        let nearest = "%i = call <2 x i16> @llvm.fptosi.sat.v2i16.v2f16(<2 x half> %a)";
        assert!(converted(nearest).contains("ret <2 x i16> %2"), "{}", converted(nearest));
    }

    #[test]
    fn indices_that_are_not_negative_are_signed_where_lanes_gather_by_them() {
        let gather = |extension: &str, more: &str| {
            let text = format!(
                "define <16 x i32> @k(ptr %p, <16 x i32> %a) \"{}\" {{
                %i = {extension} <16 x i32> %a to <16 x i64>
                %at = getelementptr i32, ptr %p, <16 x i64> %i
                %g = call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> align 4 %at, <16 x i1> splat (i1 true),
                    <16 x i32> poison)
                {more}
                ret <16 x i32> %g }}
                declare <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr>, <16 x i1>, <16 x i32>)",
                attribute::GANGS
            );
            rewritten(&text, |module| suit_machine(module, &target(&MASKS)))
        };
        assert!(gather("zext nneg", "").contains("sext <16 x i32> %a"));
        assert!(!gather("zext", "").contains("sext"));
        assert!(!gather("zext nneg", "store <16 x i64> %i, ptr %p").contains("sext"));
    }

    #[test]
    fn gathers_take_addresses_that_lanes_share_and_signed_indices() {
        let gather = |at: &str| {
            let text = format!(
                "define <16 x i32> @k(ptr %p, i64 %x, <16 x i32> %a) \"{}\" {{
                %i = sext <16 x i32> %a to <16 x i64>
                {at}
                %g = call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> align 4 %at, <16 x i1> splat (i1 true),
                    <16 x i32> poison)
                ret <16 x i32> %g }}
                declare <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr>, <16 x i1>, <16 x i32>)",
                attribute::GANGS
            );
            rewritten(&text, |module| suit_machine(module, &target(&MASKS)))
        };
        let own_first = "%own = getelementptr i32, ptr %p, <16 x i64> %i
                %at = getelementptr i8, <16 x ptr> %own, i64 %x";
        let sum = "%first = insertelement <16 x i64> poison, i64 %x, i64 0
                %all = shufflevector <16 x i64> %first, <16 x i64> poison, <16 x i32> zeroinitializer
                %sum = add <16 x i64> %i, %all
                %at = getelementptr i32, ptr %p, <16 x i64> %sum";
        for (at, ty) in [(own_first, "i8"), (sum, "i32")] {
            let text = gather(at);
            let is_there = |line: &str| assert!(text.contains(line), "{line}: {text}");
            is_there(&format!(" = getelementptr {ty}, ptr %p, i64 %x\n  %2 = sext <16 x i32> %a to <16 x i64>"));
            is_there("%3 = getelementptr i32, ptr %1, <16 x i64> %2\n");
            is_there("(<16 x ptr> align 4 %3,");
        }
        let other = sum.replace("i64 %x, i64 0", "i64 %x, i64 1");
        assert!(gather(&other).contains("align 4 %at"), "the first lane's number is another");
    }
}
