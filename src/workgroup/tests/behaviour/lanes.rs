//! What gangs do in other ways than one work-item would.

use super::*;

#[test]
fn integers_are_divided_in_all_widths() {
    const WIDTHS: [u32; 4] = [8, 16, 32, 64];
    let operations = ["udiv", "sdiv", "urem", "srem"];
    let mut body = String::from(
        "define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.global_id(i32 0)
        %row = mul i64 %i, 18
        %p = getelementptr i64, ptr addrspace(1) %out, i64 %row
        %a = load i64, ptr addrspace(1) %p
        %q = getelementptr i64, ptr addrspace(1) %p, i64 1
        %b = load i64, ptr addrspace(1) %q
        %divides = icmp ne i64 %b, 0
        br i1 %divides, label %go, label %end
        go:\n",
    );
    for (w, width) in WIDTHS.into_iter().enumerate() {
        let resize = if width == 64 { "add i64 0," } else { "trunc i64" };
        let target = if width == 64 { String::new() } else { format!("to i{width}") };
        body += &format!("%a{width} = {resize} %a {target}\n%b{width} = {resize} %b {target}\n");
        for (o, operation) in operations.into_iter().enumerate() {
            let name = format!("{operation}{width}");
            body += &format!("%{name} = {operation} i{width} %a{width}, %b{width}\n");
            let wide =
                if width == 64 { format!("add i64 0, %{name}") } else { format!("zext i{width} %{name} to i64") };
            let slot = 2 + w * 4 + o;
            body += &format!(
                "%w{name} = {wide}
                %s{name} = getelementptr i64, ptr addrspace(1) %p, i64 {slot}
                store i64 %w{name}, ptr addrspace(1) %s{name}\n"
            );
        }
    }
    body += "br label %end\nend: ret void }";
    let edges =
        [0i64, 1, 2, 3, 7, 10, 100, 127, -1, -2, -7, -127, i64::MAX, i64::MIN + 1, 1 << 53, (1 << 53) - 1, 0x7fff_ffff];
    let mut pairs: Vec<(i64, i64)> = Vec::new();
    for a in edges {
        // Divisors that no width makes zero; and zero, which is not divided by. Minus one would overflow with the least number.
        pairs.extend(edges.into_iter().filter(|b| *b == 0 || (*b as i8 != 0 && *b as i8 != -1)).map(|b| (a, b)));
    }
    for mode in GANGS {
        let library = build(&body, &[global()], mode);
        let mut out: Vec<u64> =
            pairs.iter().flat_map(|(a, b)| [*a as u64, *b as u64].into_iter().chain([9; 16])).collect();
        run_on(&library, line(pairs.len() as u64, 50), &mut out, &[]);
        for (row, (a, b)) in out.chunks(18).zip(&pairs) {
            for (w, width) in WIDTHS.into_iter().enumerate() {
                let mask = u64::MAX >> (64 - width);
                let signed = |x: i64| i128::from(x << (64 - width) >> (64 - width));
                let unsigned = |x: i64| u128::from(x as u64 & mask);
                let expected = match *b {
                    0 => [9; 4],
                    _ => [
                        (unsigned(*a) / unsigned(*b)) as u64,
                        (signed(*a) / signed(*b)) as u64 & mask,
                        (unsigned(*a) % unsigned(*b)) as u64,
                        (signed(*a) % signed(*b)) as u64 & mask,
                    ],
                };
                assert_eq!(row[2 + w * 4..6 + w * 4], expected, "{a} and {b} as {width} bits, {mode:?}");
            }
        }
    }
}

