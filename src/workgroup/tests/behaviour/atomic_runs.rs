//! Atomic operations that follow each other: what lanes need for them is shared, and each does all of them in one go.

use super::*;

/// A load of four numbers at a work-item's place in the buffer `%in`, and the places in `bins` that they are.
fn four_places(bins: &str) -> String {
    let mut text = String::from(
        "%pv = getelementptr <4 x i32>, ptr addrspace(1) %in, i64 %i
        %x = load <4 x i32>, ptr addrspace(1) %pv, align 16\n",
    );
    for (n, name) in ["a", "b", "c", "d"].into_iter().enumerate() {
        text += &format!(
            "%{name} = extractelement <4 x i32> %x, i64 {n}
            %n{name} = zext i32 %{name} to i64
            %p{name} = getelementptr i32, {bins}, i64 %n{name}\n"
        );
    }
    text
}

/// Where work-items go their own ways: all do something; all but a third; the one in place 17; those whose number,
/// which they load, is odd.
const WHO: [&str; 4] = [
    "br label %go",
    "%third = urem i64 %i, 3
    %takes = icmp ne i64 %third, 1
    br i1 %takes, label %go, label %gone",
    "%takes = icmp eq i64 %i, 17
    br i1 %takes, label %go, label %gone",
    "%mine = load i32, ptr addrspace(1) %keep
    %odd = and i32 %mine, 1
    %takes = icmp ne i32 %odd, 0
    br i1 %takes, label %go, label %gone",
];

/// Is a work-item with a number among those?
fn is_among(who: usize, item: usize, number: u32) -> bool {
    [true, item % 3 != 1, item == 17, number % 2 == 1][who]
}

/// How many work-items the kernels below have, in one work-group; how many numbers come before those that they keep.
const ITEMS: usize = 61;
const BINS: usize = 128;

/// A kernel of which some work-items do something with numbers, which are in local memory meanwhile if `local`. `change`
/// may use these as `BINS`, a work-item's places `%own` and `%other` in them, its place `%i`, the same as `%word`, and the
/// place `%keep` of a number that is its own.
fn with_bins(name: &str, change: &str, who: usize, local: bool) -> String {
    let bins = if local { "ptr addrspace(3) @bins.NAME" } else { "ptr addrspace(1) %out" };
    let (comes, goes) = (
        "%old0 = load i32, ptr addrspace(1) %first
        store i32 %old0, ptr addrspace(3) %own
        %old1 = load i32, ptr addrspace(1) %second
        store i32 %old1, ptr addrspace(3) %other",
        "%new0 = load i32, ptr addrspace(3) %own
        store i32 %new0, ptr addrspace(1) %first
        %new1 = load i32, ptr addrspace(3) %other
        store i32 %new1, ptr addrspace(1) %second",
    );
    let (comes, goes) = if local { (comes, goes) } else { ("", "") };
    let who = WHO[who];
    format!(
        "@bins.NAME = internal addrspace(3) global [{BINS} x i32] undef, align 4
        define void @NAME(ptr addrspace(1) %out, ptr addrspace(1) %in) {{
        start: %i = call i64 @oxicl.local_id(i32 0)
        %j = add i64 %i, 64
        %k = add i64 %i, {BINS}
        %word = trunc i64 %i to i32
        %first = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %second = getelementptr i32, ptr addrspace(1) %out, i64 %j
        %keep = getelementptr i32, ptr addrspace(1) %out, i64 %k
        %own = getelementptr i32, {bins}, i64 %i
        %other = getelementptr i32, {bins}, i64 %j
        {comes}
        {BARRIER}
        {who}
        go: {change}
        br label %gone
        gone: {BARRIER}
        {goes}
        ret void }}\n"
    )
    .replace("BINS", bins)
    .replace("SPACE", bins.split_once(" @").or(bins.split_once(" %")).map_or("", |parts| parts.0))
    .replace("NAME", name)
}

/// What the change of a kernel `with_bins` makes of the bins and of the number that a work-item keeps.
type Does = fn(usize, &mut [u32], &mut u32);

