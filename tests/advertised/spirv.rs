//! Extensions that show in SPIR-V.

use khronos_headers as cl;
use oxicl_tests::client::{Buffer, Program};
use oxicl_tests::offline::assemble_as;

use crate::api::answer;

/// Parts of a module with a kernel `k(global uint *data)` that computes `%r` from `%x`, the first value, and stores it.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    pub(crate) capabilities: &'a str,
    pub(crate) extensions: &'a str,
    pub(crate) debug: &'a str,
    pub(crate) decorations: &'a str,
    pub(crate) globals: &'a str,
    pub(crate) body: &'a str,
    pub(crate) functions: &'a str,
}

impl Parts<'_> {
    pub(crate) fn words(&self) -> Vec<u8> {
        // From 1.4 on, the interface lists every variable of the module that the kernel uses.
        let lines = self.globals.split('\n').filter(|line| line.contains("= OpVariable"));
        let interface: Vec<&str> = lines.filter_map(|line| line.split_whitespace().next()).collect();
        let interface = interface.join(" ");
        let text = format!(
            "OpCapability Addresses\nOpCapability Kernel\nOpCapability Linkage\n{}\n{}\n\
             OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\" {interface}\n{}\n{}\n\
             %void = OpTypeVoid\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n%c0 = OpConstant %uint 0\n\
             %c1 = OpConstant %uint 1\n%c4 = OpConstant %uint 4\n%c8 = OpConstant %uint 8\n\
             %pg = OpTypePointer CrossWorkgroup %uint\n%kt = OpTypeFunction %void %pg\n\
             %ft = OpTypeFunction %uint %uint\n{}\n\
             %k = OpFunction %void None %kt\n%p = OpFunctionParameter %pg\n%e = OpLabel\n\
             %x = OpLoad %uint %p Aligned 4\n{}\nOpStore %p %r Aligned 4\nOpReturn\nOpFunctionEnd\n{}\n",
            self.capabilities, self.extensions, self.debug, self.decorations, self.globals, self.body, self.functions
        );
        assemble_as(&text, 6).unwrap_or_else(|log| panic!("{log}\n{text}"))
    }

    pub(crate) fn assert_result(&self, x: u32, expected: u32) {
        self.assert_results(&[x], &[expected]);
    }

    pub(crate) fn assert_results(&self, data: &[u32], expected: &[u32]) {
        let session = oxicl_tests::session();
        let program = Program::build(&session.context, &self.words(), "").unwrap_or_else(|error| panic!("{error}"));
        let kernel = program.kernel("k").unwrap();
        let buffer = Buffer::from_slice(&session.context, data).unwrap();
        kernel.set_buffer(0, &buffer).unwrap();
        session.queue.launch(&kernel, [1], None).unwrap();
        assert_eq!(session.queue.read(&buffer).unwrap(), expected);
    }
}

#[test]
pub fn formats_are_read_from_any_memory() {
    let parts = Parts {
        capabilities: "OpCapability Int8\nOpCapability GenericPointer",
        extensions: "OpExtension \"SPV_EXT_relaxed_printf_string_address_space\"\n%std = OpExtInstImport \"OpenCL.std\"",
        globals: "%char = OpTypeInt 8 0\n%pc = OpTypePointer CrossWorkgroup %char\n%pa = OpTypePointer Generic %char",
        body: "%text = OpBitcast %pc %p\n%any = OpPtrCastToGeneric %pa %text\n\
               %one = OpExtInst %uint %std printf %text\n%two = OpExtInst %uint %std printf %any\n\
               %r = OpBitwiseOr %uint %one %two",
        ..Parts::default()
    };
    // An empty text is printed; half a conversion is wrong.
    parts.assert_result(0, 0);
    parts.assert_result(u32::from_le_bytes(*b"%\0\0\0"), u32::MAX);
}

#[test]
pub fn bits_are_reversed_inserted_and_extracted() {
    for (body, expected) in [
        ("%r = OpBitReverse %uint %x", 0x8000_00F1u32.reverse_bits()),
        ("%r = OpBitFieldInsert %uint %x %c0 %c4 %c8", 0x8000_0001),
        ("%r = OpBitFieldUExtract %uint %x %c4 %c4", 0xF),
        ("%r = OpBitFieldSExtract %uint %x %c4 %c4", u32::MAX),
    ] {
        let parts = Parts {
            capabilities: "OpCapability BitInstructions",
            extensions: "OpExtension \"SPV_KHR_bit_instructions\"",
            body,
            ..Parts::default()
        };
        parts.assert_result(0x8000_00F1, expected);
    }
}