#[test]
fn values_are_gathered_in_one_order_whatever_the_lanes() {
    let declare = "
        declare float @oxicl.group.reduce.fadd.f32(float) convergent nounwind willreturn memory(none)
        declare float @oxicl.group.reduce.fmul.f32(float) convergent nounwind willreturn memory(none)
        declare float @oxicl.group.reduce.fmin.f32(float) convergent nounwind willreturn memory(none)
        declare float @oxicl.group.reduce.fmax.f32(float) convergent nounwind willreturn memory(none)
        declare float @oxicl.group.scan_exclusive.fadd.f32(float) convergent nounwind willreturn memory(none)
        declare i32 @oxicl.group.reduce.smin.i32(i32) convergent nounwind willreturn memory(none)
        declare i32 @oxicl.group.scan_inclusive.umax.i32(i32) convergent nounwind willreturn memory(none)
        declare i32 @oxicl.group.scan_exclusive.mul.i32(i32) convergent nounwind willreturn memory(none)
        declare i32 @oxicl.group.scan_exclusive.smax.i32(i32) convergent nounwind willreturn memory(none)\n";
    let names = [
        "reduce.fadd.f32",
        "reduce.fmul.f32",
        "reduce.fmin.f32",
        "reduce.fmax.f32",
        "scan_exclusive.fadd.f32",
        "reduce.smin.i32",
        "scan_inclusive.umax.i32",
        "scan_exclusive.mul.i32",
        "scan_exclusive.smax.i32",
    ];
    let mut body = format!(
        "{declare} define void @k(ptr addrspace(1) %out) {{
        %i = call i64 @oxicl.local_linear_id()
        %row = mul i64 %i, 10
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %row
        %x = load i32, ptr addrspace(1) %p
        %f = bitcast i32 %x to float\n"
    );
    for (n, name) in names.into_iter().enumerate() {
        let (ty, value) = if name.ends_with("f32") { ("float", "%f") } else { ("i32", "%x") };
        body += &format!(
            "%r{n} = call {ty} @oxicl.group.{name}({ty} {value})
            %q{n} = getelementptr i32, ptr addrspace(1) %p, i64 {}
            store {ty} %r{n}, ptr addrspace(1) %q{n}\n",
            n + 1
        );
    }
    body += "ret void }";
    let number = |i: u32| match i {
        3 => (-0.0f32).to_bits(),
        4 => 0,
        9 => f32::NAN.to_bits(),
        _ => (1.0 + i as f32 * 0.37 - if i.is_multiple_of(5) { 9.0 } else { 0.0 }).to_bits(),
    };
    for range in
        [line(37, 37), line(5, 5), Range { dimensions: 2, offset: [0; 3], global: [9, 5, 1], local: [9, 5, 1] }]
    {
        let mut results: Vec<Vec<u32>> = Vec::new();
        for mode in [(Mode::Bare, 1)].into_iter().chain(GANGS) {
            let library = build(&body, &[global()], mode);
            let mut out: Vec<u32> = (0..45).flat_map(|i| std::iter::once(number(i)).chain([0; 9])).collect();
            run_on(&library, range, &mut out, &[]);
            results.push(out);
            assert_eq!(results[0], results[results.len() - 1], "{range:?} {mode:?}");
        }
    }
}

#[test]
fn a_sum_of_floats_is_one_of_sixteen_parts_by_the_place_along_x() {
    let body = "
        declare float @oxicl.group.reduce.fadd.f32(float) convergent nounwind willreturn memory(none)
        declare float @oxicl.group.reduce.fmul.f32(float) convergent nounwind willreturn memory(none)
        define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.local_linear_id()
        %p = getelementptr float, ptr addrspace(1) %out, i64 %i
        %x = load float, ptr addrspace(1) %p
        %sum = call float @oxicl.group.reduce.fadd.f32(float %x)
        %product = call float @oxicl.group.reduce.fmul.f32(float %x)
        %q = getelementptr float, ptr addrspace(1) %p, i64 200
        store float %sum, ptr addrspace(1) %p
        store float %product, ptr addrspace(1) %q
        ret void }";
    let number = |i: u32| 0.6 + (i * 37 % 101) as f32 * 0.0083;
    for [x, y] in [[5, 1], [37, 1], [100, 1], [192, 1], [9, 5], [20, 7], [33, 6]] {
        let combine: [fn(f32, f32) -> f32; 2] = [|a, b| a + b, |a, b| a * b];
        let wanted = [0, 1].map(|operation| {
            let mut parts = [[-0.0, 1.0][operation]; 16];
            for item in 0..x * y {
                let part = &mut parts[(item % x % 16) as usize];
                *part = combine[operation](*part, number(item));
            }
            for half in [8, 4, 2, 1] {
                (0..half).for_each(|part| parts[part] = combine[operation](parts[part], parts[part + half]));
            }
            parts[0].to_bits()
        });
        let size = [u64::from(x), u64::from(y), 1];
        let range = Range { dimensions: 2, offset: [0; 3], global: size, local: size };
        for mode in [(Mode::Bare, 1), (Mode::Full, 1), (Mode::Full, 32)].into_iter().chain(GANGS) {
            let library = build(body, &[global()], mode);
            let mut out: Vec<u32> = (0..400).map(|i| number(i).to_bits()).collect();
            run_on(&library, range, &mut out, &[]);
            assert_eq!([out[0], out[200]], wanted, "{x} times {y}, {mode:?}");
        }
    }
}

