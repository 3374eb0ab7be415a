//! What is built reads back as it was built, and machine code comes out of it.

use oxicl_llvm::{
    Builder, CodegenLevel, ConstantKind, Context, FastMath, GepFlags, IntPredicate, Linkage, MachineOptions, Module,
    Opcode, Ordering, PassOptions, Place, RmwOp, TargetMachine, host_cpu_features, host_triple,
};

fn machine() -> TargetMachine {
    let options = MachineOptions {
        triple: host_triple(),
        cpu: String::new(),
        features: host_cpu_features(),
        level: CodegenLevel::Default,
    };
    TargetMachine::new(&options).expect("the host's target exists")
}

/// `sum(p, n)`: adds n integers in a loop.
fn build_sum(module: &Module<'_>) {
    let context = module.context();
    let (i32_type, i64_type) = (context.int_type(32), context.int_type(64));
    let sum = module.add_function("sum", i32_type.function(&[context.pointer_type(0), i64_type]));
    let parameters = sum.parameters();
    let entry = sum.append_block(context, "entry");
    let body = sum.append_block(context, "body");
    let exit = sum.append_block(context, "exit");
    let b = Builder::new(context);
    b.position_at_end(entry);
    b.br(body);
    b.position_at_end(body);
    let index = b.phi(i64_type);
    let total = b.phi(i32_type);
    let address = b.gep(i32_type, parameters[0], &[index], GepFlags::IN_BOUNDS);
    let loaded = b.load(i32_type, address, 2);
    let next_total = b.add(total, loaded);
    let next = b.add(index, i64_type.const_int(1));
    next.set_no_wrap(true, true);
    let more = b.icmp(IntPredicate::Ult, next, parameters[1]);
    b.cond_br(more, body, exit);
    index.add_incoming(i64_type.zero(), entry);
    index.add_incoming(next, body);
    total.add_incoming(i32_type.zero(), entry);
    total.add_incoming(next_total, body);
    b.position_at_end(exit);
    b.ret(next_total);
}

#[test]
fn instructions_read_back_as_built() {
    let context = Context::new();
    let module = Module::new(&context, "m");
    build_sum(&module);
    module.verify().expect("valid IR");
    let sum = module.function("sum").expect("it was added");
    let blocks = sum.blocks();
    assert_eq!(blocks.len(), 3);
    let body: Vec<_> = blocks[1].instructions().collect();
    let opcodes: Vec<_> = body.iter().filter_map(|i| i.opcode()).collect();
    use Opcode as O;
    assert_eq!(opcodes, [O::Phi, O::Phi, O::GetElementPtr, O::Load, O::Add, O::Add, O::ICmp, O::Br]);
    assert_eq!(body[0].incoming()[1], (body[5], blocks[1]));
    assert_eq!(body[2].gep_flags(), GepFlags::IN_BOUNDS);
    assert_eq!(body[2].gep_source_type(), Some(context.int_type(32)));
    assert_eq!(body[3].alignment(), 2);
    assert_eq!(body[5].no_wrap(), (true, true));
    assert_eq!(body[4].no_wrap(), (false, false));
    assert_eq!(body[6].int_predicate(), Some(IntPredicate::Ult));
    assert_eq!(body[7].condition(), Some(body[6]));
    assert_eq!(blocks[1].successors(), [blocks[1], blocks[2]]);
    assert_eq!(body[5].operand(1).and_then(|c| c.as_u64()), Some(1));
}

