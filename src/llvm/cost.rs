//! What operations cost on a machine, as LLVM's own vectorisers reckon.
#![allow(unsafe_code, reason = "calls what our shim adds to LLVM's C API")]

use std::ffi::c_char;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use llvm_sys::LLVMOpcode;
use llvm_sys::prelude::{LLVMContextRef, LLVMTypeRef};
use llvm_sys::target_machine::LLVMTargetMachineRef;

use crate::context::Context;
use crate::error::c_string;
use crate::kinds::{IntPredicate, Opcode, RealPredicate};
use crate::machine::TargetMachine;
use crate::types::Type;

/// LLVM's TargetTransformInfo, of `shim/costs.cpp`.
#[repr(C)]
struct RawCosts {
    _private: [u8; 0],
}

unsafe extern "C" {
    fn oxicl_costs_new(machine: LLVMTargetMachineRef, context: LLVMContextRef, tune: *const c_char) -> *mut RawCosts;
    fn oxicl_costs_delete(costs: *mut RawCosts);
    fn oxicl_costs_registers(costs: *const RawCosts, count: &mut u32, bits: &mut u32);
    fn oxicl_costs_arithmetic(costs: *const RawCosts, of: LLVMOpcode, ty: LLVMTypeRef, constant: bool) -> i64;
    fn oxicl_costs_element(costs: *const RawCosts, insert: bool, ty: LLVMTypeRef) -> i64;
    fn oxicl_costs_cast(costs: *const RawCosts, of: LLVMOpcode, from: LLVMTypeRef, to: LLVMTypeRef) -> i64;
    fn oxicl_costs_compare(costs: *const RawCosts, of: LLVMOpcode, ty: LLVMTypeRef, predicate: u32) -> i64;
    fn oxicl_costs_memory(costs: *const RawCosts, of: LLVMOpcode, ty: LLVMTypeRef, align: u32, space: u32) -> i64;
    fn oxicl_costs_masked(costs: *const RawCosts, store: bool, ty: LLVMTypeRef, align: u32, space: u32) -> i64;
    fn oxicl_costs_scattered(
        costs: *const RawCosts,
        store: bool,
        ty: LLVMTypeRef,
        align: u32,
        space: u32,
        masked: bool,
    ) -> i64;
    fn oxicl_costs_interleaved(
        costs: *const RawCosts,
        of: LLVMOpcode,
        ty: LLVMTypeRef,
        factor: u32,
        used: u32,
        align: u32,
        space: u32,
    ) -> i64;
    fn oxicl_costs_shuffle(costs: *const RawCosts, kind: u32, ty: LLVMTypeRef, part: LLVMTypeRef) -> i64;
    fn oxicl_costs_intrinsic(
        costs: *const RawCosts,
        name: *const c_char,
        result: LLVMTypeRef,
        arguments: *const LLVMTypeRef,
        count: usize,
    ) -> i64;
}

/// How elements of vectors are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shuffle<'a> {
    /// The first to all places.
    Broadcast,
    /// Into the opposite order.
    Reverse,
    /// From one of two vectors, to the same place.
    Select,
    /// From anywhere in a vector.
    Permute,
    /// From anywhere in two vectors.
    PermuteTwo,
    /// A vector of this type from the middle on.
    Extract(Type<'a>),
    /// A vector of this type put in from the middle on.
    Insert(Type<'a>),
}

/// A load or a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// A load.
    Load,
    /// A store.
    Store,
}

/// What is known of the address of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// Alignment in bytes, a power of two; of each number where these are apart.
    pub align: u32,
    /// Address space.
    pub space: u32,
}

/// Vector registers of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VectorRegisters {
    /// How many.
    pub count: u32,
    /// Bits of each.
    pub bits: u32,
}

/// Costs on a machine: what one operation takes of many that do not depend on each other, in units of about a simple operation
/// in a register. `None` is what the machine cannot do, or is no such operation.
pub struct Costs<'a> {
    raw: *mut RawCosts,
    borrowed: PhantomData<(&'a TargetMachine, &'a Context)>,
}

impl TargetMachine {
    /// What operations on types of a context cost on this machine, by the name of a processor that code is tuned for; by the
    /// features alone if it is empty.
    pub fn costs<'a>(&'a self, context: &'a Context, tune: &str) -> Costs<'a> {
        let tune = c_string(tune);
        // SAFETY: machine and context outlive the costs, which borrow them; the name ends with a zero, and is copied.
        let raw = unsafe { oxicl_costs_new(self.raw, context.raw, tune.as_ptr()) };
        Costs { raw, borrowed: PhantomData }
    }
}

/// [`Costs`] with the machine and the context that they are of.
pub struct OwnedCosts {
    raw: *mut RawCosts,
    context: Context,
    _machine: TargetMachine,
}

impl OwnedCosts {
    /// As [`TargetMachine::costs`].
    pub fn new(machine: TargetMachine, tune: &str) -> OwnedCosts {
        let (context, tune) = (Context::new(), c_string(tune));
        // SAFETY: machine and context are dropped behind the costs, and neither handle moves what it is of; the name ends with a
        // zero, and is copied.
        let raw = unsafe { oxicl_costs_new(machine.raw, context.raw, tune.as_ptr()) };
        OwnedCosts { raw, context, _machine: machine }
    }