/// Kernels whose functions stay functions, without inlining.
const FUNCTIONS: &str = "
    define internal i32 @leaf(i32 %x, i32 %y) noinline memory(none) nounwind {
    %z = mul i32 %x, 3
    %r = add i32 %z, %y
    ret i32 %r }

    define internal { i32, i64 } @walk(ptr addrspace(1) %p, <2 x i32> %v, i1 %flag, i32 %n) noinline {
    entry: %a = extractelement <2 x i32> %v, i32 0
    %b = extractelement <2 x i32> %v, i32 1
    %turns = and i32 %a, 7
    br i1 %flag, label %early, label %loop
    early: %w = zext i32 %b to i64
    %e0 = insertvalue { i32, i64 } poison, i32 %n, 0
    %e1 = insertvalue { i32, i64 } %e0, i64 %w, 1
    ret { i32, i64 } %e1
    loop: %i = phi i32 [ 0, %entry ], [ %j, %next ]
    %sum = phi i32 [ %n, %entry ], [ %sum2, %next ]
    %more = icmp ult i32 %i, %turns
    br i1 %more, label %body, label %done
    body: %q = getelementptr i32, ptr addrspace(1) %p, i32 %i
    %m = load i32, ptr addrspace(1) %q
    %sum1 = call i32 @leaf(i32 %sum, i32 %m)
    %odd = and i32 %sum1, 1
    %is = icmp eq i32 %odd, 1
    br i1 %is, label %extra, label %next
    extra: %id = call i64 @oxicl.global_id(i32 0)
    %id32 = trunc i64 %id to i32
    %s3 = call i32 @table(i32 %id32, i32 %sum1)
    br label %next
    next: %sum2 = phi i32 [ %sum1, %body ], [ %s3, %extra ]
    %j = add i32 %i, 1
    br label %loop
    done: %wide = sext i32 %sum to i64
    %d0 = insertvalue { i32, i64 } poison, i32 %sum, 0
    %d1 = insertvalue { i32, i64 } %d0, i64 %wide, 1
    ret { i32, i64 } %d1 }

    define internal i32 @table(i32 %x, i32 %y) noinline {
    %t = alloca [5 x i32]
    br label %fill
    fill: %i = phi i32 [ 0, %0 ], [ %j, %fill ]
    %v = mul i32 %i, %y
    %p = getelementptr [5 x i32], ptr %t, i32 0, i32 %i
    store i32 %v, ptr %p
    %j = add i32 %i, 1
    %more = icmp ult i32 %j, 5
    br i1 %more, label %fill, label %filled
    filled: %at = urem i32 %x, 5
    %q = getelementptr [5 x i32], ptr %t, i32 0, i32 %at
    %r = load i32, ptr %q
    ret i32 %r }

    define internal void @write(ptr addrspace(1) %p, i64 %x) noinline {
    store i64 %x, ptr addrspace(1) %p
    ret void }
";

#[test]
fn functions_are_called_for_all_lanes_at_once() {
    let mut body = format!(
        "{FUNCTIONS} define void @k(ptr addrspace(1) %out, i32 %u) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %i32 = trunc i64 %i to i32
        %row = mul i64 %i, 8
        %p = getelementptr i64, ptr addrspace(1) %out, i64 %row
        %own = load i32, ptr addrspace(1) %p
        %near = getelementptr i32, ptr addrspace(1) %p, i32 1
        %flag = icmp ugt i32 %own, 3000000000
        %v0 = insertelement <2 x i32> poison, i32 %own, i32 0
        %v = insertelement <2 x i32> %v0, i32 %i32, i32 1
        %two = insertelement <2 x i32> <i32 5, i32 9>, i32 %u, i32 1
        %third = urem i64 %i, 3
        %takes = icmp ne i64 %third, 1
        br i1 %takes, label %go, label %gone
        go:\n"
    );
    // More patterns of arguments than there may be versions.
    let calls = [
        ("%p", "%v", "%flag", "%own"),
        ("%out", "%two", "false", "%u"),
        ("%near", "%two", "%flag", "%u"),
        ("%p", "%two", "false", "%i32"),
        ("%out", "%v", "%flag", "%u"),
        ("%near", "%v", "false", "%u"),
    ];
    for (n, (pointer, vector, flag, number)) in calls.into_iter().enumerate() {
        body += &format!(
            "%c{n} = call {{ i32, i64 }} @walk(ptr addrspace(1) {pointer}, <2 x i32> {vector}, i1 {flag}, i32 {number})
            %a{n} = extractvalue {{ i32, i64 }} %c{n}, 0
            %b{n} = extractvalue {{ i32, i64 }} %c{n}, 1
            %w{n} = zext i32 %a{n} to i64
            %h{n} = shl i64 %w{n}, 32
            %x{n} = xor i64 %h{n}, %b{n}
            %q{n} = getelementptr i64, ptr addrspace(1) %p, i64 {}\n",
            n + 2
        );
    }
    (0..calls.len()).for_each(|n| body += &format!("call void @write(ptr addrspace(1) %q{n}, i64 %x{n})\n"));
    body += "br label %gone\ngone: ret void }";
    let arguments = [global(), argument(ArgumentKind::Value, 4, 8)];
    let numbers: Vec<u64> = (0..8 * 70u64).map(|n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let mut results: Vec<Vec<u64>> = Vec::new();
    for mode in [(Mode::Bare, 1), (Mode::Bare, 4), (Mode::Bare, 16), (Mode::Cheap, 8), (Mode::Full, 16)] {
        let library = build(&body, &arguments, mode);
        let out = run_from(
            &library,
            Range { offset: [3, 0, 0], ..line(61, 23) },
            numbers.clone(),
            &2_000_000_011u32.to_le_bytes(),
        );
        results.push(out);
        assert_eq!(results[0], results[results.len() - 1], "{mode:?}");
    }
    assert_ne!(results[0], numbers);
}

#[test]
fn a_function_that_gangs_call_has_few_versions() {
    let calls: String = (1..40)
        .map(|n| {
            format!(
                "%s{n} = mul i64 %i, {n}
        %p{n} = getelementptr i64, ptr addrspace(1) %out, i64 %s{n}
        call void @write(ptr addrspace(1) %p{n}, i64 {n})\n"
            )
        })
        .collect();
    let body = format!(
        "{DECLARATIONS} {FUNCTIONS} define void @k(ptr addrspace(1) %out) {{
        %i = call i64 @oxicl.global_id(i32 0)
        {calls} ret void }}"
    );
    let context = oxicl_llvm::Context::new();
    let kernels = [("k", signature(vec![global()]))];
    let (module, _) = machine::transform(&context, &body, &kernels, Mode::Bare, (8, 1));
    let versions = module.functions().iter().filter(|f| f.name().starts_with("write.gang")).count();
    assert_eq!(versions, 5);
}

