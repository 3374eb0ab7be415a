//! Replaces fills and copies of private arrays by loads and stores, one for each element.
//!
//! `workgroup` interleaves the private arrays of a gang, so that equal elements of all lanes are contiguous, if an
//! array is only accessed as numbers of one size. `uint bins[16] = {0}` comes with a fill or a copy of bytes. It would
//! be replicated for each lane, and each lane would need a contiguous array of its own.
//!
//! Scalar code gains, too: a wide load of what narrow stores have just written waits for them (no store forwarding).

use std::collections::{HashMap, HashSet};

use oxicl_llvm::{Builder, Context, GepFlags, Module, Opcode, Ordering, Place, TypeKind, Value};

/// Bounds on compile time: how many elements the fills and copies of a function may be replaced by, and how many
/// arrays, and addresses into one, are looked at.
const NUMBERS: u64 = 512;
const ARRAYS: usize = 64;
const USES: usize = 200;
/// A bound on compile time: rounds over a function. The size of an array's elements may become known only when a copy
/// of it has become loads and stores.
const ROUNDS: usize = 3;

/// Replaces the fills and copies of all functions by loads and stores. True if there were any.
pub(crate) fn write_out(module: &Module<'_>, context: &Context) -> bool {
    let b = Builder::new(context);
    let mut any = false;
    for function in module.functions() {
        let mut left = NUMBERS;
        for _ in 0..ROUNDS {
            let copies = copies_of(module, function);
            let writes = copies.iter().filter_map(|(copy, unit)| write(&b, *copy, *unit, &mut left)).count();
            any |= writes > 0;
            if writes == 0 {
                break;
            }
        }
    }
    any
}

/// The fills and copies of a function's arrays, in the order of the code, each with the size of the array's elements,
/// in bytes.
fn copies_of<'m>(module: &Module<'m>, function: Value<'m>) -> Vec<(Value<'m>, u64)> {
    let blocks = function.blocks();
    let instructions = || blocks.iter().flat_map(|block| block.instructions());
    let copies: Vec<_> = instructions().filter(|inst| length(*inst).is_some_and(|length| length > 0)).collect();
    if copies.is_empty() {
        return Vec::new();
    }
    let arrays = instructions().filter(|inst| inst.allocated_type().is_some()).take(ARRAYS);
    let units: HashMap<_, _> = arrays.filter_map(|array| Some((array, unit(module, array)?))).collect();
    let of_array = |copy: Value<'m>| {
        let sides = if is_fill(copy) { 1 } else { 2 };
        let roots: Vec<_> = (0..sides).filter_map(|side| copy.operand(side)).map(root).collect();
        let known: HashSet<u64> = roots.iter().filter_map(|root| units.get(root).copied().flatten()).collect();
        let is_within_one = roots.len() == 2 && roots[0] == roots[1];
        Some((copy, *known.iter().next()?)).filter(|_| known.len() == 1 && !is_within_one)
    };
    copies.into_iter().filter_map(of_array).collect()
}

/// The size, in bytes, of the numbers that an array is accessed as, if it is accessed; `None` if its address escapes or
/// sizes differ.
fn unit(module: &Module<'_>, array: Value<'_>) -> Option<Option<u64>> {
    let mut unit = None;
    let mut addresses = vec![array];
    let mut next = 0;
    while let Some(address) = addresses.get(next).copied() {
        next += 1;
        for user in address.users() {
            let ty = match user.opcode()? {
                Opcode::GetElementPtr if user.operand(0) == Some(address) && user.ty().is_pointer() => {
                    addresses.push(user);
                    continue;
                }
                Opcode::Call if length(user).is_some() || is(user, &["llvm.lifetime."]) => continue,
                Opcode::Load => user.ty(),
                Opcode::Store if user.operand(0) != Some(address) => user.operand(0)?.ty(),
                _ => return None,
            };
            let is_number = !matches!(ty.kind(), TypeKind::Struct | TypeKind::Array);
            let bytes = module.size_of(ty.scalar());
            let is_plain = !user.is_volatile() && user.ordering() == Ordering::NotAtomic;
            if !is_number || !is_plain || !matches!(bytes, 1 | 2 | 4 | 8) || unit.is_some_and(|unit| unit != bytes) {
                return None;
            }
            unit = Some(bytes);
        }
        if addresses.len() > USES {
            return None;
        }
    }
    Some(unit)
}

/// The base that an address is computed from.
fn root(mut address: Value<'_>) -> Value<'_> {
    while let (Some(Opcode::GetElementPtr), Some(from)) = (address.opcode(), address.operand(0)) {
        address = from;
    }
    address
}

/// The length, in bytes, of a fill or copy that is not volatile and whose length is constant.
pub(crate) fn length(call: Value<'_>) -> Option<u64> {
    let is_copy = is(call, &["llvm.memset.", "llvm.memcpy.", "llvm.memmove."]);
    let is_volatile = || call.operand(3)?.as_u64();
    call.operand(2).filter(|_| is_copy && is_volatile() == Some(0))?.as_u64()
}

fn is_fill(call: Value<'_>) -> bool {
    is(call, &["llvm.memset."])
}

/// Does it call a function whose name begins with one of `names`?
pub(crate) fn is(call: Value<'_>, names: &[&str]) -> bool {
    let name = call.called_function().filter(|_| call.is_call()).map(|function| function.name());
    name.is_some_and(|name| names.iter().any(|known| name.starts_with(known)))
}

/// Replaces a fill or copy by loads and stores of `unit` bytes each, if there are at most `left`, and sets its length
/// to 0.
fn write(b: &Builder<'_>, copy: Value<'_>, unit: u64, left: &mut u64) -> Option<()> {
    let (to, from, bytes) = (copy.operand(0)?, copy.operand(1)?, length(copy)?);
    let count = bytes / unit;
    if !bytes.is_multiple_of(unit) || count > *left {
        return None;
    }
    *left -= count;
    let (byte, number) = (b.context().int_type(8), b.context().int_type(8 * unit as u32));
    let i64_type = b.context().int_type(64);
    let align = |side: u32, pointer: Value<'_>| {
        let said = copy.attribute(Place::Parameter(side), "align").map_or(1, |align| align.value());
        let own = pointer.allocated_type().map_or(0, |_| pointer.alignment());
        said.max(u64::from(own)).min(unit) as u32
    };
    let (to_align, from_align) = (align(0, to), align(1, from));
    b.position_before(copy);
    let ones = 0x0101_0101_0101_0101 >> (64 - 8 * unit);
    let filling = is_fill(copy).then(|| b.mul(b.zext(from, number), number.const_int(ones)));
    for index in 0..count {
        let at = |pointer| b.gep(byte, pointer, &[i64_type.const_int(index * unit)], GepFlags::NONE);
        let value = filling.unwrap_or_else(|| b.load(number, at(from), from_align));
        b.store(value, at(to), to_align);
    }
    copy.set_operand(2, copy.operand(2)?.ty().zero());
    Some(())
}
