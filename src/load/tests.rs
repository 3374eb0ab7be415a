//! Loads hand-made images; malformed ones are refused.
#![allow(unsafe_code, reason = "the tests call what they loaded")]

use oxicl_abi::{GroupRecord, Image, KernelFacts, LaunchRecord, PAGE};

use crate::{LoadError, load};

fn facts(entry: u64) -> KernelFacts {
    KernelFacts { name: "k".into(), entry, lanes: 1, sub_group_size: 8, ..KernelFacts::default() }
}

fn image() -> Image {
    // mov rax, [rip + data]; mov eax, [rax + 8]; mov [rsi], eax; ret - where data[0] is a pointer to data.
    let displacement = (PAGE as u32 - 7).to_le_bytes();
    let mut code = vec![0x48, 0x8b, 0x05];
    code.extend(displacement);
    code.extend([0x8b, 0x40, 0x08, 0x89, 0x06, 0xc3]);
    let mut data = (PAGE as u64).to_le_bytes().to_vec();
    data.extend(0x1234_5678_u32.to_le_bytes());
    Image { code, data, fixups: vec![PAGE as u64], kernels: vec![facts(0)], ..Image::default() }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn code_runs_and_reads_its_data_through_a_fixed_up_pointer() {
    let loaded = load(&image()).expect("a good image");
    let entry = loaded.entry(0).expect("an entry inside the code");
    let mut context = [0_u8; 8];
    let record = LaunchRecord::default();
    // SAFETY: the code above reads its own data and writes four bytes to the context.
    unsafe { entry(&record, context.as_mut_ptr(), &GroupRecord::default()) };
    assert_eq!(context, [0x78, 0x56, 0x34, 0x12, 0, 0, 0, 0]);
}

#[test]
fn nothing_is_writable_and_executable_at_once() {
    let loaded = load(&image()).expect("a good image");
    let base = loaded.entry(0).expect("an entry") as usize;
    let protections = |address: usize| {
        std::fs::read_to_string("/proc/self/maps").expect("maps").lines().find_map(|line| {
            let (range, rest) = line.split_once(' ')?;
            let (low, high) = range.split_once('-')?;
            let low = usize::from_str_radix(low, 16).ok()?;
            let high = usize::from_str_radix(high, 16).ok()?;
            (low..high).contains(&address).then(|| rest[..4].to_owned())
        })
    };
    assert_eq!(protections(base).as_deref(), Some("r-xp"));
    assert_eq!(protections(base + PAGE).as_deref(), Some("r--p"));
    assert_eq!(loaded.bytes(), 2 * PAGE);
}

#[test]
fn images_are_unmapped_on_drop() {
    // The system allows a process 65,530 mappings unless told otherwise.
    let image = image();
    for _ in 0..70_000 {
        load(&image).expect("earlier images are gone");
    }
}

#[test]
fn an_entry_outside_the_code_is_not_handed_out() {
    let loaded = load(&image()).expect("a good image");
    assert!(loaded.entry(13).is_none());
    assert!(loaded.entry(u64::MAX).is_none());
}

#[test]
fn malformed_images_are_refused() {
    type Spoil = fn(&mut Image);
    let cases: [(&str, Spoil); 9] = [
        ("no code", |i| i.code.clear()),
        ("entry behind the code", |i| i.kernels[0].entry = 13),
        ("entry far away", |i| i.kernels[0].entry = u64::MAX),
        ("fix-up in the code", |i| i.fixups[0] = 0),
        ("fix-up across the end", |i| i.fixups[0] = PAGE as u64 + 5),
        ("fix-up far away", |i| i.fixups[0] = u64::MAX - 3),
        ("fix-up twice", |i| i.fixups = vec![PAGE as u64; 2]),
        ("pointer out of the image", |i| i.data[..8].copy_from_slice(&u64::MAX.to_le_bytes())),
        ("no lanes", |i| i.kernels[0].lanes = 0),
    ];
    for (what, spoil) in cases {
        let mut image = image();
        spoil(&mut image);
        assert!(load(&image).is_err(), "{what} was accepted");
    }
}

#[test]
fn an_image_without_data_loads() {
    let image = Image { code: vec![0xc3], kernels: vec![facts(0)], ..Image::default() };
    assert_eq!(load(&image).expect("a good image").bytes(), PAGE);
}

#[test]
fn errors_read_as_sentences() {
    assert_eq!(LoadError::Entry.to_string(), "the image has an entry point outside its code");
}