/// Runs such kernels for all `WHO`, in local and in global memory. The four numbers of each work-item are `places`.
fn assert_does(changes: &[(&str, Does)], places: fn(usize) -> [u32; 4]) {
    let vectors: Vec<[u32; 4]> = (0..ITEMS).map(places).collect();
    let before: Vec<u32> = (0..(BINS + ITEMS) as u32).map(|n| if n < 64 { n } else { n * n % 97 }).collect();
    let arguments = vec![global(), argument(ArgumentKind::Global, 8, 8)];
    for local in [true, false] {
        let (mut text, mut kernels) = (DECLARATIONS.to_owned(), Vec::new());
        let all = (0..changes.len()).flat_map(|number| (0..WHO.len()).map(move |who| (number, who)));
        for (number, who) in all {
            let name = format!("k{number}_{who}");
            let change = changes[number].0.replace("FOUR", &four_places("BINS"));
            text += &with_bins(&name, &change, who, local);
            kernels.push((name, number, who));
        }
        let signatures: Vec<_> = kernels.iter().map(|(name, ..)| (&**name, signature(arguments.clone()))).collect();
        for mode in GANGS.into_iter().chain([(Mode::Bare, 1), (Mode::Full, 1)]) {
            let library = compile(&text, &signatures, mode);
            for (index, (_, number, who)) in kernels.iter().enumerate() {
                let (change, does) = changes[*number];
                let mut expected = before.clone();
                let (bins, kept) = expected.split_at_mut(BINS);
                for item in (0..ITEMS).filter(|item| is_among(*who, *item, before[BINS + item])) {
                    does(item, bins, &mut kept[item]);
                }
                let mut out = before.clone();
                let mut block = (out.as_mut_ptr() as u64).to_le_bytes().to_vec();
                block.extend((vectors.as_ptr() as u64).to_le_bytes());
                run(&library, index, line(ITEMS as u64, ITEMS as u64), &block, 256, 2);
                let lanes = library.facts[index].lanes;
                assert_eq!(out, expected, "{change}\n{}\nlocal: {local}, {mode:?}, {lanes} lanes", WHO[*who]);
            }
        }
    }
}

#[test]
fn work_items_count_by_all_elements_of_one_vector() {
    let changes: [(&str, Does); 5] = [
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 1 monotonic
            %o1 = atomicrmw add BINS_AT_b, i32 1 monotonic
            %o2 = atomicrmw add BINS_AT_c, i32 1 monotonic
            %o3 = atomicrmw add BINS_AT_d, i32 1 monotonic",
            |item, bins, _| places_apart(item).into_iter().for_each(|place| bins[place as usize] += 1),
        ),
        // By what another element is, and in another order.
        (
            "FOUR
            %o3 = atomicrmw add BINS_AT_d, i32 %a monotonic
            %o0 = atomicrmw add BINS_AT_a, i32 %b seq_cst
            %o1 = atomicrmw sub BINS_AT_b, i32 %word monotonic
            %o2 = atomicrmw add BINS_AT_a, i32 %d acq_rel",
            |item, bins, _| {
                let [a, b, _, d] = places_apart(item);
                for (place, by) in [(d, a), (a, b), (b, (item as u32).wrapping_neg()), (a, d)] {
                    bins[place as usize] = bins[place as usize].wrapping_add(by);
                }
            },
        ),
        // One of them is stored as well, and what it is not added to.
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 1 monotonic
            %o1 = atomicrmw add BINS_AT_b, i32 1 monotonic
            store i32 %c, ptr addrspace(1) %keep
            %o2 = atomicrmw add BINS_AT_c, i32 1 monotonic
            %o3 = atomicrmw add BINS_AT_d, i32 1 monotonic",
            |item, bins, kept| {
                let places = places_apart(item);
                places.into_iter().for_each(|place| bins[place as usize] += 1);
                *kept = places[2];
            },
        ),
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 1 monotonic
            %o1 = atomicrmw add BINS_AT_b, i32 1 monotonic
            %o2 = atomicrmw add BINS_AT_c, i32 1 monotonic
            %o3 = atomicrmw add BINS_AT_d, i32 %b monotonic
            %ab = add i32 %a, %b
            store i32 %ab, ptr addrspace(1) %keep",
            |item, bins, kept| {
                let [a, b, c, d] = places_apart(item);
                for (place, by) in [(a, 1), (b, 1), (c, 1), (d, b)] {
                    bins[place as usize] += by;
                }
                *kept = a + b;
            },
        ),
        // One place that all change comes between.
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 1 monotonic
            %all = getelementptr i32, BINS, i64 100
            %sum = atomicrmw add SPACE %all, i32 %word monotonic
            %o1 = atomicrmw add BINS_AT_b, i32 1 monotonic
            %o2 = atomicrmw add BINS_AT_c, i32 1 monotonic
            %sum2 = atomicrmw add SPACE %all, i32 1 monotonic
            %o3 = atomicrmw add BINS_AT_d, i32 1 monotonic",
            |item, bins, _| {
                places_apart(item).into_iter().for_each(|place| bins[place as usize] += 1);
                bins[100] += item as u32 + 1;
            },
        ),
    ];
    // The four elements may be the same place.
    fn places_apart(item: usize) -> [u32; 4] {
        let number = (item as u32).wrapping_mul(0x9e37_79b9);
        [number >> 30, number >> 26 & 3, number >> 20 & 7, 5 + (number >> 29)]
    }
    assert_does(&at_places(changes).each_ref().map(|(text, does)| (&**text, *does)), places_apart);
}