    /// Asks for costs of types of the context.
    pub fn ask<R>(&self, question: impl for<'a> FnOnce(&Costs<'a>, &'a Context) -> R) -> R {
        // They are deleted with us.
        let costs = ManuallyDrop::new(Costs { raw: self.raw, borrowed: PhantomData });
        question(&costs, &self.context)
    }
}

impl Drop for OwnedCosts {
    fn drop(&mut self) {
        // SAFETY: deleted once, in front of what they are of.
        unsafe { oxicl_costs_delete(self.raw) }
    }
}

impl Drop for Costs<'_> {
    fn drop(&mut self) {
        // SAFETY: deleted once.
        unsafe { oxicl_costs_delete(self.raw) }
    }
}

/// A cost, if it is one.
fn valid(cost: i64) -> Option<u64> {
    u64::try_from(cost).ok()
}

impl Access {
    fn opcode(self) -> LLVMOpcode {
        match self {
            Access::Load => LLVMOpcode::LLVMLoad,
            Access::Store => LLVMOpcode::LLVMStore,
        }
    }
}

impl<'a> Costs<'a> {
    /// The vector registers.
    pub fn vector_registers(&self) -> VectorRegisters {
        let (mut count, mut bits) = (0, 0);
        // SAFETY: the costs are alive, and the numbers outlive the call.
        unsafe { oxicl_costs_registers(self.raw, &mut count, &mut bits) };
        VectorRegisters { count, bits }
    }

    /// An operation on one or two numbers, or vectors of them.
    pub fn arithmetic(&self, opcode: Opcode, ty: Type<'a>) -> Option<u64> {
        self.arithmetic_with(opcode, ty, false)
    }

    /// The same where the second is one constant for all lanes.
    pub fn arithmetic_by_constant(&self, opcode: Opcode, ty: Type<'a>) -> Option<u64> {
        self.arithmetic_with(opcode, ty, true)
    }

    fn arithmetic_with(&self, opcode: Opcode, ty: Type<'a>, constant: bool) -> Option<u64> {
        use Opcode::{
            AShr, Add, And, FAdd, FDiv, FMul, FNeg, FRem, FSub, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor,
        };
        let is_known = match opcode {
            FNeg | FAdd | FSub | FMul | FDiv | FRem => ty.scalar().is_float(),
            Add | Sub | Mul | UDiv | SDiv | URem | SRem | Shl | LShr | AShr | And | Or | Xor => ty.scalar().is_int(),
            _ => false,
        };
        let opcode = opcode.to_raw().filter(|_| is_known)?;
        // SAFETY: the costs are alive, the type is of a context that is, and the operation is one of such numbers.
        valid(unsafe { oxicl_costs_arithmetic(self.raw, opcode, ty.raw, constant) })
    }

    /// A conversion between numbers, or vectors of as many.
    pub fn cast(&self, opcode: Opcode, from: Type<'a>, to: Type<'a>) -> Option<u64> {
        use Opcode::{FPExt, FPToSI, FPToUI, FPTrunc, SExt, SIToFP, Trunc, UIToFP, ZExt};
        let (a, b) = (from.scalar(), to.scalar());
        let is_known = match opcode {
            Trunc => a.is_int() && b.is_int() && a.int_width() > b.int_width(),
            SExt | ZExt => a.is_int() && b.is_int() && a.int_width() < b.int_width(),
            FPToSI | FPToUI => a.is_float() && b.is_int(),
            SIToFP | UIToFP => a.is_int() && b.is_float(),
            FPExt | FPTrunc => a.is_float() && b.is_float(),
            _ => false,
        };
        let as_many = from.is_vector() == to.is_vector() && (!from.is_vector() || from.length() == to.length());
        let opcode = opcode.to_raw().filter(|_| is_known && as_many)?;
        // SAFETY: as above.
        valid(unsafe { oxicl_costs_cast(self.raw, opcode, from.raw, to.raw) })
    }

    /// A comparison of integers.
    pub fn compare_int(&self, predicate: IntPredicate, ty: Type<'a>) -> Option<u64> {
        let predicate = Some(predicate.to_raw() as u32).filter(|_| ty.scalar().is_int())?;
        // SAFETY: as above.
        valid(unsafe { oxicl_costs_compare(self.raw, LLVMOpcode::LLVMICmp, ty.raw, predicate) })
    }

    /// A comparison of floating-point numbers.
    pub fn compare_float(&self, predicate: RealPredicate, ty: Type<'a>) -> Option<u64> {
        let predicate = Some(predicate.to_raw() as u32).filter(|_| ty.scalar().is_float())?;
        // SAFETY: as above.
        valid(unsafe { oxicl_costs_compare(self.raw, LLVMOpcode::LLVMFCmp, ty.raw, predicate) })
    }