#[test]
fn conversions_are_those_of_one_work_item() {
    let mut body = String::from(
        "define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.global_id(i32 0)
        %row = mul i64 %i, 40
        %p = getelementptr i64, ptr addrspace(1) %out, i64 %row
        %double = load double, ptr addrspace(1) %p
        %q = getelementptr i64, ptr addrspace(1) %p, i64 1
        %other = load double, ptr addrspace(1) %q
        %float = fptrunc double %double to float
        %half = fptrunc double %double to half
        %half2 = fptrunc double %other to half
        %whole = fpext half %half to float\n",
    );
    let mut slot = 2;
    let mut keep = |body: &mut String, bits: u32, value: &str, integer: bool| {
        let whole = if integer { format!("%{value}") } else { format!("%b{value}") };
        if !integer {
            *body += &format!("%b{value} = bitcast half %{value} to i{bits}\n");
        }
        let wide = if bits == 64 { format!("add i64 0, {whole}") } else { format!("zext i{bits} {whole} to i64") };
        *body += &format!(
            "%w{value} = {wide}
            %p{value} = getelementptr i64, ptr addrspace(1) %p, i64 {slot}
            store i64 %w{value}, ptr addrspace(1) %p{value}\n"
        );
        slot += 1;
    };
    keep(&mut body, 16, "half", false);
    let mut declarations = std::collections::BTreeSet::new();
    for (ty, short) in [("half", "f16"), ("float", "f32"), ("double", "f64")] {
        for bits in [8, 16, 32, 64] {
            for sign in ["si", "ui"] {
                // LLVM has a fault there, see docs/llvm.md: halves to 16 bits are floats on their way.
                let is_wrong = (ty, bits, sign) == ("half", 16, "si");
                let (value, ty, of) = if is_wrong { ("whole", "float", "f32") } else { (ty, ty, short) };
                let name = format!("llvm.fpto{sign}.sat.i{bits}.{of}");
                body += &format!("%c{sign}{bits}{value} = call i{bits} @{name}({ty} %{value})\n");
                declarations.insert(format!("declare i{bits} @{name}({ty})\n"));
                keep(&mut body, bits, &format!("c{sign}{bits}{value}"), true);
            }
        }
    }
    for name in ["sqrt", "floor", "round", "rint"] {
        body += &format!("%o{name} = call half @llvm.{name}.f16(half %half)\n");
        declarations.insert(format!("declare half @llvm.{name}.f16(half)\n"));
        keep(&mut body, 16, &format!("o{name}"), false);
    }
    for name in ["minnum", "maxnum"] {
        body += &format!("%o{name} = call half @llvm.{name}.f16(half %half, half %half2)\n");
        declarations.insert(format!("declare half @llvm.{name}.f16(half, half)\n"));
        keep(&mut body, 16, &format!("o{name}"), false);
    }
    body += "ret void }";
    let declarations: String = declarations.into_iter().collect();
    let edges =
        [0.0, -0.0, 0.5, -0.5, 0.99, -0.99, 1.5, 127.0, 127.9, 128.0, -128.9, -129.0, 255.5, 256.0, 32767.9, 65504.0];
    let more = [
        65519.9,
        65520.0,
        -32768.9,
        2147483647.0,
        2147483648.0,
        -2147483649.0,
        4294967295.9,
        9.3e18,
        -9.3e18,
        1.9e19,
        1e300,
    ];
    let special = [
        f64::INFINITY,
        f64::NEG_INFINITY,
        1.000_488_281_25,
        1.000_488_281_250_000_2,
        f64::NAN,
        6e-8,
        2.98e-8,
        5e-324,
        1e-40,
    ];
    let numbers: Vec<f64> = edges.into_iter().chain(more).chain(special).collect();
    let mut results: Vec<Vec<u64>> = Vec::new();
    for mode in [(Mode::Bare, 1)].into_iter().chain(GANGS) {
        let library = build(&format!("{declarations}{body}"), &[global()], mode);
        let row = |(n, x): (usize, &f64)| {
            [x.to_bits(), numbers[(n + 7) % numbers.len()].to_bits()].into_iter().chain([0; 38])
        };
        let mut out: Vec<u64> = numbers.iter().enumerate().flat_map(row).collect();
        run_on(&library, line(numbers.len() as u64, 40), &mut out, &[]);
        results.push(out);
        for (row, (old, new)) in results[0].chunks(40).zip(results[results.len() - 1].chunks(40)).enumerate() {
            assert_eq!(old, new, "{} {mode:?}", numbers[row]);
        }
    }
}