/// The changes, with `BINS_AT_x` for the address of the place `x`.
fn at_places<const N: usize>(changes: [(&str, Does); N]) -> [(String, Does); N] {
    changes.map(|(text, does)| (text.replace("BINS_AT_", "SPACE %p"), does))
}

#[test]
fn work_items_see_in_order_what_they_change_atomically_themselves() {
    // Each work-item's four numbers are its place, which the compiler cannot know: the order is that of the work-item.
    let changes: [(&str, Does); 26] = [
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            %o1 = atomicrmw xor BINS_AT_b, i32 77 monotonic
            %o2 = atomicrmw umax BINS_AT_c, i32 40 monotonic
            %o3 = atomicrmw sub BINS_AT_d, i32 3 monotonic",
            |item, bins, _| bins[item] = ((bins[item] + 5) ^ 77).max(40) - 3,
        ),
        // What is loaded between is what the one before left.
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            %y = load i32, SPACE %own
            %o1 = atomicrmw add BINS_AT_b, i32 %y monotonic
            %z = load i32, SPACE %own
            %o2 = atomicrmw xor BINS_AT_c, i32 %z monotonic
            %o3 = atomicrmw or BINS_AT_d, i32 9 monotonic",
            |item, bins, _| bins[item] = 9,
        ),
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            %y = load i32, SPACE %own
            %o1 = atomicrmw xor BINS_AT_b, i32 77 monotonic
            %o2 = atomicrmw add BINS_AT_c, i32 %y monotonic",
            |item, bins, _| bins[item] = ((bins[item] + 5) ^ 77) + bins[item] + 5,
        ),
        // What is loaded before is not.
        (
            "%z = load i32, SPACE %own
            FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            %o1 = atomicrmw add BINS_AT_b, i32 %z monotonic",
            |item, bins, _| bins[item] = 2 * bins[item] + 5,
        ),
        (
            "FOUR
            %z = load i32, SPACE %own
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            %o1 = atomicrmw xor BINS_AT_b, i32 %word monotonic
            %o2 = atomicrmw add BINS_AT_c, i32 %z monotonic",
            |item, bins, _| bins[item] = ((bins[item] + 5) ^ item as u32) + bins[item],
        ),
        (
            "FOUR
            %z = load i32, SPACE %own
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            %y = load i32, SPACE %own
            %o1 = atomicrmw xor BINS_AT_b, i32 %z monotonic
            %zy = sub i32 %z, %y
            %o2 = atomicrmw add BINS_AT_c, i32 %zy monotonic",
            |item, bins, _| bins[item] = ((bins[item] + 5) ^ bins[item]).wrapping_sub(5),
        ),
        // Others than atomic operations need what is loaded between or before.
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            %y = load i32, SPACE %own
            %o1 = atomicrmw add BINS_AT_b, i32 %y monotonic
            store i32 %y, ptr addrspace(1) %keep",
            |item, bins, kept| {
                *kept = bins[item] + 5;
                bins[item] = 2 * *kept;
            },
        ),
        (
            "FOUR
            %z = load i32, SPACE %own
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            %o1 = atomicrmw add BINS_AT_b, i32 %z monotonic
            store i32 %z, ptr addrspace(1) %keep",
            |item, bins, kept| {
                *kept = bins[item];
                bins[item] = 2 * bins[item] + 5;
            },
        ),
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            %y = load i32, SPACE %own
            %o1 = atomicrmw add BINS_AT_b, i32 6 monotonic
            %z = load i32, SPACE %own
            %o2 = atomicrmw add BINS_AT_c, i32 7 monotonic
            %yz = mul i32 %y, %z
            store i32 %yz, ptr addrspace(1) %keep",
            |item, bins, kept| {
                *kept = (bins[item] + 5) * (bins[item] + 11);
                bins[item] += 18;
            },
        ),
        // They find what the ones before left.
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            %o1 = atomicrmw xor BINS_AT_b, i32 %o0 monotonic
            %o2 = atomicrmw add BINS_AT_c, i32 1 monotonic",
            |item, bins, _| bins[item] = ((bins[item] + 5) ^ bins[item]) + 1,
        ),
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            %o1 = atomicrmw add BINS_AT_b, i32 %c monotonic
            %o2 = atomicrmw sub BINS_AT_c, i32 1 monotonic
            store i32 %o1, ptr addrspace(1) %keep",
            |item, bins, kept| {
                *kept = bins[item] + 5;
                bins[item] += 4 + item as u32;
            },
        ),
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            %o1 = atomicrmw xor BINS_AT_b, i32 3 monotonic
            %o2 = atomicrmw add BINS_AT_c, i32 1 monotonic
            store i32 %o2, ptr addrspace(1) %keep",
            |item, bins, kept| {
                *kept = (bins[item] + 5) ^ 3;
                bins[item] = *kept + 1;
            },
        ),
        (
            "FOUR
            %o0 = atomicrmw xchg BINS_AT_a, i32 5 monotonic
            %o1 = atomicrmw xor BINS_AT_b, i32 3 monotonic
            %o2 = atomicrmw add BINS_AT_c, i32 1 monotonic
            store i32 %o0, ptr addrspace(1) %keep",
            |item, bins, kept| {
                *kept = bins[item];
                bins[item] = 7;
            },
        ),
        // A comparison by what was loaded before or between.
        (
            "FOUR
            %z = load i32, SPACE %own
            %o0 = atomicrmw add BINS_AT_a, i32 0 monotonic
            %o1 = cmpxchg BINS_AT_b, i32 %z, i32 900 monotonic monotonic
            %o2 = atomicrmw add BINS_AT_c, i32 1 monotonic",
            |item, bins, _| bins[item] = 901,
        ),
        (
            "FOUR
            %z = load i32, SPACE %own
            %o0 = atomicrmw add BINS_AT_a, i32 1 monotonic
            %o1 = cmpxchg BINS_AT_b, i32 %z, i32 900 seq_cst monotonic
            %y = load i32, SPACE %own
            %o2 = cmpxchg BINS_AT_c, i32 %y, i32 %word seq_cst monotonic
            %flag = extractvalue { i32, i1 } %o2, 1
            %was = extractvalue { i32, i1 } %o2, 0
            %kept = select i1 %flag, i32 %was, i32 777
            store i32 %kept, ptr addrspace(1) %keep",
            |item, bins, kept| {
                *kept = bins[item] + 1;
                bins[item] = item as u32;
            },
        ),
        // Something else that changes memory comes between.
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            store i32 9, SPACE %own
            %o1 = atomicrmw add BINS_AT_b, i32 1 monotonic
            %o2 = atomicrmw xor BINS_AT_c, i32 3 monotonic
            %o3 = atomicrmw add BINS_AT_d, i32 2 monotonic",
            |item, bins, _| bins[item] = 11,
        ),
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            store i32 9, SPACE %own
            %o1 = atomicrmw add BINS_AT_b, i32 1 monotonic
            %y = load i32, SPACE %own
            store i32 %y, SPACE %other
            %o2 = atomicrmw add BINS_AT_c, i32 %y monotonic
            %o3 = atomicrmw add BINS_AT_d, i32 1 monotonic",
            |item, bins, _| {
                bins[64 + item] = 10;
                bins[item] = 21;
            },
        ),
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            fence seq_cst
            %y = load atomic i32, SPACE %own monotonic, align 4
            %o1 = atomicrmw add BINS_AT_b, i32 %y monotonic
            %z = load volatile i32, SPACE %own
            %o2 = atomicrmw volatile add BINS_AT_c, i32 %z monotonic
            %o3 = atomicrmw add BINS_AT_d, i32 1 monotonic",
            |item, bins, _| bins[item] = 4 * (bins[item] + 5) + 1,
        ),
        // The place of the next is what the one before left.
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 1 monotonic
            %y = load i32, SPACE %own
            %less = sub i32 %y, 1
            %low = and i32 %less, 63
            %high = or i32 %low, 64
            %far = zext i32 %high to i64
            %pfar = getelementptr i32, BINS, i64 %far
            %o1 = atomicrmw add SPACE %pfar, i32 %y monotonic
            %o2 = atomicrmw add BINS_AT_b, i32 %y monotonic",
            |item, bins, _| {
                let next = bins[item] + 1;
                bins[64 + item] += next;
                bins[item] += 1 + next;
            },
        ),
        // Lanes load at places of their own.
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            %y = load i32, BINS_AT_c
            %o1 = atomicrmw add BINS_AT_b, i32 %y monotonic
            %z = load i32, BINS_AT_d
            %o2 = atomicrmw add BINS_AT_c, i32 %z monotonic",
            |item, bins, _| bins[item] = 4 * (bins[item] + 5),
        ),
        (
            "FOUR
            %z = load i32, BINS_AT_c
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            %o1 = atomicrmw add BINS_AT_b, i32 %z monotonic",
            |item, bins, _| bins[item] = 2 * bins[item] + 5,
        ),
        // Each number is loaded by itself, from two places.
        (
            "%q = getelementptr i32, BINS, i64 %j
            %z = load i32, SPACE %q
            FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 %z monotonic
            %e = add i64 %na, 64
            %pe = getelementptr i32, BINS, i64 %e
            %o1 = atomicrmw add SPACE %pe, i32 3 monotonic
            %y = load i32, SPACE %q
            %o2 = atomicrmw xor BINS_AT_b, i32 %y monotonic
            %o3 = atomicrmw sub SPACE %pe, i32 %d monotonic",
            |item, bins, _| {
                let other = bins[64 + item];
                bins[item] = (bins[item] + other) ^ (other + 3);
                bins[64 + item] = (other + 3).wrapping_sub(item as u32);
            },
        ),
        // Numbers that wrap, and such as advance by a stride.
        (
            "FOUR
            %narrow = trunc i64 %i to i8
            %turned = mul i8 %narrow, 37
            %wraps = zext i8 %turned to i32
            %o0 = atomicrmw add BINS_AT_a, i32 %wraps monotonic
            %o1 = atomicrmw xor BINS_AT_b, i32 %wraps monotonic
            %o2 = atomicrmw add BINS_AT_c, i32 %word monotonic
            store i32 %wraps, ptr addrspace(1) %keep",
            |item, bins, kept| {
                let wraps = (item as u32 * 37) & 255;
                bins[item] = ((bins[item] + wraps) ^ wraps) + item as u32;
                *kept = wraps;
            },
        ),
        // In a loop.
        (
            "br label %loop
            loop: %n = phi i32 [0, %go], [%next, %loop]
            %sum = phi i32 [0, %go], [%more, %loop]
            FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 %n monotonic
            %y = load i32, SPACE %own
            %o1 = atomicrmw add BINS_AT_b, i32 %y monotonic
            %o2 = atomicrmw xor BINS_AT_c, i32 %sum monotonic
            %more = add i32 %sum, %d
            %next = add i32 %n, 1
            %on = icmp ult i32 %next, 3
            br i1 %on, label %loop, label %over
            over: store i32 %more, ptr addrspace(1) %keep",
            |item, bins, kept| {
                for n in 0..3 {
                    bins[item] = (2 * (bins[item] + n)) ^ (n * item as u32);
                }
                *kept = 3 * item as u32;
            },
        ),
        // As many turns as a number says that work-items load.
        (
            "%m = load i32, ptr addrspace(1) %keep
            %turns = and i32 %m, 7
            br label %loop
            loop: %n = phi i32 [0, %go], [%next, %loop]
            FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 %n monotonic
            %y = load i32, SPACE %own
            %o1 = atomicrmw add BINS_AT_b, i32 %y monotonic
            %z = load i32, SPACE %own
            %zy = xor i32 %z, %y
            %o2 = atomicrmw xor BINS_AT_c, i32 %zy monotonic
            %next = add i32 %n, 1
            %on = icmp ule i32 %next, %turns
            br i1 %on, label %loop, label %over
            over: ",
            |item, bins, kept| {
                for n in 0..=(*kept & 7) {
                    let y = bins[item] + n;
                    let z = 2 * y;
                    bins[item] = z ^ (z ^ y);
                }
            },
        ),
        // What the first lane needs is loaded from where others change.
        (
            "FOUR
            %o0 = atomicrmw add BINS_AT_a, i32 5 monotonic
            %m17 = getelementptr i32, BINS, i64 120
            %u = load i32, SPACE %m17
            %o1 = atomicrmw add BINS_AT_b, i32 %u monotonic
            %v = load <2 x i32>, SPACE %m17, align 4
            %v1 = extractelement <2 x i32> %v, i64 1
            %o2 = atomicrmw add BINS_AT_c, i32 %v1 monotonic",
            |item, bins, _| bins[item] += 5 + bins[120] + bins[121],
        ),
    ];
    let own_place = |item: usize| [item as u32; 4];
    assert_does(&at_places(changes).each_ref().map(|(text, does)| (&**text, *does)), own_place);
}

