//! Why the validators may disagree: one table, from which `docs/spirv-val.md` is written.

use crate::Disagreement;

/// A kind of disagreement, and why it is none of our mistakes.
#[derive(Debug)]
pub struct Explanation {
    /// How it is recognised.
    pub pattern: Pattern,
    /// One sentence or two.
    pub reason: &'static str,
}

/// How a disagreement is recognised.
#[derive(Debug)]
pub enum Pattern {
    /// We reject for one of these rules.
    Rules(&'static [&'static str]),
    /// We reject for this rule with a sentence that contains this.
    Detail(&'static str, &'static str),
    /// They reject with a message that contains all of these.
    Message(&'static [&'static str]),
}

const fn rules(rules: &'static [&'static str], reason: &'static str) -> Explanation {
    Explanation { pattern: Pattern::Rules(rules), reason }
}

const fn detail(rule: &'static str, part: &'static str, reason: &'static str) -> Explanation {
    Explanation { pattern: Pattern::Detail(rule, part), reason }
}

const fn message(parts: &'static [&'static str], reason: &'static str) -> Explanation {
    Explanation { pattern: Pattern::Message(parts), reason }
}

/// The table.
pub const EXPLANATIONS: &[Explanation] = &[
    rules(
        &[
            "NotSupported",
            "DeviceLimit",
            "EnvironmentVersion",
            "EnvironmentCapability",
            "EnvironmentExtension",
            "EnvironmentInstructionSet",
        ],
        "What this device does not have is refused by name; spirv-val knows no device.",
    ),
    rules(
        &["EnvironmentModel", "EnvironmentType", "ImageType", "StorageClass", "KernelArgument", "KernelResult"],
        "Rules of the OpenCL environment that spirv-val does not check.",
    ),
    rules(
        &["ScalarType"],
        "The widths and signedness of numbers; spirv-val lets any number be the signedness of some integers.",
    ),
    rules(
        &["BuiltInVariable", "ExecutionScope", "MemoryScope", "MemorySemantics", "Recursion"],
        "Rules of the OpenCL environment that spirv-val does not check.",
    ),
    rules(
        &["KernelMode", "KernelModeRepeated"],
        "spirv-val does not look at the operands of the execution modes of kernels, nor for modes that are set twice.",
    ),
    rules(
        &["ParameterAttribute", "DecorationTarget", "DecorationOperand", "DecorationMember"],
        "spirv-val does not check where the decorations of kernels stand.",
    ),
    rules(&["Linkage", "LinkageUnique"], "spirv-val does not compare the names of imports and exports."),
    rules(&["DecorationRepeated"], "spirv-val has this rule from 2024 on, and for some decorations only."),
    detail("PhysicalLayout", "the instruction schema is", "The schema word is reserved and 0; spirv-val ignores it."),
    rules(&["LiteralString"], "Strings are UTF-8; spirv-val does not check it."),
    detail(
        "AccessChain",
        "not an integer",
        "The element operand of OpPtrAccessChain is an integer; spirv-val does not check it.",
    ),
    detail(
        "AccessChain",
        "not a scalar or vector",
        "The element operand of OpPtrAccessChain is an integer; spirv-val does not check it.",
    ),
    detail(
        "AccessChain",
        "which has no size",
        "Indices along an opaque type mean no distance, so OpPtrAccessChain has no result there; spirv-val lets it pass.",
    ),
    detail(
        "IdKind",
        "OpInBoundsPtrAccessChain uses",
        "The element operand of OpPtrAccessChain is an integer; spirv-val does not check it.",
    ),
    detail(
        "IdKind",
        "OpPtrAccessChain uses",
        "The element operand of OpPtrAccessChain is an integer; spirv-val does not check it.",
    ),
    rules(
        &["Group", "NonUniform"],
        "spirv-val checks few types and scopes of group instructions, and none of the extensions'.",
    ),
    detail("Atomic", "works on", "The environment lists the types of atomics; spirv-val does not ask for them."),
    rules(&["MemorySemantics"], "spirv-val has the rules on orders of loads, stores and exchanges from 2024 on."),
    detail(
        "FunctionStructure",
        "parameters",
        "The parameters of a function are those of its type; spirv-val does not count them where there is no body.",
    ),
    rules(&["Scope"], "spirv-val does not look at the scopes of extensions' instructions."),
    detail(
        "CompositeConstant",
        "has 0 constituents",
        "A composite constant has a constituent for each part; spirv-val accepts one without any.",
    ),
    detail("CompositeConstant", "the constituent", "spirv-val before 2024 compares the types of constituents loosely."),
    detail("Lifetime", "not a pointer", "spirv-val before 2024 does not look at lifetimes."),
    rules(
        &["ConstantOperation", "DecorationForm", "LoopControl", "MergeTarget"],
        "spirv-val checks little of operations in constants, of the forms of decorations, of loop controls and of merges.",
    ),
    detail("BranchCondition", "weights", "spirv-val does not look for branch weights that are both 0."),
    detail("ScalarType", "signedness", "The operand Signedness is 0 or 1; spirv-val takes any number for 1."),
    detail(
        "IdKind",
        "which is a function",
        "spirv-val lets functions be arguments without the extension of pointers to them.",
    ),
    rules(&["PointerQuery"], "spirv-val does not look at OpSizeOf and OpGenericPtrMemSemantics."),
    detail("Switch", "twice", "The literals of OpSwitch differ; spirv-val does not compare them."),
    detail(
        "VariableInitializer",
        "Workgroup",
        "Local memory has no initial content in OpenCL; spirv-val does not know the environment.",
    ),
    detail("VariableType", "which has no size", "Variables hold what has a size; spirv-val lets them hold nothing."),
    detail(
        "CapabilityDeclared",
        "Atomic",
        "spirv-val checks the capabilities of float atomics by the older extension.",
    ),
    detail("IdKind", "alias domain", "spirv-val does not know the extension of alias scopes."),
    detail("IdKind", "OpLoad uses", "spirv-val takes any id for a list of alias scopes."),
    detail("IdKind", "OpStore uses", "spirv-val takes any id for a list of alias scopes."),
    detail("IdKind", "alias scopes", "spirv-val does not know the extension of alias scopes."),
    detail("IdKind", "alias scope", "spirv-val does not know the extension of alias scopes."),
    rules(
        &["VersionReached"],
        "spirv-val accepts some instructions before the version that brings them, or learns the version of others late.",
    ),
    detail("ExtendedInstruction", "printf", "spirv-val checks little of printf."),
    detail("MemoryOperands", "alias scopes", "spirv-val does not know the extension of alias scopes."),
    detail("Bitcast", "OpBitcast", "Of bit casts from and to pointers, spirv-val does not compare sizes and memories."),
    message(
        &["is not allowed by OpenCL"],
        "The device offers capabilities that its environment of OpenCL 2.2 does not know.",
    ),
    message(
        &["DecorateId requires SPIR-V version"],
        "OpDecorateId of alias scopes is accepted with a warning in old versions, since DPC++ writes it there.",
    ),
    message(
        &["different bit width from Result Type"],
        "Conversions between equal widths are accepted with a warning, since clang writes them.",
    ),
    message(
        &["to be different from component type of Result Type"],
        "Conversions between equal widths are accepted with a warning, since clang writes them.",
    ),
    message(
        &["the same bit width as Result Type: BitwiseAnd"],
        "Numbers that are wider than the constant beside them are accepted with a warning, since clang writes them.",
    ),
    message(
        &["Base to have the same bit width as Result Type: ShiftLeftLogical"],
        "Numbers that are shifted left by a constant may be wider, with a warning, since clang writes them.",
    ),
    message(
        &["Expected operand to be vector bool: A"],
        "OpAny and OpAll of integers are accepted with a warning, since clang writes OpenCL C's any and all so.",
    ),
    message(
        &["FPRoundingMode decoration can be applied only to a conversion instruction"],
        "Rounding modes of conversions between integers are accepted with a warning, since clang writes them.",
    ),
    message(
        &["Invalid instruction OpConstantNull", "expected no more operands"],
        "A null event whose type is repeated is accepted with a warning, since clang writes it.",
    ),
    message(
        &["half", "expected operand P data type to be 16-bit float scalar"],
        "Halves behind addresses of 16-bit integers are accepted with a warning, since clang drops the cast.",
    ),
    message(&["Merge Block"], "Merge instructions are hints in kernels, whose control flow need not be structured."),
    message(
        &["is already a merge block for another header"],
        "Merge instructions are hints in kernels, whose control flow need not be structured.",
    ),
    message(
        &["cannot be applied to function", "targeted by an OpEntryPoint"],
        "Kernels that are exported are accepted with a warning, since older translators of LLVM write them.",
    ),
    message(
        &["Expected Destination to be a pointer to scalar or vector"],
        "Asynchronous copies by pointers to arrays are accepted with a warning, since clang writes them.",
    ),
    message(
        &["Stride must be a 64-bit int"],
        "Strides of asynchronous copies that have 32 bits are accepted with a warning, since clang writes them.",
    ),
    message(
        &["or earlier, Id must be a constant instruction"],
        "Broadcasts of a work-item that is chosen at run time are accepted with a warning before SPIR-V 1.5.",
    ),
    message(
        &["Wrap decoration may not be applied to SpecConstantOp"],
        "An operation in a constant may have the decorations of the same operation elsewhere.",
    ),
    message(
        &["OpConstantComposite must not have spec constant operands"],
        "Operations on addresses in constants are accepted with a warning, since clang writes them.",
    ),
    message(
        &["NonSemantic extended instruction sets cannot be declared"],
        "Instruction sets without a meaning for execution are always accepted.",
    ),
    message(
        &["has not been defined", "OpExtInst %void"],
        "The operands of instructions without a meaning for execution are not looked at.",
    ),
    message(
        &["operand value"],
        "Alignments that are no power of two are accepted with a warning, since producers make them.",
    ),
    message(
        &["Constant decoration on target"],
        "Constant on a parameter is accepted with a warning, since the conformance suite has it.",
    ),
    message(
        &["Invalid source language operand"],
        "OpSource says nothing about execution, and languages that are yet to be invented are no harm.",
    ),
];