#[test]
fn small_numbers_are_gathered_and_scattered_by_some_lanes() {
    // Vectors of so many numbers of so many bits, whose order each lane turns round.
    for (bits, count) in [(8usize, 1usize), (8, 2), (8, 4), (16, 1), (16, 2), (16, 4), (32, 2)] {
        let ty = format!("<{count} x i{bits}>");
        let turned: Vec<String> = (0..count).rev().map(|n| format!("i32 {n}")).collect();
        let body = format!(
            "define void @k(ptr addrspace(1) %out) {{
            %i = call i64 @oxicl.global_id(i32 0)
            %third = urem i64 %i, 3
            %takes = icmp ne i64 %third, 1
            br i1 %takes, label %go, label %gone
            go: %square = mul i64 %i, %i
            %from = urem i64 %square, 41
            %p = getelementptr {ty}, ptr addrspace(1) %out, i64 %from
            %v = load {ty}, ptr addrspace(1) %p
            %w = shufflevector {ty} %v, {ty} poison, <{count} x i32> <{}>
            %times = mul i64 %i, 7
            %to = urem i64 %times, 41
            %row = add i64 %to, 41
            %q = getelementptr {ty}, ptr addrspace(1) %out, i64 %row
            store {ty} %w, ptr addrspace(1) %q
            br label %gone
            gone: ret void }}",
            turned.join(", ")
        );
        let element = bits / 8;
        let bytes = element * count;
        // As aligned as numbers of eight bytes.
        let numbers: Vec<u64> =
            (1..=(41 * 2 * bytes).div_ceil(8) as u64).map(|n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let mut expected: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        for i in (0..41).filter(|i| i % 3 != 1) {
            let (from, to) = (i * i % 41 * bytes, (41 + i * 7 % 41) * bytes);
            for index in 0..count {
                let at = from + (count - 1 - index) * element;
                expected.copy_within(at..at + element, to + index * element);
            }
        }
        for mode in MODES.into_iter().chain(GANGS) {
            let library = build(&body, &[global()], mode);
            let out = run_from(&library, line(41, 41), numbers.clone(), &[]);
            let out: Vec<u8> = out.iter().flat_map(|number| number.to_ne_bytes()).collect();
            assert_eq!(out, expected, "{ty} {mode:?}");
        }
    }
}

