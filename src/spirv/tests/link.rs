//! Linking: modules become one that means what they mean together.

use std::collections::HashMap;

use oxicl_offline::assemble;
use oxicl_spirv::grammar::LinkageType;
use oxicl_spirv::{
    LinkError, Module, Type, decode, disassemble, is_imported_printf, link, with_printf, with_weak_exports,
    words_from_bytes,
};

/// What all modules start with; `@` stands for the ids, which differ from module to module.
const HEADER: &str = "OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpExtension \"SPV_KHR_linkonce_odr\"
%std = OpExtInstImport \"OpenCL.std\"
OpMemoryModel Physical64 OpenCL
";
const TYPES: &str = "%void = OpTypeVoid
%int = OpTypeInt 32 0
%pair = OpTypeStruct %int %int
%four = OpConstant %int 4
%array = OpTypeArray %pair %four
%g_array = OpTypePointer CrossWorkgroup %array
%fn = OpTypeFunction %int %int
%kernel_fn = OpTypeFunction %void %g_array
";

const MAIN: &str = "OpEntryPoint Kernel %main \"main\" %table
OpName %get \"get\"
OpDecorate %get LinkageAttributes \"get\" Import
OpDecorate %table LinkageAttributes \"table\" Import
OpDecorate %g Alignment 4
@types
%table = OpVariable %g_array CrossWorkgroup
%get = OpFunction %int None %fn
%gp = OpFunctionParameter %int
OpFunctionEnd
%main = OpFunction %void None %kernel_fn
%g = OpFunctionParameter %g_array
%l = OpLabel
%r = OpFunctionCall %int %get %four
%a = OpExtInst %int %std s_abs %r
OpCopyMemory %g %table
OpReturn
OpFunctionEnd
";

const LIBRARY: &str = "OpName %param \"param\"
OpDecorate %get LinkageAttributes \"get\" Export
OpDecorate %table LinkageAttributes \"table\" Export
@types
%seven = OpConstant %int 7
%table = OpVariable %g_array CrossWorkgroup
%get = OpFunction %int None %fn
%param = OpFunctionParameter %int
%l = OpLabel
%s = OpIAdd %int %param %seven
OpReturnValue %s
OpFunctionEnd
";

fn module(text: &str) -> Module {
    let text = format!("{HEADER}{}", text.replace("@types\n", TYPES));
    decode(&words_from_bytes(&assemble(&text).expect("assembles")).expect("words")).expect("decodes")
}

fn linked(texts: &[&str], library: bool) -> Result<Module, Vec<LinkError>> {
    let modules: Vec<Module> = texts.iter().map(|text| module(text)).collect();
    let words = link(&modules.iter().collect::<Vec<_>>(), library)?;
    spirv_val(&words);
    Ok(decode(&words).expect("the result decodes"))
}