#[test]
pub fn hints_change_nothing() {
    let parts = Parts {
        capabilities: "OpCapability ExpectAssumeKHR",
        extensions: "OpExtension \"SPV_KHR_expect_assume\"",
        body: "%t = OpIEqual %bool %x %x\nOpAssumeTrueKHR %t\n%g = OpExpectKHR %uint %x %c4\n\
               %r = OpIAdd %uint %g %c1",
        ..Parts::default()
    };
    parts.assert_result(7, 8);
}

#[test]
pub fn decorations_of_no_wrap_change_nothing() {
    let parts = Parts {
        extensions: "OpExtension \"SPV_KHR_no_integer_wrap_decoration\"",
        decorations: "OpDecorate %r NoSignedWrap\nOpDecorate %r NoUnsignedWrap",
        body: "%r = OpIMul %uint %x %c4",
        ..Parts::default()
    };
    parts.assert_result(7, 28);
}

#[test]
pub fn debug_information_is_accepted() {
    let parts = Parts {
        extensions: "%dbg = OpExtInstImport \"OpenCL.DebugInfo.100\"",
        debug: "%file = OpString \"kernel.cl\"\n%name = OpString \"uint\"",
        globals: "%src = OpExtInst %void %dbg DebugSource %file\n\
                  %unit = OpExtInst %void %dbg DebugCompilationUnit 65536 4 %src OpenCL_C\n\
                  %c32 = OpConstant %uint 32\n%dt = OpExtInst %void %dbg DebugTypeBasic %name %c32 Unsigned",
        body: "%r = OpIAdd %uint %x %c1",
        ..Parts::default()
    };
    parts.assert_result(1, 2);
}

#[test]
pub fn functions_of_shared_definitions_are_accepted() {
    let parts = Parts {
        extensions: "OpExtension \"SPV_KHR_linkonce_odr\"",
        decorations: "OpDecorate %f LinkageAttributes \"twice\" LinkOnceODR",
        body: "%r = OpFunctionCall %uint %f %x",
        functions: "%f = OpFunction %uint None %ft\n%a = OpFunctionParameter %uint\n%fe = OpLabel\n\
                    %s = OpIAdd %uint %a %a\nOpReturnValue %s\nOpFunctionEnd",
        ..Parts::default()
    };
    parts.assert_result(21, 42);
}

#[test]
fn decorations_of_uniform_values_change_nothing() {
    let parts = Parts {
        // By number, as every assembler takes it.
        capabilities: "OpCapability !71",
        decorations: "OpDecorate %r !26",
        body: "%r = OpIMul %uint %x %c8",
        ..Parts::default()
    };
    parts.assert_result(3, 24);
}

#[test]
fn declarations_that_accesses_do_not_overlap_are_kept() {
    let parts = Parts {
        capabilities: "OpCapability MemoryAccessAliasingINTEL",
        extensions: "OpExtension \"SPV_INTEL_memory_access_aliasing\"",
        decorations: "%domain = OpAliasDomainDeclINTEL\n%first = OpAliasScopeDeclINTEL %domain\n\
                      %second = OpAliasScopeDeclINTEL %domain\n%in = OpAliasScopeListDeclINTEL %first\n\
                      %out = OpAliasScopeListDeclINTEL %second\nOpDecorateId %old AliasScopeINTEL %in\n\
                      OpDecorateId %old NoAliasINTEL %out",
        body: "%q = OpInBoundsPtrAccessChain %pg %p %c1\n\
               %a = OpLoad %uint %p Aligned|AliasScopeINTELMask|NoAliasINTELMask 4 %in %out\n\
               OpStore %q %a Aligned|AliasScopeINTELMask|NoAliasINTELMask 4 %out %in\n\
               %b = OpLoad %uint %q NoAliasINTELMask %in\n\
               %old = OpAtomicIAdd %uint %p %c1 %c0 %c4\n\
               %s = OpIAdd %uint %a %b\n%r = OpIAdd %uint %s %old",
        ..Parts::default()
    };
    parts.assert_results(&[7, 0], &[21, 7]);
}