#[test]
fn packed_vectors_of_three_lie_side_by_side() {
    // Three colours as one grey, for all but those behind the end; places are numbers of 32 bits that might wrap.
    let body = "define void @k(ptr addrspace(1) %out, i32 %start, i32 %end) {
        %id = call i64 @oxicl.global_id(i32 0)
        %i = trunc i64 %id to i32
        %takes = icmp slt i32 %i, %end
        br i1 %takes, label %go, label %gone
        go: %times = mul i32 %i, 3
        %from = add i32 %times, %start
        %wide = sext i32 %from to i64
        %p = getelementptr i8, ptr addrspace(1) %out, i64 %wide
        %v = load <3 x i8>, ptr addrspace(1) %p, align 1
        %r = extractelement <3 x i8> %v, i32 0
        %g = extractelement <3 x i8> %v, i32 1
        %b = extractelement <3 x i8> %v, i32 2
        %rr = zext i8 %r to i32
        %gg = zext i8 %g to i32
        %bb = zext i8 %b to i32
        %r7 = mul i32 %rr, 7
        %g9 = mul i32 %gg, 9
        %rg = add i32 %r7, %g9
        %rgb = add i32 %rg, %bb
        %high = lshr i32 %rgb, 4
        %grey = trunc i32 %high to i8
        %q = getelementptr i8, ptr addrspace(1) %out, i64 %id
        store i8 %grey, ptr addrspace(1) %q
        br label %gone
        gone: ret void }";
    let arguments = [global(), argument(ArgumentKind::Value, 4, 8), argument(ArgumentKind::Value, 4, 12)];
    let (start, count, end) = (300u32, 200u64, 187u32);
    let old: Vec<u8> = (0..1000u32).map(|n| (n.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
    let mut expected = old.clone();
    for i in 0..end as usize {
        let at = |part: usize| u32::from(old[start as usize + 3 * i + part]);
        expected[i] = ((7 * at(0) + 9 * at(1) + at(2)) >> 4) as u8;
    }
    for mode in MODES.into_iter().chain(GANGS).chain([(Mode::Full, 0), (Mode::Full, 32)]) {
        let library = build(body, &arguments, mode);
        let out = run_from(&library, line(count, 100), old.clone(), &[start.to_le_bytes(), end.to_le_bytes()].concat());
        assert_eq!(out, expected, "{mode:?}");
        let remarks = library.facts[0].remarks.join("\n");
        assert!(
            library.facts[0].lanes == 1 || remarks.contains(" 0 accesses are each lane's own"),
            "{mode:?}: {remarks}"
        );
    }
}

#[test]
fn what_an_argument_by_value_holds_is_the_same_for_all_lanes() {
    let body = "define void @k(ptr addrspace(1) %out, ptr byval({ i64, ptr addrspace(1) }) align 8 %s) {
        %i = call i64 @oxicl.global_id(i32 0)
        %offset = load i64, ptr %s
        %second = getelementptr { i64, ptr addrspace(1) }, ptr %s, i32 0, i32 1
        %in = load ptr addrspace(1), ptr %second
        %from = addrspacecast ptr addrspace(1) %in to ptr addrspace(4)
        %p = getelementptr i32, ptr addrspace(4) %from, i64 %i
        %x = load i32, ptr addrspace(4) %p
        %start = getelementptr i32, ptr addrspace(1) %out, i64 %offset
        %q = getelementptr i32, ptr addrspace(1) %start, i64 %i
        store i32 %x, ptr addrspace(1) %q
        ret void }";
    let numbers: Vec<u32> = (0..37).map(|n| n * 11 + 1).collect();
    for mode in MODES.into_iter().chain(GANGS) {
        let library = build(body, &[global(), argument(ArgumentKind::ByValue, 16, 8)], mode);
        let mut out = vec![0u32; 40];
        let mut bytes = 3u64.to_le_bytes().to_vec();
        bytes.extend((numbers.as_ptr() as u64).to_le_bytes());
        run_on(&library, line(37, 37), &mut out, &bytes);
        assert_eq!(out[3..], numbers, "{mode:?}");
        let remarks = library.facts[0].remarks.join("\n");
        assert!(mode.1 == 1 || remarks.contains(" 0 accesses are each lane's own"), "{mode:?}: {remarks}");
    }
}

#[test]
fn lanes_that_turn_out_to_lie_side_by_side_or_do_not_find_the_same() {
    // Rows of 24 and 40, halves exchanged, places at a constant distance; for all work-items, and without every fiftieth.
    const N: u64 = 200;
    for (bits, leaves_some) in [(64, false), (64, true), (32, true), (16, false), (16, true)] {
        let condition = if leaves_some { "icmp ne i64 %fiftieth, 7" } else { "icmp ne i64 %fiftieth, 50" };
        let body = format!(
            "define void @k(ptr addrspace(1) %out) {{
            %i = call i64 @oxicl.global_id(i32 0)
            %fiftieth = urem i64 %i, 50
            %takes = {condition}
            br i1 %takes, label %go, label %gone
            go: %row = udiv i64 %i, 24
            %column = urem i64 %i, 24
            %start = mul i64 %row, 40
            %from = add i64 %start, %column
            %p = getelementptr i{bits}, ptr addrspace(1) %out, i64 %from
            %v = load i{bits}, ptr addrspace(1) %p
            %apart = mul i64 %i, 7
            %q = getelementptr i{bits}, ptr addrspace(1) %out, i64 %apart
            %w = load i{bits}, ptr addrspace(1) %q
            %sum = add i{bits} %v, %w
            %low = and i64 %i, 32
            %other = sub i64 32, %low
            %high = sub i64 %i, %low
            %exchanged = add i64 %high, %other
            %behind = add i64 %exchanged, 1400
            %r = getelementptr i{bits}, ptr addrspace(1) %out, i64 %behind
            store i{bits} %sum, ptr addrspace(1) %r
            %far = mul i64 %i, 5
            %farther = add i64 %far, 1700
            %s = getelementptr i{bits}, ptr addrspace(1) %out, i64 %farther
            store i{bits} %v, ptr addrspace(1) %s
            br label %gone
            gone: ret void }}"
        );
        let bytes = bits / 8;
        let all: Vec<u64> = (1..=2800u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let mask = u64::MAX >> (64 - bits);
        let mut old: Vec<u8> = all.iter().flat_map(|n| n.to_le_bytes().into_iter().take(bytes)).collect();
        old.resize(all.len() * 8, 0);
        let mut expected: Vec<u64> = all.iter().map(|n| n & mask).collect();
        for i in (0..N).filter(|i| !leaves_some || i % 50 != 7) {
            let v = all[(i / 24 * 40 + i % 24) as usize];
            expected[(i - (i & 32) + 32 - (i & 32) + 1400) as usize] = v.wrapping_add(all[(i * 7) as usize]) & mask;
            expected[(i * 5 + 1700) as usize] = v & mask;
        }
        for mode in MODES.into_iter().chain(GANGS).chain([(Mode::Full, 0), (Mode::Full, 32)]) {
            let library = build(&body, &[global()], mode);
            let out = run_from(&library, line(N, 100), old.clone(), &[]);
            let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
            let out: Vec<u64> = out.chunks(bytes).take(all.len()).map(number).collect();
            assert_eq!(out, expected, "{bits} {leaves_some} {mode:?}");
        }
    }
}

