//! Private arrays that short loops walk become values.

mod module;

use module::optimised;

/// Does a kernel keep its array? A loop of so many iterations writes it, another of as many sums up what lies at `index`, which is made
/// of the counter `%n` or of the number `%v`.
fn keeps_array(iterations: u64, index: &str) -> bool {
    keeps_array_with(iterations, index, "", "read")
}

/// The same, with more in the second loop, whose last block is then `latch`.
fn keeps_array_with(iterations: u64, index: &str, more: &str, latch: &str) -> bool {
    let text = format!(
        "@table = internal addrspace(2) constant [8 x i64] [i64 0, i64 4, i64 2, i64 6, i64 1, i64 5, i64 3, i64 7]
        @data = internal addrspace(1) global [8 x i64] zeroinitializer
        declare void @oxicl.barrier(i32, i32, i32) convergent nounwind
        declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
        define void @k(ptr addrspace(1) %p) {{
        start: %a = alloca [{iterations} x i32], align 4
        %v = load i64, ptr addrspace(1) %p
        br label %write
        write: %m = phi i64 [ 0, %start ], [ %after, %write ]
        %to = getelementptr i32, ptr %a, i64 %m
        %from = getelementptr i32, ptr addrspace(1) %p, i64 %m
        %in = load i32, ptr addrspace(1) %from
        store i32 %in, ptr %to
        %after = add nuw nsw i64 %m, 1
        %more = icmp ult i64 %after, {iterations}
        br i1 %more, label %write, label %between
        between: br label %read
        read: %n = phi i64 [ 0, %between ], [ %next, %{latch} ]
        %sum = phi i32 [ 0, %between ], [ %total, %{latch} ]
        {more}
        %index = {index}
        %at = getelementptr i32, ptr %a, i64 %index
        %x = load i32, ptr %at
        %times = mul i32 %sum, 3
        %total = add i32 %times, %x
        %next = add nuw nsw i64 %n, 1
        %again = icmp ult i64 %next, {iterations}
        br i1 %again, label %read, label %end
        end: store i32 %total, ptr addrspace(1) %p
        ret void }}"
    );
    optimised(&text).contains("alloca")
}

#[test]
fn an_array_that_short_loops_walk_becomes_values() {
    assert!(!keeps_array(16, "sub i64 15, %n"));
    assert!(!keeps_array(40, "xor i64 %n, 0"));
}

#[test]
fn an_array_whose_places_a_constant_table_tells_becomes_values() {
    let keeps = |table: &str, space: u32| {
        let entry = format!("%entry = getelementptr i64, ptr addrspace({space}) {table}, i64 %n");
        let place = format!("%place = load i64, ptr addrspace({space}) %entry");
        keeps_array_with(8, "add i64 %place, 0", &format!("{entry}\n{place}"), "read")
    };
    assert!(!keeps("@table", 2));
    assert!(keeps("@data", 1));
}

#[test]
fn an_array_that_is_copied_as_a_whole_becomes_values() {
    let moved = |length: &str| {
        format!(
            "%b = alloca [16 x i32], align 4
            call void @llvm.memmove.p0.p0.i64(ptr align 4 %b, ptr align 4 %a, i64 {length}, i1 false)
            call void @llvm.memmove.p0.p0.i64(ptr align 4 %a, ptr align 4 %b, i64 64, i1 false)"
        )
    };
    assert!(!keeps_array_with(16, "sub i64 15, %n", &moved("64"), "read"));
    assert!(keeps_array_with(16, "sub i64 15, %n", &moved("%v"), "read"));
}

#[test]
fn an_array_stays_one_where_a_place_is_not_known() {
    assert!(keeps_array(16, "and i64 %v, 15"));
}