#[test]
fn atomics_switches_and_flags_read_back_from_text() {
    let text = r#"
        @table = internal addrspace(2) constant [2 x i32] [i32 7, i32 9], align 4
        declare void @callee(ptr byval(i64)) memory(none)
        define float @f(ptr addrspace(1) %p, i32 %n, float %x) {
          %old = atomicrmw umax ptr addrspace(1) %p, i32 %n syncscope("singlethread") acq_rel, align 4
          %pair = cmpxchg weak ptr addrspace(1) %p, i32 1, i32 2 acquire monotonic, align 4
          %first = extractvalue { i32, i1 } %pair, 0
          %v = load atomic volatile i32, ptr addrspace(1) %p seq_cst, align 4
          %y = fmul contract nsz float %x, %x
          call void @callee(ptr byval(i64) null)
          switch i32 %first, label %end [ i32 5, label %a  i32 -1, label %b ]
        a: br label %end
        b: br label %end
        end: ret float %y
        }"#;
    let context = Context::new();
    let module = Module::parse_text(&context, text).expect("valid text");
    let f = module.function("f").expect("defined");
    let i: Vec<_> = f.blocks()[0].instructions().collect();
    assert_eq!(i[0].rmw_op(), Some(RmwOp::UMax));
    assert_eq!((i[0].ordering(), i[0].sync_scope()), (Ordering::AcquireRelease, context.sync_scope("singlethread")));
    assert_eq!((i[1].ordering(), i[1].failure_ordering()), (Ordering::Acquire, Ordering::Monotonic));
    assert!(i[1].is_weak());
    assert_eq!(i[2].indices(), [0]);
    assert!(i[3].is_volatile());
    assert_eq!(i[3].ordering(), Ordering::SequentiallyConsistent);
    assert_eq!(i[4].fast_math(), FastMath::CONTRACT.union(FastMath::NO_SIGNED_ZEROS));
    let callee = i[5].called_function().expect("direct");
    assert_eq!(callee.attribute(Place::Parameter(0), "byval").and_then(|a| a.ty()), Some(context.int_type(64)));
    let cases: Vec<_> = i[6].switch_cases().into_iter().map(|(v, b)| (v.as_i64(), b.name())).collect();
    assert_eq!(cases, [(Some(5), "a".to_owned()), (Some(-1), "b".to_owned())]);
    let table = module.global("table").expect("defined");
    assert_eq!((table.linkage(), table.ty().address_space(), table.alignment()), (Linkage::Internal, 2, 4));
    let content = table.initializer().expect("has one");
    assert_eq!(content.constant_kind(), Some(ConstantKind::Aggregate));
    assert_eq!(content.constant_element(1).and_then(|e| e.as_u64()), Some(9));
}

#[test]
fn bitcode_links_and_internal_functions_that_nothing_calls_go() {
    let context = Context::new();
    let library = Module::new(&context, "library");
    build_sum(&library);
    let bitcode = library.to_bitcode();
    let mut module = Module::parse_text(
        &context,
        "declare i32 @sum(ptr, i64)\ndefine i32 @g(ptr %p) { %r = call i32 @sum(ptr %p, i64 3) ret i32 %r }",
    )
    .expect("valid text");
    module.link(Module::parse_bitcode(&context, &bitcode).expect("valid bitcode")).expect("it links");
    for function in module.functions() {
        if function.name() == "sum" {
            assert!(!function.is_declaration());
            function.set_linkage(Linkage::Internal);
        }
    }
    module.run_passes("cgscc(inline),globaldce", None, PassOptions::default()).expect("a valid pipeline");
    assert!(module.function("sum").is_none());
}

#[test]
fn object_code_comes_out() {
    let context = Context::new();
    let mut module = Module::new(&context, "m");
    let machine = machine();
    machine.prepare(&module);
    build_sum(&module);
    module.run_passes("default<O2>", Some(&machine), PassOptions::default()).expect("a valid pipeline");
    let object = machine.emit_object(&mut module).expect("code");
    assert_eq!(&object.bytes[..4], b"\x7fELF");
    assert_eq!(machine.unknown_passes(), 0, "names of passes that are left out of code generation");
    let assembly = machine.emit_assembly(&mut module).expect("text");
    assert!(assembly.contains("sum:"), "{assembly}");
}

#[test]
fn object_code_does_not_depend_on_what_the_machine_made_before() {
    // Constants, tables of a switch, a call, data of the module, half as its own type: what passes and sections remember.
    const OTHERS: [&str; 3] = [
        "@table = internal constant [4 x float] [float 1.0, float 2.0, float 4.0, float 8.0]
         declare float @elsewhere(float)
         define float @sum(i64 %i) {
           %at = getelementptr float, ptr @table, i64 %i
           %x = load float, ptr %at
           %y = call float @elsewhere(float %x)
           %z = fadd float %y, 3.5
           ret float %z
         }",
        "define i32 @choose(i32 %i) {
           switch i32 %i, label %e [i32 0, label %a i32 1, label %b i32 2, label %c i32 3, label %d i32 4, label %a]
         a: ret i32 17
         b: ret i32 4
         c: call void asm sideeffect \"nop\", \"\"()
            ret i32 99
         d: ret i32 12
         e: ret i32 0
         }",
        "define half @sum(half %a, <16 x i8> %v) {
           %b = fmul half %a, 0xH4200
           %x = extractelement <16 x i8> %v, i32 3
           %c = uitofp i8 %x to half
           %d = fadd half %b, %c
           ret half %d
         }",
    ];
    let make = |machine: &TargetMachine, text: Option<&str>| {
        let context = Context::new();
        let mut module = match text {
            Some(text) => Module::parse_text(&context, text).expect("a module"),
            None => Module::new(&context, "m"),
        };
        machine.prepare(&module);
        if text.is_none() {
            build_sum(&module);
        }
        machine.emit_object(&mut module).expect("code")
    };
    let all = || OTHERS.into_iter().map(Some).chain([None]);
    let alone: Vec<_> = all().map(|text| make(&machine(), text)).collect();
    let machine = machine();
    for _ in 0..2 {
        let together: Vec<_> = all().map(|text| make(&machine, text)).collect();
        assert!(alone == together);
        let backwards: Vec<_> = all().collect::<Vec<_>>().into_iter().rev().map(|text| make(&machine, text)).collect();
        assert!(alone.iter().rev().eq(&backwards));
    }
}