#[test]
fn rows_of_any_length_have_gangs_of_several_sizes() {
    // A loop that waits for itself: as many lanes as there is room for, then the usual number, then a part of that.
    let body = "define void @k(ptr addrspace(1) %out) {
        start: %i = call i64 @oxicl.global_id(i32 0)
        %to = getelementptr i32, ptr addrspace(1) %out, i64 %i
        br label %turn
        turn: %n = phi i64 [ 0, %start ], [ %next, %turn ]
        %sum = phi i32 [ 1, %start ], [ %more, %turn ]
        %row = mul i64 %n, 300
        %place = add i64 %row, %i
        %behind = add i64 %place, 300
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %behind
        %v = load i32, ptr addrspace(1) %p
        %times = mul i32 %sum, 3
        %more = add i32 %times, %v
        %next = add i64 %n, 1
        %again = icmp ult i64 %next, 9
        br i1 %again, label %turn, label %end
        end: store i32 %more, ptr addrspace(1) %to
        ret void }";
    let old: Vec<u32> = (0..3000u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
    for mode in [(Mode::Full, 0), (Mode::Full, 16)] {
        let library = build(body, &[global()], mode);
        for length in [1, 15, 16, 63, 64, 65, 100, 128, 300] {
            let out = run_from(&library, line(length, length), old.clone(), &[]);
            let mut expected = old.clone();
            for i in 0..length as usize {
                expected[i] = (1..10).fold(1u32, |sum, n| sum.wrapping_mul(3).wrapping_add(old[n * 300 + i]));
            }
            assert_eq!(out, expected, "{length} {mode:?}");
        }
    }
}

#[test]
fn private_arrays_behind_a_barrier_are_each_work_items_own() {
    let body = format!(
        "define void @k(ptr addrspace(1) %out) {{
        start: %a = alloca [4 x i32], align 4
        %i = call i64 @oxicl.global_id(i32 0)
        %own = trunc i64 %i to i32
        %to = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %first = load i32, ptr addrspace(1) %to
        {BARRIER}
        store i32 %first, ptr %a
        %a1 = getelementptr i32, ptr %a, i64 1
        store i32 %own, ptr %a1
        %a2 = getelementptr i32, ptr %a, i64 2
        store i32 7, ptr %a2
        %a3 = getelementptr i32, ptr %a, i64 3
        store i32 9, ptr %a3
        %rows = call i64 @oxicl.global_size(i32 1)
        %turns = add i64 %rows, 8
        br label %turn
        turn: %n = phi i64 [ 0, %start ], [ %next, %turn ]
        %sum = phi i32 [ 1, %start ], [ %more, %turn ]
        %slot = and i64 %n, 3
        %p = getelementptr i32, ptr %a, i64 %slot
        %v = load i32, ptr %p
        %times = mul i32 %sum, 3
        %more = add i32 %times, %v
        %next = add i64 %n, 1
        %behind = and i64 %next, 3
        %q = getelementptr i32, ptr %a, i64 %behind
        store i32 %more, ptr %q
        %again = icmp ult i64 %next, %turns
        br i1 %again, label %turn, label %end
        end: store i32 %more, ptr addrspace(1) %to
        ret void }}"
    );
    let value = |own: u32, first: u32| {
        let (mut array, mut sum) = ([first, own, 7, 9], 1u32);
        for n in 0..9 {
            sum = sum.wrapping_mul(3).wrapping_add(array[n % 4]);
            array[(n + 1) % 4] = sum;
        }
        sum
    };
    let old: Vec<u32> = (0..300u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
    for mode in [(Mode::Full, 0), (Mode::Full, 16), (Mode::Bare, 0), (Mode::Bare, 1)] {
        let library = build(&body, &[global()], mode);
        let vectors = machine::target().vectors;
        let wide = vectors.registers == 32;
        let remarks = &library.facts[0].remarks;
        let natural = if mode.1 == 0 { vectors.lanes() } else { mode.1 };
        let most = format!("gangs of {} work-items", 4 * natural);
        let deep = remarks.iter().any(|remark| remark.contains(&most));
        assert!(if mode.1 == 0 { deep || !wide } else { !deep }, "{remarks:?}");
        for length in [1, 16, 63, 64, 100, 256] {
            let out = run_from(&library, line(length, length), old.clone(), &[]);
            let mut expected = old.clone();
            for (own, value_of) in expected.iter_mut().take(length as usize).enumerate() {
                *value_of = value(own as u32, *value_of);
            }
            assert_eq!(out, expected, "{length} {mode:?}");
        }
    }
}