#[test]
fn loops_that_go_through_an_array_often_are_written_out_though_others_access_it_anywhere() {
    // Each swap loads two numbers and stores two.
    let swap = |n: usize| {
        format!(
            "%mirror{n} = sub i64 {}, %n
            %one{n} = getelementptr i32, ptr %a, i64 %n
            %other{n} = getelementptr i32, ptr %a, i64 %mirror{n}
            %x{n} = load i32, ptr %one{n}
            %y{n} = load i32, ptr %other{n}
            store i32 %y{n}, ptr %one{n}
            store i32 %x{n}, ptr %other{n}\n",
            7 + n
        )
    };
    let keeps = |swaps: usize, first: &str, more: &str| {
        let body: String = (0..swaps).map(swap).collect();
        let text = format!(
            "define void @k(ptr addrspace(1) %p) {{
            start: %a = alloca [16 x i32], align 4
            %v = load i64, ptr addrspace(1) %p
            %here = getelementptr i32, ptr %a, i64 %v
            store i32 77, ptr %here
            br label %loop
            loop: %n = phi i64 [ {first}, %start ], [ %next, %loop ]
            {body}
            {more}
            %next = add nuw nsw i64 %n, 1
            %again = icmp ult i64 %next, 7
            br i1 %again, label %loop, label %end
            end: %sum = load i32, ptr %here
            store i32 %sum, ptr addrspace(1) %p
            ret void }}"
        );
        let found = optimised(&text);
        assert!(found.contains("alloca"), "{found}");
        found.contains("br i1")
    };
    assert!(!keeps(4, "0", ""));
    assert!(keeps(1, "0", ""));
    assert!(keeps(4, "%v", ""));
    assert!(keeps(4, "0", "store i32 5, ptr %here"));
}

#[test]
fn an_array_stays_one_where_loops_are_long() {
    assert!(keeps_array(100, "sub i64 99, %n"));
}

#[test]
fn a_comparison_within_a_loop_does_not_say_how_long_it_is() {
    let first = "%is_first = icmp eq i64 %n, 0
        br i1 %is_first, label %special, label %rest
        special: store i64 7, ptr addrspace(1) %p
        br label %rest
        rest:";
    assert!(!keeps_array_with(16, "sub i64 15, %n", first, "rest"));
    assert!(keeps_array_with(1_000, "and i64 %n, 1", first, "rest"));
}

#[test]
fn an_array_stays_one_where_work_items_meet_in_its_loops() {
    assert!(keeps_array_with(20, "sub i64 19, %n", "call void @oxicl.barrier(i32 2, i32 2, i32 272)", "read"));
}

/// Has a kernel a loop, whose counter runs from `first` below `end`, by steps of `step`? The test is ahead of the body, or behind.
fn keeps_loop(first: u64, end: u64, step: u64, ahead: bool, body: &str) -> bool {
    let (test, exit) = if ahead { ("%n", "head") } else { ("%next", "body") };
    let compare = format!("%more = icmp ult i64 {test}, {end} br i1 %more");
    let (head, latch) = if ahead {
        (format!("{compare}, label %body, label %end"), "br label %head".to_owned())
    } else {
        ("br label %body".to_owned(), format!("{compare}, label %head, label %end"))
    };
    let text = format!(
        "declare void @oxicl.barrier(i32, i32, i32) convergent nounwind
        define void @k(ptr addrspace(1) %p) {{
        start: br label %head
        head: %n = phi i64 [ {first}, %start ], [ %next, %body ]
        %at = phi ptr addrspace(1) [ %p, %start ], [ %behind, %body ]
        {head}
        body: store i64 %n, ptr addrspace(1) %at
        {body}
        %behind = getelementptr i64, ptr addrspace(1) %at, i64 3
        %next = add nuw nsw i64 %n, {step}
        {latch}
        end: %last = phi ptr addrspace(1) [ %at, %{exit} ]
        store i64 7, ptr addrspace(1) %last
        ret void }}"
    );
    optimised(&text).contains("phi")
}

#[test]
fn a_loop_that_runs_once_is_none() {
    for ahead in [true, false] {
        assert!(!keeps_loop(0, 1, 1, ahead, ""), "{ahead}");
        assert!(!keeps_loop(5, 8, 4, ahead, ""), "{ahead}");
        // The condition is tested once more where it comes first.
        assert_eq!(keeps_loop(0, 2, 1, ahead, ""), ahead);
        assert!(keeps_loop(0, 3, 1, ahead, ""), "{ahead}");
        assert!(keeps_loop(0, 1_000, 1, ahead, ""), "{ahead}");
    }
}