#[test]
fn one_work_item_sees_its_own_atomic_changes_where_all_would_look() {
    // Only the work-item in place 17 changes anything, so others load what is there before.
    let body = |between: &str, by: &str| {
        format!(
            "define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) {{
            start: %i = call i64 @oxicl.local_id(i32 0)
            %takes = icmp eq i64 %i, 17
            br i1 %takes, label %go, label %gone
            go: {}
            %same = getelementptr i32, ptr addrspace(1) %out, i64 17
            %o0 = atomicrmw add ptr addrspace(1) %pa, i32 5 monotonic
            {between}
            %o1 = atomicrmw add ptr addrspace(1) %pb, i32 {by} monotonic
            br label %gone
            gone: ret void }}",
            four_places("ptr addrspace(1) %out")
        )
    };
    let vectors: Vec<[u32; 4]> = (0..40).map(|item| [item; 4]).collect();
    for (between, by, expected) in [
        ("%y = load i32, ptr addrspace(1) %same", "%y", 44),
        ("%y = load i32, ptr addrspace(1) %same %z = add i32 %y, %c", "%z", 61),
        ("", "%d", 39),
    ] {
        for mode in MODES.into_iter().chain(GANGS) {
            let library = build(&body(between, by), &[global(), argument(ArgumentKind::Global, 8, 8)], mode);
            let out = run_from(&library, line(40, 40), (0..40).collect(), &(vectors.as_ptr() as u64).to_le_bytes());
            let all: Vec<u32> = (0..40).map(|item| if item == 17 { expected } else { item }).collect();
            assert_eq!(out, all, "{between}, {mode:?}");
        }
    }
}