#[test]
fn an_argument_by_value_that_is_written_behind_a_barrier_is_each_work_items_own() {
    let body = format!(
        "define void @k(ptr addrspace(1) %out, ptr byval([4 x i32]) align 4 %s) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %to = getelementptr i32, ptr addrspace(1) %out, i64 %i
        {BARRIER}
        %which = and i64 %i, 3
        %p = getelementptr i32, ptr %s, i64 %which
        %old = load i32, ptr %p
        %new = add i32 %old, 1
        store i32 %new, ptr %p
        %last = load i32, ptr %p
        store i32 %last, ptr addrspace(1) %to
        ret void }}"
    );
    let bytes: Vec<u8> = [10u32, 20, 30, 40].iter().flat_map(|n| n.to_le_bytes()).collect();
    for mode in MODES.into_iter().chain(GANGS) {
        let library = build(&body, &[global(), argument(ArgumentKind::ByValue, 16, 8)], mode);
        let out = run_from(&library, line(40, 40), vec![0u32; 40], &bytes);
        let expected: Vec<u32> = (0..40).map(|i| 11 + 10 * (i % 4)).collect();
        assert_eq!(out[..], expected, "{mode:?}");
    }
}

#[test]
fn what_a_branch_says_hardly_ever_to_run_hardly_counts() {
    // Three dependent loads from places of each work-item's own, behind a branch.
    let body = |weights: &str| {
        format!(
            "define void @k(ptr addrspace(1) %out) {{
            start: %i = call i64 @oxicl.global_id(i32 0)
            %to = getelementptr i32, ptr addrspace(1) %out, i64 %i
            %v = load i32, ptr addrspace(1) %to
            %rare = icmp ugt i32 %v, 90
            br i1 %rare, label %far, label %end{weights}
            far: %index.1 = zext i32 %v to i64
            %at.1 = getelementptr i32, ptr addrspace(1) %out, i64 %index.1
            %far.1 = load i32, ptr addrspace(1) %at.1
            %index.2 = zext i32 %far.1 to i64
            %at.2 = getelementptr i32, ptr addrspace(1) %out, i64 %index.2
            %far.2 = load i32, ptr addrspace(1) %at.2
            br label %end
            end: %result = phi i32 [ %v, %start ], [ %far.2, %far ]
            %twice = mul i32 %result, 2
            %behind = add i64 %i, 128
            %there = getelementptr i32, ptr addrspace(1) %out, i64 %behind
            store i32 %twice, ptr addrspace(1) %there
            ret void }}
            !0 = !{{!\"branch_weights\", i32 1, i32 2000}}"
        )
    };
    let old: Vec<u32> = (0..256u32).map(|n| n * 37 % 101).collect();
    for mode in GANGS {
        let [known, unknown] = [", !prof !0", ""].map(|weights| build(&body(weights), &[global()], mode));
        assert!(known.facts[0].remarks.join("\n").contains(" 0 accesses are each lane's own"), "{mode:?}");
        assert!(unknown.facts[0].remarks.join("\n").contains(" 2 accesses are each lane's own"), "{mode:?}");
        for library in [known, unknown] {
            let out = run_from(&library, line(100, 100), old.clone(), &[]);
            let value = |v: u32| if v > 90 { old[old[v as usize] as usize] } else { v };
            let expected = (0..256).map(|at| if (128..228).contains(&at) { 2 * value(old[at - 128]) } else { old[at] });
            assert_eq!(out, expected.collect::<Vec<u32>>(), "{mode:?}");
        }
    }
}
