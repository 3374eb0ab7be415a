//! Identifies a compiler: by the build id of its executable, or by a hash of the whole file if the linker left none.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::regular::{self, Links};

/// Type of the note that holds a build id.
const NT_GNU_BUILD_ID: u32 = 3;
/// Type of the program header of a note segment.
const PT_NOTE: u32 = 4;
/// A bound, in bytes, on the notes that we read: those of an executable are small.
const LARGEST_NOTES: u64 = 64 * 1024;

/// A bound, in bytes, on the executable, which is read as a whole where it has no build id.
const LARGEST_COMPILER: u64 = 4 << 30;

/// Some bytes that differ between compilers that may generate different code.
pub(crate) fn identity(path: &Path) -> io::Result<Vec<u8>> {
    let (mut file, _) = regular::open(path, Links::Follow, LARGEST_COMPILER)?;
    if let Some(id) = build_id(&mut file) {
        return Ok(id);
    }
    file.seek(SeekFrom::Start(0))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file.take(LARGEST_COMPILER))?;
    Ok(hasher.finalize().as_bytes().to_vec())
}

fn read_at(file: &mut File, at: u64, length: u64) -> Option<Vec<u8>> {
    file.seek(SeekFrom::Start(at)).ok()?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == length).then_some(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().copied().map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().copied().map(u64::from_le_bytes)
}

/// The build id of a 64-bit little-endian ELF file.
fn build_id(file: &mut File) -> Option<Vec<u8>> {
    let header = read_at(file, 0, 64)?;
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let table = u64_at(&header, 32)?;
    let size = u64::from(u16_at(&header, 54)?);
    let count = u64::from(u16_at(&header, 56)?);
    for index in 0..count {
        let entry = read_at(file, table.checked_add(index * size)?, 56)?;
        if u32_at(&entry, 0)? != PT_NOTE {
            continue;
        }
        let (at, length) = (u64_at(&entry, 8)?, u64_at(&entry, 32)?);
        if length <= LARGEST_NOTES
            && let Some(id) = read_at(file, at, length).and_then(|notes| find_note(&notes))
        {
            return Some(id);
        }
    }
    None
}

fn find_note(notes: &[u8]) -> Option<Vec<u8>> {
    let mut rest = notes;
    loop {
        let name_length = u32_at(rest, 0)? as usize;
        let length = u32_at(rest, 4)? as usize;
        let kind = u32_at(rest, 8)?;
        let content = 12_usize.checked_add(name_length.checked_next_multiple_of(4)?)?;
        let value = rest.get(content..content.checked_add(length)?)?;
        if kind == NT_GNU_BUILD_ID && rest.get(12..12 + name_length)? == b"GNU\0" && length >= 8 {
            return Some(value.to_vec());
        }
        rest = rest.get(content.checked_add(length.checked_next_multiple_of(4)?)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(kind: u32, value: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for word in [4, value.len() as u32, kind] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(b"GNU\0");
        bytes.extend(value);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    #[test]
    fn the_build_id_is_found_behind_other_notes() {
        let notes = [note(1, &[1; 6]), note(NT_GNU_BUILD_ID, &[7; 20])].concat();
        assert_eq!(find_note(&notes), Some(vec![7; 20]));
        assert_eq!(find_note(&notes[..30]), None);
        assert_eq!(find_note(&[]), None);
    }

    #[test]
    fn a_file_without_build_id_is_identified_by_its_content() {
        let path = std::env::temp_dir().join(format!("oxicl-identity-{}", std::process::id()));
        std::fs::write(&path, b"one").expect("written");
        let one = identity(&path).expect("read");
        std::fs::write(&path, b"two").expect("written");
        let two = identity(&path).expect("read");
        std::fs::remove_file(&path).expect("removed");
        assert_eq!(one.len(), 32);
        assert_ne!(one, two);
    }
}
