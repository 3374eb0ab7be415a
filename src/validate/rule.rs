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
        "A module is a header and whole instructions.";
    Grammar: "SPIR-V 1.6, 3 Binary Form",
        "Every instruction is known, and has the operands that its opcode asks for.";
    LiteralString: "SPIR-V 1.6, 2.2.1 Instructions (Literal)",
        "Literal strings are UTF-8 that ends in a zero byte.";
    Specialisation: "SPIR-V 1.6, 2.12 Specialization",
        "Operations on specialisation constants have a value.";
    LogicalLayout: "SPIR-V 1.6, 2.4 Logical Layout of a Module",
        "Instructions stand in the order of the module's sections.";
    UniversalLimit: "SPIR-V 1.6, 2.17 Universal Limits",
        "Numbers of members, parameters, depths and the like stay inside the universal limits.";
    IdBound: "SPIR-V 1.6, 2.3 Physical Layout of a SPIR-V Module and Instruction",
        "Ids are above 0 and below the module's bound.";
    IdUnique: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "Every id is defined once.";
    IdDefined: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "Every id that is used is defined.";
    IdOrder: "SPIR-V 1.6, 2.4 Logical Layout of a Module",
        "Ids are defined before their use, except where forward references are allowed.";
    IdKind: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "An id stands for what its use asks for: a value, a type, a label, a function.";
    Dominance: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "Every use of an instruction's result is dominated by the instruction.";
    CapabilityDeclared: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "The capabilities that an instruction or operand needs are declared.";
    ExtensionDeclared: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "The extensions that a capability, instruction or operand needs are declared.";
    VersionReached: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "The module's version has every capability, instruction and operand, or an extension brings it.";
    MemoryModelDeclared: "SPIR-V 1.6, 2.4 Logical Layout of a Module",
        "There is one OpMemoryModel.";
    EntryPoint: "SPIR-V 1.6, Mode-Setting Instructions (OpEntryPoint)",
        "There is an entry point unless the module is for linking, and it names a function with a body.";
    EntryPointName: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "No two entry points of one execution model have the same name.";
    EntryPointInterface: "SPIR-V 1.6, Mode-Setting Instructions (OpEntryPoint)",
        "The interface of an entry point lists the module-scope variables that it uses, each once: all from 1.4 on, before that \
         those of input and output.";
    EntryPointCall: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "Entry points are not called.";
    DebugInstruction: "SPIR-V 1.6, Debug Instructions",
        "Names of members are of members, and sources and lines are of files that are strings.";
    DecorationTarget: "SPIR-V 1.6, 3.20 Decoration",
        "A decoration stands on what it is for.";
    DecorationMember: "SPIR-V 1.6, Annotation Instructions",
        "Decorations of members name a structure and one of its members, and are ones that members have.";
    DecorationForm: "SPIR-V 1.6, Annotation Instructions (OpDecorate, OpDecorateId, OpDecorateString)",
        "Decorations with ids stand in OpDecorateId, those with strings may stand in OpDecorateString, the others in OpDecorate.";
    DecorationConflict: "SPIR-V 1.6, 3.20 Decoration",
        "No target has two decorations that say the contrary of each other.";
    DecorationGroup: "SPIR-V 1.6, Annotation Instructions (OpDecorationGroup)",
        "Decorations are applied in groups by naming a group.";
    DecorationRepeated: "SPIR-V 1.6, Annotation Instructions",
        "No decoration stands twice on the same target.";
    ScalarType: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "Integers and floating-point numbers have the widths that the capabilities bring.";
    VectorType: "SPIR-V 1.6, Type-Declaration Instructions (OpTypeVector)",
        "Vectors have as many scalar components as the capabilities bring.";
    ArrayType: "SPIR-V 1.6, Type-Declaration Instructions (OpTypeArray)",
        "Arrays have elements with a size, and a length that is a constant integer above 0.";
    StructureType: "SPIR-V 1.6, Type-Declaration Instructions (OpTypeStruct)",
        "Structures have members with a size.";
    PointerType: "SPIR-V 1.6, Type-Declaration Instructions (OpTypePointer)",
        "Pointers point to what can be in memory.";
    ForwardPointer: "SPIR-V 1.6, Type-Declaration Instructions (OpTypeForwardPointer)",
        "Forward declarations are of pointer types that follow.";
    FunctionType: "SPIR-V 1.6, Type-Declaration Instructions (OpTypeFunction)",
        "Functions take values, and give a value or void.";
    TypeUnique: "SPIR-V 1.6, 2.8 Types and Variables",
        "No two type declarations of non-aggregates are the same.";
    BooleanConstant: "SPIR-V 1.6, Constant-Creation Instructions (OpConstantTrue, OpConstantFalse)",
        "True and false are of type bool.";
    NumberConstant: "SPIR-V 1.6, Constant-Creation Instructions (OpConstant)",
        "Literals are of a numerical type, and zero- or sign-extended from its width.";
    CompositeConstant: "SPIR-V 1.6, Constant-Creation Instructions (OpConstantComposite)",
        "Composite constants have a constant of the right type for each part.";
    NullConstant: "SPIR-V 1.6, Constant-Creation Instructions (OpConstantNull)",
        "Null and undefined values are of a type that has them.";
    SamplerConstant: "SPIR-V 1.6, Constant-Creation Instructions (OpConstantSampler)",
        "Literal samplers are of the type of samplers.";
    ConstantOperation: "SPIR-V 1.6, Constant-Creation Instructions (OpSpecConstantOp)",
        "Constant operations are ones that kernels may have, on constants of the right types.";
    VariableType: "SPIR-V 1.6, Memory Instructions (OpVariable)",
        "Variables are pointers of their storage class to what has a size.";
    VariableInitializer: "SPIR-V 1.6, Memory Instructions (OpVariable)",
        "Initialisers are constants or module-scope variables of the type that the variable holds.";
    FunctionStructure: "SPIR-V 1.6, Function Instructions",
        "A function has the result and the parameters of its function type.";
    FunctionCall: "SPIR-V 1.6, Function Instructions",
        "Calls pass the arguments that the function takes.";
    BlockEnd: "SPIR-V 1.6, 2.4 Logical Layout of a Module",
        "A block ends with its only terminator.";
    PhiPlacement: "SPIR-V 1.6, Control-Flow Instructions (OpPhi)",
        "Phis start their block, which is not the entry.";
    VariablePlacement: "SPIR-V 1.6, 2.4 Logical Layout of a Module",
        "The variables of a function start its entry block.";
    MergePlacement: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "A merge instruction stands directly before a branch that it is for.";
    MergeTarget: "SPIR-V 1.6, 2.16.2 and Control-Flow Instructions (OpLoopMerge, OpSelectionMerge)",
        "A block is the merge block of one header at most, not of itself, and of a loop not the continue target too.";
    LoopControl: "SPIR-V 1.6, 3.23 Loop Control",
        "Loop controls do not contradict each other.";
    BranchTarget: "SPIR-V 1.6, Control-Flow Instructions",
        "Branches go to blocks of the function other than its entry.";
    BranchCondition: "SPIR-V 1.6, Control-Flow Instructions (OpBranchConditional)",
        "Conditions are booleans, with two branch weights or none.";
    Switch: "SPIR-V 1.6, Control-Flow Instructions (OpSwitch)",
        "Switches choose by an integer among different literals.";
    Return: "SPIR-V 1.6, Control-Flow Instructions (OpReturn, OpReturnValue)",
        "Functions return a value of their result type, or none where that is void.";
    Lifetime: "SPIR-V 1.6, Control-Flow Instructions (OpLifetimeStart, OpLifetimeStop)",
        "Lifetimes are of variables of the function, and as long as these.";
    Phi: "SPIR-V 1.6, Control-Flow Instructions",
        "OpPhi has one value of its type for each predecessor.";
    BlockOrder: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "A block appears before the blocks that it dominates.";
    MemoryAccess: "SPIR-V 1.6, Memory Instructions (OpLoad, OpStore)",
        "Loads and stores agree with the type that they point to, and write only to what can be written.";
    CopyMemory: "SPIR-V 1.6, Memory Instructions (OpCopyMemory, OpCopyMemorySized)",
        "Copies go from a pointer to another one, both to the same type where no size is given.";
    MemoryOperands: "SPIR-V 1.6, 3.26 Memory Operands",
        "Memory operands are ones that the instruction takes, with their parameters.";
    AccessChain: "SPIR-V 1.6, Memory Instructions (OpAccessChain and its like)",
        "Indices lead from the type that the base points to, to the one that the result points to.";
    PointerQuery: "SPIR-V 1.6, Memory Instructions (OpGenericPtrMemSemantics), Miscellaneous Instructions (OpSizeOf)",
        "Questions about pointers are asked of pointers of the right kind, and answered with integers.";
    Composite: "SPIR-V 1.6, Composite Instructions",
        "Composites are taken apart and built along their types.";
    VectorIndex: "SPIR-V 1.6, Composite Instructions (OpVectorExtractDynamic, OpVectorInsertDynamic)",
        "Components chosen at run time are ones of a vector, by an integer.";
    VectorShuffle: "SPIR-V 1.6, Composite Instructions (OpVectorShuffle)",
        "Shuffles name components of two vectors of the result's component type.";
    CopyObject: "SPIR-V 1.6, Composite Instructions (OpCopyObject, OpCopyLogical)",
        "Copies have the type of the original, or one that matches it logically.";
    Arithmetic: "SPIR-V 1.6, Arithmetic Instructions",
        "Operands of arithmetic have the types that the result asks for.";
    WideArithmetic: "SPIR-V 1.6, Arithmetic Instructions (OpIAddCarry and its like)",
        "Arithmetic with two results gives a structure of two members of its operands' type.";
    DotProduct: "SPIR-V 1.6, Arithmetic Instructions (OpDot, OpSDot and their like)",
        "Dot products are of two vectors of one type, or packed into integers.";
    Bit: "SPIR-V 1.6, Bit Instructions",
        "Operands of bit instructions have the types that the result asks for.";
    Relational: "SPIR-V 1.6, Relational and Logical Instructions",
        "Comparisons and logic give booleans of the operands' shape.";
    Select: "SPIR-V 1.6, Relational and Logical Instructions (OpSelect)",
        "Selections are of two objects of the result's type, by one boolean or one for each component.";
    PointerComparison: "SPIR-V 1.6, Memory Instructions (OpPtrEqual, OpPtrNotEqual, OpPtrDiff)",
        "Pointers are compared with pointers of their type.";
    Image: "SPIR-V 1.6, Image Instructions; OpenCL SPIR-V Environment, Image Addressing and Filtering",
        "Image instructions have images, coordinates and texels that fit each other, and are allowed to read or write.";
    ImageOperands: "SPIR-V 1.6, 3.14 Image Operands",
        "Image operands are ones that the instruction takes, with their parameters.";
    SampledImage: "SPIR-V 1.6, 2.16.1 Universal Validation Rules",
        "What OpSampledImage gives is used in its block only, by image instructions that take it.";
    Conversion: "SPIR-V 1.6, Conversion Instructions",
        "Conversions of numbers go between the types that they name, component by component.";
    PointerConversion: "SPIR-V 1.6, Conversion Instructions (OpConvertPtrToU, OpPtrCastToGeneric and their like)",
        "Conversions of pointers go between the pointers and integers that they name.";
    Bitcast: "SPIR-V 1.6, Conversion Instructions (OpBitcast)",
        "Bit casts keep the number of bits and, of pointers, the storage class.";
    Atomic: "SPIR-V 1.6, Atomic Instructions",
        "Atomic instructions work on a pointer to a number of the right kind, with constant scopes and semantics allowed.";
    Barrier: "SPIR-V 1.6, Barrier Instructions",
        "Barriers have scopes and semantics that are 32-bit integers.";
    Group: "SPIR-V 1.6, Group and Subgroup Instructions",
        "Group instructions have the operands that they ask for, of types that groups exchange.";
    NonUniform: "SPIR-V 1.6, Non-Uniform Instructions",
        "Non-uniform group instructions have the operands that they ask for, of types that sub-groups exchange.";
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
    KernelMode: "SPIR-V 1.6, 3.6 Execution Mode",
        "Execution modes are ones of kernels, with the operands they ask for.";
    KernelModeTarget: "SPIR-V 1.6, Mode-Setting Instructions (OpExecutionMode)",
        "Execution modes are of entry points.";
    KernelModeRepeated: "SPIR-V 1.6, Mode-Setting Instructions (OpExecutionMode)",
        "No execution mode stands twice on the same entry point.";
    BuiltInVariable: "OpenCL SPIR-V Environment, Built-in Variables",
        "Built-in variables are Input variables of the type that the environment lists.";
    StorageClass: "SPIR-V 1.6, Storage Class",
        "Variables and pointers have a storage class of the OpenCL environment.";
    Recursion: "OpenCL SPIR-V Environment, Validation Rules",
        "The call graph of an entry point has no cycle.";
    Scope: "OpenCL SPIR-V Environment, Validation Rules",
        "Scopes are constants that name a scope.";
    ExecutionScope: "OpenCL SPIR-V Environment, Validation Rules",
        "Execution scopes are Workgroup, or Subgroup where the device has sub-groups and the instruction allows it.";
    MemoryScope: "OpenCL SPIR-V Environment, Validation Rules",
        "Memory scopes are ones that the device has for fences and atomics.";
    MemorySemantics: "OpenCL SPIR-V Environment, Validation Rules",
        "Memory semantics are constants with one memory order at most, which the device offers, and memories of kernels.";
    ImageType: "OpenCL SPIR-V Environment, Validation Rules, Image-Related Data Types",
        "Image types are ones of OpenCL: sampled type void, no format, an access qualifier.";
    OpaqueMemory: "OpenCL C, Restrictions (images and samplers)",
        "Images and samplers are in variables of functions and in constants only, and nothing else leads there.";
    ParameterAttribute: "SPIR-V 1.6, 3.22 Function Parameter Attribute",
        "Attributes stand on parameters and results of functions that have a type for them.";
    DecorationOperand: "SPIR-V 1.6, 3.20 Decoration",
        "Operands of decorations are ones that the decoration has.";
    Linkage: "SPIR-V 1.6, Linkage",
        "What has no body or initialiser is imported under a name, and imports have none.";
    LinkageUnique: "SPIR-V 1.6, 3.20 Decoration (LinkageAttributes)",
        "No two exported functions or variables have the same name.";
    DeviceLimit: "OpenCL API, Querying Devices",
        "Sizes stay inside the limits that the device reports.";
    NotSupported: "this device",
        "The device compiles every instruction of the module.";
}