#[test]
fn a_matrix_that_loops_in_loops_walk_becomes_values() {
    // Sums of a number of iterations that is not known, four times four.
    let text = "define void @k(ptr addrspace(1) %p, i32 %iterations) {
        start: %c = alloca [4 x [4 x i32]], align 4
        br label %clear
        clear: %m = phi i32 [ 0, %start ], [ %m.next, %cleared ]
        %m.in = icmp slt i32 %m, 4
        br i1 %m.in, label %clear.row, label %iteration
        clear.row: %n = phi i32 [ 0, %clear ], [ %n.next, %clear.one ]
        %n.in = icmp slt i32 %n, 4
        br i1 %n.in, label %clear.one, label %cleared
        clear.one: %m.wide = sext i32 %m to i64
        %m.row = getelementptr [4 x i32], ptr %c, i64 %m.wide
        %n.wide = sext i32 %n to i64
        %n.at = getelementptr i32, ptr %m.row, i64 %n.wide
        store i32 0, ptr %n.at
        %n.next = add nsw i32 %n, 1
        br label %clear.row
        cleared: %m.next = add nsw i32 %m, 1
        br label %clear
        iteration: %k = phi i32 [ 0, %clear ], [ %k.next, %iteration.end ]
        %k.in = icmp slt i32 %k, %iterations
        br i1 %k.in, label %row, label %end
        row: %i = phi i32 [ 0, %iteration ], [ %i.next, %rowed ]
        %i.in = icmp slt i32 %i, 4
        br i1 %i.in, label %one, label %iteration.end
        one: %j = phi i32 [ 0, %row ], [ %j.next, %add ]
        %j.in = icmp slt i32 %j, 4
        br i1 %j.in, label %add, label %rowed
        add: %place = add nsw i32 %k, %j
        %place.wide = sext i32 %place to i64
        %from = getelementptr i32, ptr addrspace(1) %p, i64 %place.wide
        %v = load i32, ptr addrspace(1) %from
        %i.wide = sext i32 %i to i64
        %i.row = getelementptr [4 x i32], ptr %c, i64 %i.wide
        %j.wide = sext i32 %j to i64
        %at = getelementptr i32, ptr %i.row, i64 %j.wide
        %old = load i32, ptr %at
        %times = mul i32 %old, 3
        %sum = add i32 %times, %v
        store i32 %sum, ptr %at
        %j.next = add nsw i32 %j, 1
        br label %one
        rowed: %i.next = add nsw i32 %i, 1
        br label %row
        iteration.end: %k.next = add nsw i32 %k, 1
        br label %iteration
        end: %q = phi i32 [ 0, %iteration ], [ %q.next, %store ]
        %q.in = icmp slt i32 %q, 4
        br i1 %q.in, label %store, label %leave
        store: %q.wide = sext i32 %q to i64
        %q.row = getelementptr [4 x i32], ptr %c, i64 %q.wide
        %q.at = getelementptr i32, ptr %q.row, i64 %q.wide
        %last = load i32, ptr %q.at
        %to = getelementptr i32, ptr addrspace(1) %p, i64 %q.wide
        store i32 %last, ptr addrspace(1) %to
        %q.next = add nsw i32 %q, 1
        br label %end
        leave: ret void }";
    assert!(!optimised(text).contains("alloca"));
}

/// Does a kernel keep its loop of so many iterations, which sums up what lies `scale` times its place along a dimension and an iteration on?
fn keeps_record(iterations: u64, scale: u64, dimension: u64) -> bool {
    let text = format!(
        "declare i64 @oxicl.global_id(i32)
        define void @k(ptr addrspace(1) %p) {{
        start: %place = call i64 @oxicl.global_id(i32 {dimension})
        %record = mul nsw i64 %place, {scale}
        br label %head
        head: %n = phi i64 [ 0, %start ], [ %next, %body ]
        %sum = phi i32 [ 1, %start ], [ %more, %body ]
        %in = icmp slt i64 %n, {iterations}
        br i1 %in, label %body, label %end
        body: %index = add nsw i64 %record, %n
        %from = getelementptr i32, ptr addrspace(1) %p, i64 %index
        %v = load i32, ptr addrspace(1) %from
        %times = mul i32 %sum, 3
        %more = add i32 %times, %v
        %next = add nsw i64 %n, 1
        br label %head
        end: %to = getelementptr i32, ptr addrspace(1) %p, i64 %place
        store i32 %sum, ptr addrspace(1) %to
        ret void }}"
    );
    optimised(&text).contains("br i1")
}