impl Explanation {
    /// Whether it explains a disagreement. Of what we reject, one violation that they do not see is enough.
    pub fn covers(&self, disagreement: &Disagreement) -> bool {
        match (&self.pattern, disagreement) {
            (Pattern::Rules(rules), Disagreement::OnlyWeReject(violations)) => {
                violations.iter().any(|violation| rules.contains(&violation.rule.name()))
            }
            (Pattern::Detail(rule, part), Disagreement::OnlyWeReject(violations)) => {
                violations.iter().any(|violation| violation.rule.name() == *rule && violation.detail.contains(part))
            }
            (Pattern::Message(parts), Disagreement::OnlyTheyReject(message)) => {
                parts.iter().all(|part| message.contains(part))
            }
            _ => false,
        }
    }
}

/// The list in `docs/spirv-val.md`.
pub fn document() -> String {
    let mut text = String::new();
    for explanation in EXPLANATIONS {
        let pattern = match &explanation.pattern {
            Pattern::Rules(rules) => format!("Only we reject, for {}.", rules.join(", ")),
            Pattern::Detail(rule, part) => format!("Only we reject, for {rule}: \"... {part} ...\"."),
            Pattern::Message(parts) => format!("Only spirv-val rejects: \"... {} ...\".", parts.join(" ... ")),
        };
        text.push_str(&format!("- {pattern}\n  {}\n", explanation.reason));
    }
    text
}