    /// A choice between two values of a type, for each number by a truth of its own, which a comparison of such numbers gave. LLVM
    /// knows no vectors of truths of an unknown origin on AArch64, and would take each number by itself.
    pub fn select(&self, ty: Type<'a>) -> Option<u64> {
        let float = RealPredicate::Olt.to_raw() as u32;
        let predicate = if ty.scalar().is_float() { float } else { IntPredicate::Slt.to_raw() as u32 };
        // SAFETY: as above.
        valid(unsafe { oxicl_costs_compare(self.raw, LLVMOpcode::LLVMSelect, ty.raw, predicate) })
    }

    /// A load or store of a value.
    pub fn memory(&self, access: Access, ty: Type<'a>, address: Address) -> Option<u64> {
        let Address { align, space } = address.checked()?;
        // SAFETY: as above; the alignment is a power of two.
        valid(unsafe { oxicl_costs_memory(self.raw, access.opcode(), ty.raw, align, space) })
    }

    /// A load or store of the numbers of a vector, side by side, for which a truth holds.
    pub fn masked(&self, access: Access, ty: Type<'a>, address: Address) -> Option<u64> {
        let Address { align, space } = address.checked().filter(|_| ty.is_vector())?;
        // SAFETY: as above.
        valid(unsafe { oxicl_costs_masked(self.raw, access == Access::Store, ty.raw, align, space) })
    }

    /// A gather or scatter of the numbers of a vector, under a mask or of all.
    pub fn scattered(&self, access: Access, ty: Type<'a>, address: Address, masked: bool) -> Option<u64> {
        let Address { align, space } = address.checked().filter(|_| ty.is_vector())?;
        // SAFETY: as above; the type is a vector, as the shim takes for granted.
        valid(unsafe { oxicl_costs_scattered(self.raw, access == Access::Store, ty.raw, align, space, masked) })
    }

    /// An access to as many vectors as `factor` says, whose numbers lie interleaved in one of a type.
    pub fn interleaved(&self, access: Access, ty: Type<'a>, factor: u32, address: Address) -> Option<u64> {
        self.interleaved_part(access, ty, factor, factor, address)
    }

    /// The same of the first `used` of these vectors.
    pub fn interleaved_part(
        &self,
        access: Access,
        ty: Type<'a>,
        factor: u32,
        used: u32,
        address: Address,
    ) -> Option<u64> {
        let fits = ty.is_vector() && factor > 1 && ty.length().is_multiple_of(u64::from(factor));
        let Address { align, space } = address.checked().filter(|_| fits && (1..=factor).contains(&used))?;
        // SAFETY: as above; the shim's list of indices is below the factor.
        valid(unsafe { oxicl_costs_interleaved(self.raw, access.opcode(), ty.raw, factor, used, align, space) })
    }

    /// A number put into a lane of a vector.
    pub fn insert_element(&self, ty: Type<'a>) -> Option<u64> {
        // SAFETY: as above; the type is a vector.
        if ty.is_vector() { valid(unsafe { oxicl_costs_element(self.raw, true, ty.raw) }) } else { None }
    }

    /// A number taken out of a lane of a vector.
    pub fn extract_element(&self, ty: Type<'a>) -> Option<u64> {
        // SAFETY: as above; the type is a vector.
        if ty.is_vector() { valid(unsafe { oxicl_costs_element(self.raw, false, ty.raw) }) } else { None }
    }

    /// A shuffle of vectors of a type.
    pub fn shuffle(&self, shuffle: Shuffle<'a>, ty: Type<'a>) -> Option<u64> {
        // The order of the shim's `SHUFFLES`.
        let (kind, part) = match shuffle {
            Shuffle::Broadcast => (0, ty),
            Shuffle::Reverse => (1, ty),
            Shuffle::Select => (2, ty),
            Shuffle::Permute => (3, ty),
            Shuffle::PermuteTwo => (4, ty),
            Shuffle::Extract(part) => (5, part),
            Shuffle::Insert(part) => (6, part),
        };
        let is_part = part.is_vector() && part.scalar() == ty.scalar();
        if !ty.is_vector() || !is_part || (part != ty && part.length() > ty.length() / 2) {
            return None;
        }
        // SAFETY: as above; both types are vectors of the same numbers, and the part is in the whole from its middle on.
        valid(unsafe { oxicl_costs_shuffle(self.raw, kind, ty.raw, part.raw) })
    }

    /// A call of LLVM's intrinsic function of a name without types, such as `llvm.fma`.
    pub fn intrinsic(&self, name: &str, result: Type<'a>, arguments: &[Type<'a>]) -> Option<u64> {
        let name = c_string(name);
        let types: Vec<LLVMTypeRef> = arguments.iter().map(|ty| ty.raw).collect();
        // SAFETY: as above; the name ends with a zero, and it and the list outlive the call.
        valid(unsafe { oxicl_costs_intrinsic(self.raw, name.as_ptr(), result.raw, types.as_ptr(), types.len()) })
    }
}

impl Address {
    /// Itself, if the alignment is one.
    fn checked(self) -> Option<Self> {
        self.align.is_power_of_two().then_some(self)
    }
}
