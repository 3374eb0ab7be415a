//! The rules: what each says, and where the specifications say it.

/// Makes [`Rule`] of one row a rule: name, the specification's section, the rule in a sentence.
macro_rules! rules {
    ($($name:ident: $section:literal, $sentence:literal;)*) => {
        /// A rule of the specifications, or of this device where it offers less.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each rule's sentence is its documentation")]
        pub enum Rule {
            $($name,)*
        }

        impl Rule {
            /// All rules.
            pub const ALL: &'static [Rule] = &[$(Rule::$name,)*];

            /// The rule's name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Rule::$name => stringify!($name),)*
                }
            }

            /// The section of the specification that has it.
            pub fn section(self) -> &'static str {
                match self {
                    $(Rule::$name => $section,)*
                }
            }

            /// The rule in one sentence.
            pub fn sentence(self) -> &'static str {
                match self {
                    $(Rule::$name => $sentence,)*
                }
            }
        }
    };
}

rules! {
    PhysicalLayout: "SPIR-V 1.6, 2.3 Physical Layout of a SPIR-V Module and Instruction",
        "A module is a header and instructions, each as long as its word count says.";
    Grammar: "SPIR-V 1.6, 3 Binary Form",
        "Each instruction is a known one and has the operands that the grammar gives it; each id has one definition.";
    LogicalLayout: "SPIR-V 1.6, 2.4 Logical Layout of a Module",
        "Instructions stand in the order of the module's sections.";
    UniversalLimit: "SPIR-V 1.6, 2.17 Universal Limits",
        "Numbers of members, parameters, depths and the like stay inside the universal limits.";
    IdDefined: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "Every id that is used is defined, and before its use except where forward references are allowed.";
    IdKind: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "An id stands for what its use asks for: a value, a type, a label, a function.";
    Dominance: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "Every use of an instruction's result is dominated by the instruction.";
    CapabilityDeclared: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "The capabilities that an instruction or operand needs are declared.";
    MemoryModelDeclared: "SPIR-V 1.6, 2.4 Logical Layout of a Module",
        "There is one OpMemoryModel.";
    EntryPoint: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "Entry points name functions, each name once per execution model, and are not called.";
    Annotation: "SPIR-V 1.6, Annotation Instructions",
        "Decorations have the parameters and targets that they ask for.";
    TypeDeclaration: "SPIR-V 1.6, Type-Declaration Instructions",
        "Types are made of the parts that their declaration allows.";
    TypeUnique: "SPIR-V 1.6, 2.8 Types and Variables",
        "No two type declarations of non-aggregates are the same.";
    ConstantDeclaration: "SPIR-V 1.6, Constant-Creation Instructions",
        "Constants have a type and constituents that fit their instruction.";
    GlobalVariable: "SPIR-V 1.6, Memory Instructions (OpVariable)",
        "Variables have a pointer type of their storage class, and an initialiser of the pointee type.";
    FunctionStructure: "SPIR-V 1.6, Function Instructions",
        "A function has the result and the parameters of its function type.";
    FunctionCall: "SPIR-V 1.6, Function Instructions",
        "Calls pass the arguments that the function takes.";
    BlockStructure: "SPIR-V 1.6, 2.4 Logical Layout of a Module",
        "A block starts with its phis, and ends with its only terminator; variables start the entry block.";
    ControlFlow: "SPIR-V 1.6, Control-Flow Instructions",
        "Branches go to blocks of the function other than its entry, on conditions of the right type.";
    Phi: "SPIR-V 1.6, Control-Flow Instructions",
        "OpPhi has one value of its type for each predecessor.";
    BlockOrder: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "A block appears before the blocks that it dominates.";
    MemoryAccess: "SPIR-V 1.6, Memory Instructions",
        "Loads, stores, copies and address arithmetic agree with the types that they point to.";
    Composite: "SPIR-V 1.6, Composite Instructions",
        "Composites are taken apart and built along their types.";
    Arithmetic: "SPIR-V 1.6, Arithmetic Instructions",
        "Operands of arithmetic have the types that the result asks for.";
    Bit: "SPIR-V 1.6, Bit Instructions",
        "Operands of bit instructions have the types that the result asks for.";
    Relational: "SPIR-V 1.6, Relational and Logical Instructions",
        "Comparisons and logic give booleans of the operands' shape.";
    Conversion: "SPIR-V 1.6, Conversion Instructions",
        "Conversions go between the types that they name.";
    Atomic: "SPIR-V 1.6, Atomic Instructions",
        "Atomic instructions work on a pointer to a number of the right kind, with constant scopes and semantics allowed.";
    Barrier: "SPIR-V 1.6, Barrier Instructions",
        "Barriers have scopes and semantics that are 32-bit integers.";
    ExtendedInstruction: "OpenCL Extended Instruction Set Specification",
        "Operands of OpenCL.std instructions have the types that the instruction asks for.";
    EnvironmentVersion: "OpenCL SPIR-V Environment, Supported SPIR-V Versions",
        "The module's version is one that the device supports.";
    EnvironmentCapability: "OpenCL SPIR-V Environment, Required Capabilities",
        "The device offers every declared capability.";
    EnvironmentExtension: "OpenCL SPIR-V Environment, SPIR-V Extensions",
        "The device offers every declared extension.";
    EnvironmentInstructionSet: "OpenCL SPIR-V Environment, Extended Instruction Sets",
        "The device offers every imported instruction set.";
    EnvironmentModel: "OpenCL SPIR-V Environment, Validation Rules",
        "The addressing model is Physical64, the memory model OpenCL, the execution model Kernel.";
    EnvironmentType: "OpenCL SPIR-V Environment, Supported Types",
        "Types are ones that an OpenCL environment supports.";
    KernelArgument: "OpenCL SPIR-V Environment, Kernel Arguments",
        "Kernel arguments have types that the host can pass.";
    KernelResult: "OpenCL SPIR-V Environment, Kernel Return Types",
        "Kernels return void.";
    KernelMode: "SPIR-V 1.6, Execution Mode",
        "Execution modes are ones of kernels, with the operands they ask for.";
    BuiltInVariable: "OpenCL SPIR-V Environment, Built-in Variables",
        "Built-in variables are Input variables of the type that the environment lists.";
    StorageClass: "SPIR-V 1.6, Storage Class",
        "Variables and pointers have a storage class of the OpenCL environment.";
    Recursion: "OpenCL SPIR-V Environment, Validation Rules",
        "The call graph of an entry point has no cycle.";
    Scope: "OpenCL SPIR-V Environment, Validation Rules",
        "Execution and memory scopes are constants that the environment allows.";
    Linkage: "SPIR-V 1.6, Linkage",
        "What has no body or initialiser is imported under a name, and imports have none.";
    DeviceLimit: "OpenCL API, Querying Devices",
        "Sizes stay inside the limits that the device reports.";
    NotSupported: "this device",
        "The device compiles every instruction of the module.";
}