fn spirv_val(words: &[u32]) {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("oxicl-link-{}-{}.spv", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let path = std::env::temp_dir().join(name);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(&path, bytes).expect("a file");
    let output = std::process::Command::new("spirv-val").arg(&path).output().expect("spirv-val is installed");
    std::fs::remove_file(&path).expect("the file is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn imports_become_the_exports_of_another_module() {
    for order in [[MAIN, LIBRARY], [LIBRARY, MAIN]] {
        let module = linked(&order, false).expect("links");
        assert_eq!(module.functions.len(), 2);
        assert!(module.functions.iter().all(|function| !function.blocks.is_empty()));
        assert_eq!(module.globals.len(), 1);
        // Types are one again, or the call would not be valid.
        assert_eq!(module.types.iter().filter(|ty| matches!(ty, Type::Struct { .. })).count(), 1);
        assert_eq!(module.types.iter().filter(|ty| matches!(ty, Type::Array { .. })).count(), 1);
        assert_eq!(module.capabilities.len(), 3);
        assert_eq!(module.instruction_sets.len(), 1);
        assert!(module.names.values().any(|name| name == "param"));
    }
}

#[test]
fn what_no_module_gives_is_an_error_unless_a_library_is_made() {
    let errors = linked(&[MAIN], false).expect_err("does not link");
    let messages: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert!(messages.iter().any(|message| message.contains("`get`")), "{messages:?}");
    assert!(messages.iter().any(|message| message.contains("`table`")), "{messages:?}");
    let library = linked(&[MAIN], true).expect("a library");
    assert_eq!(library.functions.iter().filter(|function| function.blocks.is_empty()).count(), 1);
}

#[test]
fn a_name_is_defined_once() {
    let errors = linked(&[MAIN, LIBRARY, LIBRARY], false).expect_err("does not link");
    assert!(errors.iter().any(|error| error.message.contains("more than one module")), "{errors:?}");
    let errors = linked(&[MAIN, LIBRARY, MAIN], false).expect_err("does not link");
    assert!(errors.iter().any(|error| error.message.contains("the kernel `main`")), "{errors:?}");
}

#[test]
fn definitions_that_are_equal_by_promise_become_one() {
    let odr = LIBRARY.replace("\"get\" Export", "\"get\" LinkOnceODR").replace("\"table\" Export", "\"own\" Export");
    let other = odr.replace("\"own\"", "\"table\"");
    let module = linked(&[MAIN, &odr, &other], false).expect("links");
    assert_eq!(module.functions.len(), 2);
    // An export goes before them.
    let export = LIBRARY.replace("\"table\" Export", "\"third\" Export").replace("IAdd", "ISub");
    let module = linked(&[&odr, MAIN, &other, &export], false).expect("links");
    let ops: Vec<_> =
        module.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.instructions).map(|i| i.op).collect();
    assert!(ops.contains(&oxicl_spirv::grammar::Op::ISub) && !ops.contains(&oxicl_spirv::grammar::Op::IAdd), "{ops:?}");
}

#[test]
fn a_name_has_one_type() {
    let other = LIBRARY
        .replace("%get = OpFunction %int None %fn", "%get = OpFunction %int None %fn2")
        .replace("%seven = OpConstant %int 7", "%seven = OpConstant %int 7\n%fn2 = OpTypeFunction %int %pair");
    let other = other.replace("%param = OpFunctionParameter %int", "%param = OpFunctionParameter %pair");
    let other = other.replace("%s = OpIAdd %int %param %seven", "%s = OpIAdd %int %seven %seven");
    let modules = [module(MAIN), module(&other)];
    let errors = link(&[&modules[0], &modules[1]], false).expect_err("does not link");
    assert!(errors.iter().any(|error| error.message.contains("different types")), "{errors:?}");
}

/// A module that imports what `names` and types say, and nothing else.
const POINTS: &str = "OpEntryPoint Kernel %main \"main\" %x %points
OpDecorate %x LinkageAttributes \"x\" Import
OpDecorate %points LinkageAttributes \"points\" Export
@types
%g_int = OpTypePointer CrossWorkgroup %int
%g_g_int = OpTypePointer CrossWorkgroup %g_int
%x = OpVariable %g_int CrossWorkgroup
%points = OpVariable %g_g_int CrossWorkgroup %x
%main_fn = OpTypeFunction %void
%main = OpFunction %void None %main_fn
%l = OpLabel
%p = OpLoad %g_int %points Aligned 8
OpStore %p %four Aligned 4
OpReturn
OpFunctionEnd
";

#[test]
fn an_initialiser_holds_the_address_of_what_a_later_module_defines() {
    let defines = "OpDecorate %x LinkageAttributes \"x\" Export\n@types\n%g_int = OpTypePointer CrossWorkgroup %int\n\
                   %nine = OpConstant %int 9\n%x = OpVariable %g_int CrossWorkgroup %nine\n";
    for order in [[POINTS, defines], [defines, POINTS]] {
        let module = linked(&order, false).expect("links");
        assert_eq!(module.globals.len(), 2);
        let initial = module.globals.iter().find_map(|g| g.initializer.filter(|id| module.global(*id).is_some()));
        assert_eq!(initial.and_then(|id| module.linkage(id)).map(|(name, _)| name), Some("x".to_owned()));
        assert_eq!(module.entry_points[0].interface.len(), 2);
    }
}

#[test]
fn initialisers_that_need_each_other_are_an_error() {
    let other = "OpDecorate %x LinkageAttributes \"x\" Export\nOpDecorate %points LinkageAttributes \"points\" Import\n\
                 @types\n%g_int = OpTypePointer CrossWorkgroup %int\n%g_g_int = OpTypePointer CrossWorkgroup %g_int\n\
                 %points = OpVariable %g_g_int CrossWorkgroup\n%cast = OpSpecConstantOp %g_int Bitcast %points\n\
                 %x = OpVariable %g_int CrossWorkgroup %cast\n";
    let errors = linked(&[POINTS, other], false).expect_err("does not link");
    let message = errors[0].to_string();
    assert!(
        message.contains("`x`") && message.contains("`points`") && message.contains("need each other"),
        "{message}"
    );
}

#[test]
fn an_entry_point_lists_the_variables_that_it_reaches_in_other_modules() {
    let library = LIBRARY
        .replace("%s = OpIAdd %int %param %seven", "%v = OpLoad %int %own Aligned 4\n%s = OpIAdd %int %param %v")
        .replace(
            "%seven = OpConstant %int 7",
            "%g_int = OpTypePointer CrossWorkgroup %int\n%own = OpVariable %g_int CrossWorkgroup",
        );
    let module = linked(&[MAIN, &library], false).expect("links");
    assert_eq!(module.entry_points[0].interface.len(), 2);
}

/// A function `name` with all debug information that there is; it calls `callee`, or returns its parameter.
fn with_debug(name: &str, line: u32, callee: Option<&str>) -> Module {
    let (import, declaration, result) = match callee {
        Some(callee) => (
            format!("OpDecorate %callee LinkageAttributes \"{callee}\" Import\n"),
            "%callee = OpFunction %int None %fn\n%cp = OpFunctionParameter %int\nOpFunctionEnd\n",
            "%r = OpFunctionCall %int %callee %p\nOpReturnValue %r",
        ),
        None => (String::new(), "", "OpReturnValue %p"),
    };
    let text = format!(
        "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\nOpExtension \"SPV_KHR_non_semantic_info\"\n\
         %debug = OpExtInstImport \"OpenCL.DebugInfo.100\"\n%other = OpExtInstImport \"NonSemantic.Own\"\n\
         OpMemoryModel Physical64 OpenCL\n%file = OpString \"file.cl\"\nOpSource OpenCL_C 300000 %file\n\
         OpName %f \"{name}\"\nOpMemberName %pair 0 \"first\"\nOpModuleProcessed \"by hand\"\n\
         OpDecorate %f LinkageAttributes \"{name}\" Export\n{import}\
         %void = OpTypeVoid\n%int = OpTypeInt 32 0\n%pair = OpTypeStruct %int %int\n%fn = OpTypeFunction %int %int\n\
         %source = OpExtInst %void %debug DebugSource %file\n%own = OpExtInst %void %other 7 %int\n{declaration}\
         OpLine %file {line} 1\n%f = OpFunction %int None %fn\n%p = OpFunctionParameter %int\n%l = OpLabel\n\
         OpLine %file {} 2\n{result}\nOpFunctionEnd\n",
        line + 1
    );
    let bytes = assemble(&text).unwrap_or_else(|log| panic!("{log}\n{text}"));
    decode(&words_from_bytes(&bytes).expect("words")).expect("decodes")
}

#[test]
fn debug_information_is_kept() {
    let modules = [with_debug("outer", 10, Some("inner")), with_debug("inner", 20, None)];
    let words = link(&modules.iter().collect::<Vec<_>>(), false).expect("links");
    spirv_val(&words);
    let module = decode(&words).expect("decodes");
    let text = oxicl_spirv::disassemble(&module);
    for (part, count) in [
        ("OpLine", 4),
        (" 10 1", 1),
        (" 21 2", 1),
        ("OpModuleProcessed", 2),
        ("OpMemberName", 1),
        ("OpSource ", 2),
        ("OpExtInst ", 4),
        ("OpExtInstImport", 2),
        // Equal strings are one.
        ("OpString", 1),
        ("OpFunction ", 2),
    ] {
        assert_eq!(text.matches(part).count(), count, "{part} in\n{text}");
    }
}

#[test]
fn types_that_contain_pointers_to_themselves_are_equal() {
    let with = |text: &str| {
        text.replace("@types\n", TYPES).replace(
            "%fn = OpTypeFunction %int %int",
            "OpTypeForwardPointer %link CrossWorkgroup\n%node = OpTypeStruct %int %link\n\
             %link = OpTypePointer CrossWorkgroup %node\n%fn = OpTypeFunction %int %link",
        )
    };
    let main = with(MAIN).replace("%gp = OpFunctionParameter %int", "%gp = OpFunctionParameter %link").replace(
        "%r = OpFunctionCall %int %get %four",
        "%null = OpBitcast %link %g\n%r = OpFunctionCall %int %get %null",
    );
    let library = with(LIBRARY)
        .replace("%param = OpFunctionParameter %int", "%param = OpFunctionParameter %link")
        .replace("%s = OpIAdd %int %param %seven", "%s = OpIAdd %int %seven %seven");
    for order in [[&main, &library], [&library, &main]] {
        let module = linked(&order.map(String::as_str), false).unwrap_or_else(|errors| panic!("{errors:?}"));
        assert_eq!(module.types.iter().filter(|ty| matches!(ty, Type::Struct { .. })).count(), 2);
    }
    // Another member, and they differ: the argument is cast.
    let other = library.replace("%node = OpTypeStruct %int %link", "%node = OpTypeStruct %int %int %link");
    let module = linked(&[&main, &other], false).unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(module.types.iter().filter(|ty| matches!(ty, Type::Struct { .. })).count(), 3);
}

#[test]
fn pointers_to_what_another_module_has_another_type_for_are_cast() {
    let with = |text: &str, pointee: &str, storage: &str| {
        let types = format!("%link = OpTypePointer {storage} {pointee}\n%fn = OpTypeFunction %link %link");
        text.replace("@types\n", &TYPES.replace("%fn = OpTypeFunction %int %int", &types))
    };
    let main = |pointee: &str, storage: &str| {
        let text = with(MAIN, pointee, storage)
            .replace("%gp = OpFunctionParameter %int", "%gp = OpFunctionParameter %link")
            .replace("%get = OpFunction %int", "%get = OpFunction %link");
        text.replace(
            "%r = OpFunctionCall %int %get %four",
            "%own = OpConvertUToPtr %link %four\n%s = OpFunctionCall %link %get %own\n%r = OpConvertPtrToU %int %s",
        )
    };
    let library = with(LIBRARY, "%int", "CrossWorkgroup")
        .replace("%get = OpFunction %int", "%get = OpFunction %link")
        .replace("%param = OpFunctionParameter %int", "%param = OpFunctionParameter %link")
        .replace("%s = OpIAdd %int %param %seven", "%s = OpPtrAccessChain %link %param %seven");
    let casts = |pointee: &str, storage: &str| {
        linked(&[&main(pointee, storage), &library], false).map(|module| {
            let calls = module.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.instructions);
            calls.filter(|i| i.op == oxicl_spirv::grammar::Op::Bitcast).count()
        })
    };
    assert_eq!(casts("%int", "CrossWorkgroup"), Ok(0));
    // One for what is given, one for what comes back.
    assert_eq!(casts("%pair", "CrossWorkgroup"), Ok(2));
    // Another memory is another type.
    let errors = casts("%pair", "Workgroup").expect_err("does not link");
    assert!(errors.iter().any(|error| error.message.contains("different types")), "{errors:?}");
}