#[test]
fn mistakes_are_errors_in_llvms_words() {
    let context = Context::new();
    let error = Module::parse_text(&context, "define i32 @f( {").err().expect("invalid");
    assert!(error.0.contains("expected"), "{error}");
    let error = Module::parse_bitcode(&context, b"BC\xc0\xde nonsense").err().expect("invalid");
    assert!(!error.0.is_empty());
    let mut module = Module::new(&context, "m");
    let error = module.run_passes("no-such-pass", None, PassOptions::default()).expect_err("unknown");
    assert!(error.0.contains("no-such-pass"), "{error}");
    let function = module.add_function("f", context.void_type().function(&[]));
    function.append_block(&context, "entry");
    let error = module.verify().expect_err("no terminator");
    assert!(error.0.contains("terminator"), "{error}");
}

#[test]
fn a_copy_of_an_instruction_keeps_flags_and_takes_new_operands() {
    let context = Context::new();
    let text = "define i32 @f(i32 %a, i32 %b) { %s = add nsw i32 %a, %b ret i32 %s }";
    let module = Module::parse_text(&context, text).expect("valid text");
    let f = module.function("f").expect("defined");
    let add = f.blocks()[0].instructions().next().expect("an instruction");
    let copy = add.clone_instruction().expect("an instruction");
    let b = Builder::new(&context);
    b.position_before(add.next_instruction().expect("ret"));
    b.insert(copy);
    copy.set_operand(0, add);
    module.verify().expect("valid IR");
    assert_eq!(copy.no_wrap(), (true, false));
    assert_eq!(copy.operand(0), Some(add));
}

#[test]
fn names_are_discarded_but_for_functions_and_variables() {
    let context = Context::new();
    context.discard_names();
    let text = "@v = global i32 0\ndefine i32 @f(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n";
    let module = Module::parse_text(&context, text).expect("text with names is read all the same");
    let copy = Module::parse_bitcode(&context, &module.to_bitcode()).expect("bitcode").to_text();
    assert!(copy.contains("@v") && copy.contains("@f") && !copy.contains("%y"), "{copy}");
}

/// Code of a loop that adds so many constants, with all passes or without those that are left out.
fn code_of_constants(count: u32, all_passes: bool) -> String {
    let sums: String = (0..count).map(|n| format!("%v{} = fadd double %v{n}, {n}.5\n", n + 1)).collect();
    let text = format!(
        "define double @k(double %x, i64 %n) {{
         entry:
           br label %loop
         loop:
           %v0 = phi double [ %x, %entry ], [ %v{count}, %loop ]
           %i = phi i64 [ 0, %entry ], [ %next, %loop ]
           {sums}
           %next = add i64 %i, 1
           %done = icmp eq i64 %next, %n
           br i1 %done, label %end, label %loop
         end:
           ret double %v{count}
         }}"
    );
    let context = Context::new();
    let mut module = Module::parse_text(&context, &text).expect("valid");
    let machine = if all_passes { machine().with_all_passes() } else { machine() };
    machine.prepare(&module);
    machine.emit_assembly(&mut module).expect("code")
}

#[test]
fn all_passes_change_the_code_of_large_functions_alone() {
    assert_eq!(code_of_constants(100, true), code_of_constants(100, false));
    assert_ne!(code_of_constants(2500, true), code_of_constants(2500, false));
}