#[test]
fn intrinsics_of_the_compiler_are_functions_that_nobody_defines() {
    for (name, arguments, expected) in [
        ("llvm.usub.sat.i32", "%x %c8", 0),
        ("llvm.uadd.sat.i32", "%x %max", u32::MAX),
        ("llvm.sadd.sat.i32", "%x %c4", 11),
        ("llvm.ssub.sat.i32", "%x %max", 8),
        ("llvm.umin.i32", "%x %c4", 4),
        ("llvm.umax.i32", "%x %c8", 8),
        ("llvm.smin.i32", "%x %max", u32::MAX),
        ("llvm.smax.i32", "%x %max", 7),
        ("llvm.bitreverse.i32", "%x", 7 << 29),
        ("llvm.bswap.i32", "%x", 7 << 24),
        ("llvm.ctpop.i32", "%x", 3),
        ("llvm.fshl.i32", "%x %max %c4", 0x7F),
        ("llvm.fshr.i32", "%x %max %c4", 0x7FFF_FFFF),
    ] {
        let count = arguments.split(' ').count();
        // A function type is declared once, and the module has one for one operand.
        let (ty, named) = match count {
            1 => (String::new(), "%ft"),
            _ => (format!("%it = OpTypeFunction %uint{}", " %uint".repeat(count)), "%it"),
        };
        let globals = format!("%max = OpConstant %uint 4294967295\n{ty}\n%f = OpFunction %uint None {named}");
        let parameters: String = (0..count).map(|n| format!("%f{n} = OpFunctionParameter %uint\n")).collect();
        let parts = Parts {
            decorations: &format!("OpDecorate %f LinkageAttributes \"{name}\" Import"),
            globals: &format!("{globals}\n{parameters}OpFunctionEnd"),
            body: &format!("%r = OpFunctionCall %uint %f {arguments}"),
            ..Parts::default()
        };
        parts.assert_result(7, expected);
    }
}

#[test]
fn contraction_and_reassociation_are_decorations() {
    // By number: AllowContractFastINTEL and AllowReassocINTEL. What they allow changes no exact result.
    let parts = Parts {
        capabilities: "OpCapability FPFastMathModeINTEL",
        extensions: "OpExtension \"SPV_INTEL_fp_fast_math_mode\"",
        decorations: "OpDecorate %m FPFastMathMode AllowContractFastINTEL|AllowReassocINTEL\n\
                      OpDecorate %s FPFastMathMode AllowContractFastINTEL|AllowReassocINTEL",
        globals: "%float = OpTypeFloat 32",
        body: "%f = OpConvertUToF %float %x\n%m = OpFMul %float %f %f\n%s = OpFAdd %float %m %f\n\
               %r = OpConvertFToU %uint %s",
        ..Parts::default()
    };
    parts.assert_result(9, 90);
}

#[test]
pub fn dot_products_of_bytes_are_computed() {
    // By number: OpSDot and OpUDotAccSat, of words that pack four bytes, in the form of SPIR-V 1.6 and the extension.
    let parts = Parts {
        capabilities: "OpCapability !6019\nOpCapability !6018",
        extensions: "OpExtension \"SPV_KHR_integer_dot_product\"",
        body: "!0x00061162 %uint %s %x %c4 !0\n!0x00071166 %uint %r %s %c8 %c1 !0",
        ..Parts::default()
    };
    // -2 * 4 = 0xFFFFFFF8, whose lowest byte times 8, and 1.
    parts.assert_result(0x0102_03FE, 0xF8 * 8 + 1);
    assert_eq!(answer::<u64>(cl::CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES), [3]);
    for name in [
        cl::CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT,
        cl::CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED,
    ] {
        assert!(answer::<[u32; 6]>(name).iter().flatten().all(|accelerated| *accelerated <= 1));
    }
}

#[test]
pub fn bfloat16_is_converted() {
    // By number: OpConvertFToBF16INTEL and back. 1.0078125 + 2^-9 is rounded to the even neighbour.
    let parts = Parts {
        capabilities: "OpCapability Int16\nOpCapability !6115",
        extensions: "OpExtension \"SPV_INTEL_bfloat16_conversion\"",
        globals: "%ushort = OpTypeInt 16 0\n%float = OpTypeFloat 32",
        body: "%f = OpBitcast %float %x\n!0x000417e4 %ushort %n %f\n!0x000417e5 %float %g %n\n\
               %r = OpBitcast %uint %g",
        ..Parts::default()
    };
    parts.assert_result(0x3F81_4000, 0x3F81_0000);
    parts.assert_result(0x3F81_8000, 0x3F82_0000);
}

#[test]
fn every_advertised_version_is_accepted_and_no_later_one() {
    let session = oxicl_tests::session();
    let mut words = Parts { body: "%r = OpIAdd %uint %x %c1", ..Parts::default() }.words();
    for (version, accepted) in (0..=6).map(|minor| ([0, minor, 1, 0], true)).chain([([0, 7, 1, 0], false)]) {
        words[4..8].copy_from_slice(&version);
        let build = Program::build(&session.context, &words, "");
        assert_eq!(build.is_ok(), accepted, "{version:?}");
    }
}