#[test]
fn calls_of_an_imported_printf_become_instructions() {
    const TEXT: &str = "OpName %printf \"printf\"
OpDecorate %printf LinkageAttributes \"@\" Import
OpDecorate %format FuncParamAttr NoCapture
OpDecorate %keep LinkageAttributes \"keep\" Export
%void = OpTypeVoid
%int = OpTypeInt 32 0
%text = OpTypePointer Generic %int
%fn = OpTypeFunction %int %text
%keep_fn = OpTypeFunction %int %text %int
%printf = OpFunction %int None %fn
%format = OpFunctionParameter %text
OpFunctionEnd
%keep = OpFunction %int None %keep_fn
%t = OpFunctionParameter %text
%n = OpFunctionParameter %int
%l = OpLabel
%r = OpFunctionCall %int %printf %t %n %n
OpReturnValue %r
OpFunctionEnd
";
    const BARE: &str =
        "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\nOpMemoryModel Physical64 OpenCL\n";
    let decoded = |text: &str| decode(&words_from_bytes(&assemble(text).expect("assembles")).expect("words"));
    for header in [HEADER, BARE] {
        for name in ["printf", "_Z6printfPU3AS4Kcz"] {
            let module = decoded(&format!("{header}{}", TEXT.replace('@', name))).expect("decodes");
            assert_eq!(module.functions.iter().filter(|f| is_imported_printf(&module, f.id)).count(), 1, "{name}");
            let made = decode(&with_printf(&module).expect("it imports printf")).expect("decodes");
            let text = disassemble(&made);
            assert!(text.contains("printf %10 %11 %11") || text.contains("printf %9 %10 %10"), "{text}");
            assert!(!text.contains("OpFunctionCall") && !text.contains("\" Import"), "{text}");
            assert!(text.contains("SPV_EXT_relaxed_printf_string_address_space"), "{text}");
            assert_eq!(made.functions.len(), 1, "{text}");
        }
        let other = decoded(&format!("{header}{}", TEXT.replace('@', "print"))).expect("decodes");
        assert_eq!(with_printf(&other), None);
    }
}

#[test]
fn exports_get_other_names_and_yield() {
    let names = HashMap::from([("get".to_owned(), "got".to_owned())]);
    let library = module(LIBRARY);
    let renamed = decode(&with_weak_exports(&library.words, &names)).expect("decodes");
    let mut linkage: Vec<_> = renamed.functions.iter().filter_map(|function| renamed.linkage(function.id)).collect();
    assert_eq!(linkage.pop(), Some(("got".to_owned(), LinkageType::LinkOnceODR)));
    assert_eq!(
        renamed.globals.iter().find_map(|global| renamed.linkage(global.id)).map(|l| l.0),
        Some("table".to_owned())
    );
}