#[test]
fn each_finds_another_old_value_where_several_atomic_operations_follow_each_other() {
    // Only the last operation changes the numbers behind the first 16, and what it finds is kept.
    let body = |third: &str| {
        format!(
            "define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) {{
            start: %i = call i64 @oxicl.global_id(i32 0)
            %k = add i64 %i, 32
            %keep = getelementptr i32, ptr addrspace(1) %out, i64 %k
            %third = urem i64 %i, 3
            %takes = icmp ne i64 %third, {third}
            br i1 %takes, label %go, label %gone
            go: {}
            %o0 = atomicrmw add ptr addrspace(1) %pa, i32 1 monotonic
            %o1 = atomicrmw add ptr addrspace(1) %pb, i32 1 monotonic
            %o2 = atomicrmw add ptr addrspace(1) %pc, i32 1 monotonic
            %o3 = atomicrmw add ptr addrspace(1) %pd, i32 1 monotonic
            store i32 %o3, ptr addrspace(1) %keep
            br label %gone
            gone: ret void }}",
            four_places("ptr addrspace(1) %out")
        )
    };
    let vector = |item: u32| [item % 7, item % 3, item % 16, 16 + item * 5 % 4];
    let vectors: Vec<[u32; 4]> = (0..74).map(vector).collect();
    for (third, skipped) in [("1", 1), ("3", 3)] {
        let items = || (0..74u32).filter(|item| item % 3 != skipped);
        let mut bins = vec![0u32; 32];
        items().flat_map(vector).for_each(|place| bins[place as usize] += 1);
        for mode in MODES.into_iter().chain(GANGS) {
            let library = build(&body(third), &[global(), argument(ArgumentKind::Global, 8, 8)], mode);
            let out = run_from(&library, line(74, 37), vec![0; 106], &(vectors.as_ptr() as u64).to_le_bytes());
            assert_eq!(out[..32], bins, "{mode:?}");
            for bin in 16..20 {
                let mut found: Vec<u32> =
                    items().filter(|item| vector(*item)[3] == bin).map(|item| out[32 + item as usize]).collect();
                found.sort_unstable();
                assert_eq!(found, (0..bins[bin as usize]).collect::<Vec<_>>(), "place {bin}, {mode:?}");
            }
        }
    }
}