#[test]
fn a_loop_over_the_fields_of_records_is_written_out() {
    assert!(!keeps_record(8, 8, 0));
    assert!(!keeps_record(3, 5, 0));
    assert!(keeps_record(8, 7, 0), "records overlap");
    assert!(keeps_record(32, 32, 0), "long records");
    assert!(keeps_record(8, 1_000, 0), "rows of a matrix");
    assert!(keeps_record(8, 8, 1), "what lanes share");
}

/// Does a kernel keep its loop, whose counter goes on from `first` by `step` while it is more than 0, with this in its body?
fn keeps_halving(first: u64, step: &str, body: &str) -> bool {
    let text = format!(
        "declare void @oxicl.barrier(i32, i32, i32) convergent nounwind
        declare i64 @oxicl.sub_group.broadcast(i64, i32) convergent nounwind
        define void @k(ptr addrspace(1) %p, i64 %v) {{
        start: br label %head
        head: %n = phi i64 [ {first}, %start ], [ %next, %latch ]
        %is_meant = icmp ult i64 %v, %n
        br i1 %is_meant, label %then, label %body
        then: %at = getelementptr i64, ptr addrspace(1) %p, i64 %n
        store i64 %n, ptr addrspace(1) %at
        br label %body
        body: {body}
        latch: %next = {step}
        %more = icmp ne i64 %next, 0
        br i1 %more, label %head, label %end
        end: ret void }}"
    );
    optimised(&text).contains("phi")
}

#[test]
fn short_loops_in_which_work_items_meet_or_that_they_leave_apart_are_written_out() {
    let meets = "call void @oxicl.barrier(i32 2, i32 2, i32 272) br label %latch";
    let leaves = "%seen = load i64, ptr addrspace(1) %p %is_found = icmp eq i64 %seen, %v
        br i1 %is_found, label %found, label %latch
        found: store i64 7, ptr addrspace(1) %p br label %end";
    for body in [meets, leaves] {
        assert!(!keeps_halving(128, "lshr i64 %n, 1", body), "{body}");
        assert!(!keeps_halving(1 << 56, "shl i64 %n, 1", body), "{body}");
        assert!(!keeps_halving(3, "add i64 %n, -1", body), "{body}");
        assert!(keeps_halving(1 << 40, "lshr i64 %n, 1", body), "long: {body}");
        assert!(keeps_halving(3, "mul i64 %n, %v", body), "of unknown length: {body}");
    }
    assert!(
        keeps_halving(128, "lshr i64 %n, 1", "br label %latch"),
        "left to the passes behind the work-group compiler"
    );
}

#[test]
fn loops_around_barriers_are_written_out_as_long_as_each_barrier_has_a_region() {
    // Each loop has a barrier in eight iterations: of six, three are written out, which makes 28 regions of 32.
    let loops = (0..6).map(|number| {
        format!(
            "head{number}: %n{number} = phi i64 [ 128, %start{number} ], [ %next{number}, %head{number} ]
            %at{number} = getelementptr i64, ptr addrspace(1) %p, i64 %n{number}
            store i64 %n{number}, ptr addrspace(1) %at{number}
            call void @oxicl.barrier(i32 2, i32 2, i32 272)
            %next{number} = lshr i64 %n{number}, 1
            %more{number} = icmp ne i64 %next{number}, 0
            br i1 %more{number}, label %head{number}, label %start{}
            start{}: br label %{}\n",
            number + 1,
            number + 1,
            if number < 5 { format!("head{}", number + 1) } else { "end".to_owned() },
        )
    });
    let text = format!(
        "declare void @oxicl.barrier(i32, i32, i32) convergent nounwind
        define void @k(ptr addrspace(1) %p) {{
        start0: br label %head0
        {}end: ret void }}",
        loops.collect::<String>()
    );
    let code = optimised(&text);
    assert_eq!((code.matches("phi i64").count(), code.matches("call void @oxicl.barrier").count()), (3, 27), "{code}");
}
