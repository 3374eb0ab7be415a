//! What producers do against the specifications and this device accepts: one table, each row with its reason.

/// Makes [`Quirk`] of one row a quirk: name, the section that it breaks, and who does it and why it is accepted.
macro_rules! quirks {
    ($($name:ident: $section:literal, $reason:literal;)*) => {
        /// A known habit of a producer. It is accepted with a warning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each quirk's reason is its documentation")]
        pub enum Quirk {
            $($name,)*
        }

        impl Quirk {
            /// All quirks.
            pub const ALL: &'static [Quirk] = &[$(Quirk::$name,)*];

            /// The quirk's name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Quirk::$name => stringify!($name),)*
                }
            }

            /// The section of the specification that does not allow it.
            pub fn section(self) -> &'static str {
                match self {
                    $(Quirk::$name => $section,)*
                }
            }

            /// Who does it, and why it is accepted.
            pub fn reason(self) -> &'static str {
                match self {
                    $(Quirk::$name => $reason,)*
                }
            }
        }
    };
}

quirks! {
    AsyncCopyStride: "SPIR-V 1.6, Group and Subgroup Instructions (OpGroupAsyncCopy)",
        "clang 22 gives the stride and the number of elements of asynchronous copies 32 bits where addresses have 64; \
         they are zero-extended.";
    AsyncCopyArray: "SPIR-V 1.6, Group and Subgroup Instructions (OpGroupAsyncCopy)",
        "clang 22 gives asynchronous copies pointers to arrays, counting the elements of these; so it is read.";
    BroadcastConstant: "SPIR-V 1.6, Non-Uniform Instructions (OpGroupNonUniformBroadcast)",
        "clang 22 broadcasts the value of a work-item that is no constant in modules of SPIR-V before 1.5, which has only \
         constants there; it means what it means later.";
    RepeatedNullType: "SPIR-V 1.6, Constant-Creation Instructions (OpConstantNull)",
        "clang 22 writes the type of a null event once more for each further use of it; the words are ignored.";
    ReservedSemantics: "SPIR-V 1.6, 3.25 Memory Semantics",
        "clang 22 sets the reserved lowest bit of memory semantics in barriers; it has no meaning.";
    ConstantAddressType: "SPIR-V 1.6, Memory Instructions (OpAccessChain)",
        "clang 22 gives the addresses of parts of variables that are constants the type of a pointer to bytes; the part is \
         the one that the indices lead to.";
    ConstantAddressInBytes: "SPIR-V 1.6, Memory Instructions (OpPtrAccessChain)",
        "clang 22 counts bytes where it gives a place in a variable as a constant, whatever the variable holds; so it is read.";
    OperationInConstant: "SPIR-V 1.6, Constant-Creation Instructions (OpConstantComposite)",
        "clang 22 and translators put addresses, which are OpSpecConstantOp, into composites that are no specialisation \
         constants; nothing in them can be specialised.";
    AnyOfIntegers: "SPIR-V 1.6, Relational and Logical Instructions (OpAny, OpAll)",
        "clang 22 writes OpenCL C's any and all, which take integers, as OpAny and OpAll, which take booleans; they ask for \
         the highest bit of each, as in OpenCL C.";
    DecorateIdVersion: "SPIR-V 1.6, Annotation Instructions (OpDecorateId)",
        "DPC++ writes the alias scopes of instructions by OpDecorateId into modules of SPIR-V 1.0, which has it from 1.2 on; \
         it means there what it means later.";
    BarrierScope: "OpenCL SPIR-V Environment, Validation Rules",
        "clang 22 gives barriers of a work-group that name a memory scope that one as execution scope, too; nothing but the \
         work-group can be meant.";
    KernelLinkage: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "Translators of LLVM before 2021 export kernels, too, which only functions that are no entry points may be; the kernel \
         can be called by the host all the same.";
    ConstantParameter: "SPIR-V 1.6, 3.20 Decoration (Constant)",
        "Khronos' conformance suite decorates parameters as constant, which is for variables; it is ignored.";
    InvocationScope: "OpenCL SPIR-V Environment, Validation Rules",
        "DPC++ makes atomics of the scope Invocation, which the environment of Level Zero allows; they are as strong as \
         those of a wider scope.";
    OrderAsScope: "SPIR-V 1.6, Atomic Instructions (OpAtomicLoad)",
        "clang 22 gives OpAtomicLoad the memory order of atomic_load_explicit as its scope and the memory scope as its \
         semantics, as OpenCL C numbers them; where that means nothing in SPIR-V, the load has that order.";
    WeakExchange: "SPIR-V 1.6, Atomic Instructions (OpAtomicCompareExchangeWeak)",
        "clang 22 forgets Int64Atomics where OpAtomicCompareExchangeWeak is the only atomic on 64 bits; it is as good as \
         declared.";
    EqualWidths: "SPIR-V 1.6, Conversion Instructions (OpUConvert, OpSConvert, OpFConvert)",
        "clang 22 writes saturated and rounded conversions between equal types as conversions of width, which are for \
         different ones; they are copies.";
    MaskOfWider: "SPIR-V 1.6, Bit Instructions (OpBitwiseAnd)",
        "clang 22 writes a number that is truncated, then extended to less than it had, as an OpBitwiseAnd of the number \
         itself with a constant of the result's width; the higher bits do not count.";
    ShiftOfWider: "SPIR-V 1.6, Bit Instructions (OpShiftLeftLogical)",
        "clang 22 shifts a number itself that is truncated, then extended to less than it had, where the shift by a constant \
         drops what a mask would clear; the higher bits do not count.";
    RoundingOfIntegers: "SPIR-V 1.6, 3.20 Decoration (FPRoundingMode)",
        "clang 22 writes the rounding mode of OpenCL C's conversions between integers, where nothing is rounded; it is ignored.";
    HalfAddress: "OpenCL Extended Instruction Set Specification, vload_half and vstore_half",
        "clang 22 drops the cast of an address to one of halves where the object holds 16-bit integers; the address is what \
         counts.";
    AlignmentNotPowerOfTwo: "SPIR-V 1.6, 3.20 Decoration (Alignment)",
        "DPC++ and older translators give alignments that are no power of two, or are sign-extended from 8 bits; they are \
         ignored.";
    WorkgroupNull: "SPIR-V 1.6, Memory Instructions (OpVariable)",
        "LLVM's SPIR-V target writes a local variable without content as one initialised with null, which only other storage \
         classes have; it is undefined at the start of a work-group, as in OpenCL C.";
    PrintfFormat: "OpenCL SPIR-V Environment, Printf Operands",
        "What a format is to do with arguments of other types, with too few of them, or with a conversion that does not \
         exist is undefined: here, such a call prints nothing and gives -1.";
}