#[test]
fn a_barrier_parts_atomic_operations_that_need_the_same() {
    let body = format!(
        "@bins = internal addrspace(3) global [64 x i32] undef, align 4
        define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) {{
        %i = call i64 @oxicl.local_id(i32 0)
        %own = getelementptr i32, ptr addrspace(3) @bins, i64 %i
        store i32 0, ptr addrspace(3) %own
        {BARRIER}
        {}
        %o0 = atomicrmw add ptr addrspace(3) %pa, i32 %b monotonic
        %o1 = atomicrmw add ptr addrspace(3) %pb, i32 1 monotonic
        {BARRIER}
        %y = load i32, ptr addrspace(3) %own
        {BARRIER}
        %o2 = atomicrmw add ptr addrspace(3) %pc, i32 %y monotonic
        %o3 = atomicrmw sub ptr addrspace(3) %pd, i32 %a monotonic
        {BARRIER}
        %z = load i32, ptr addrspace(3) %own
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        store i32 %z, ptr addrspace(1) %p
        ret void }}",
        four_places("ptr addrspace(3) @bins")
    );
    let vector = |item: u32| [item * 7 % 5, item % 11, item * 3 % 37, item % 2];
    let vectors: Vec<[u32; 4]> = (0..37).map(vector).collect();
    let mut bins = vec![0u32; 37];
    for [a, b, ..] in &vectors {
        bins[*a as usize] += b;
        bins[*b as usize] += 1;
    }
    let between = bins.clone();
    for ([a, _, c, d], found) in vectors.iter().zip(&between) {
        bins[*c as usize] = bins[*c as usize].wrapping_add(*found);
        bins[*d as usize] = bins[*d as usize].wrapping_sub(*a);
    }
    for mode in MODES.into_iter().chain(GANGS) {
        let library = build(&body, &[global(), argument(ArgumentKind::Global, 8, 8)], mode);
        let out = run_from(&library, line(37, 37), vec![0; 37], &(vectors.as_ptr() as u64).to_le_bytes());
        assert_eq!(out, bins, "{mode:?}");
    }
}
