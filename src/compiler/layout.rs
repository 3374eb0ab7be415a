//! Where the sections of an object go in an image.

use std::collections::HashMap;

use object::read::elf::{ElfFile, FileHeader};
use object::{Object, ObjectSection, SectionFlags, SectionIndex};
use oxicl_abi::PAGE;

/// Padding between functions: breakpoints, so that running off an end is noticed.
const CODE_PADDING: u8 = 0xcc;

/// A section: number of the object, and index in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SectionId(pub(crate) usize, pub(crate) SectionIndex);

/// A section that goes into the image.
pub(crate) struct Section<'data> {
    pub(crate) id: SectionId,
    code: bool,
    align: u64,
    bytes: &'data [u8],
}

impl<'data> Section<'data> {
    /// Reads a section, if an image may hold it.
    pub(crate) fn read<E: FileHeader>(elf: &ElfFile<'data, E>, id: SectionId) -> Result<Self, String> {
        let section = elf.section_by_index(id.1).map_err(|error| format!("a section cannot be read: {error}"))?;
        let name = section.name().unwrap_or("without name");
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
            return Err(format!("section {name} is not of the ELF format"));
        };
        let has = |flag: object::elf::SectionFlags| sh_flags.contains(flag);
        if !has(object::elf::SHF_ALLOC) || has(object::elf::SHF_TLS) {
            return Err(format!("section {name} cannot be part of an image"));
        }
        // Constants with addresses in them are "writable" for the loader only.
        if has(object::elf::SHF_WRITE) && !name.starts_with(".data.rel.ro") {
            return Err(format!("section {name} is writable data, which images do not have"));
        }
        let bytes = section.data().map_err(|error| format!("section {name} cannot be read: {error}"))?;
        if bytes.len() as u64 != section.size() {
            return Err(format!("section {name} has no content"));
        }
        let align = section.align().max(1);
        if !align.is_power_of_two() || align > PAGE as u64 {
            return Err(format!("section {name} asks for an alignment of {align} bytes"));
        }
        Ok(Section { id, code: has(object::elf::SHF_EXECINSTR), align, bytes })
    }
}

/// Sections with their places.
pub(crate) struct Layout {
    code: Vec<u8>,
    data: Vec<u8>,
    data_base: u64,
    /// Offset from the image's base, and whether it is code.
    places: HashMap<SectionId, (u64, bool)>,
    order: Vec<SectionId>,
}

impl Layout {
    /// Lays out `sections`: code first, data from the next page.
    pub(crate) fn new(sections: Vec<Section<'_>>) -> Result<Layout, String> {
        let mut layout = Layout {
            code: Vec::new(),
            data: Vec::new(),
            data_base: 0,
            places: HashMap::new(),
            order: sections.iter().map(|section| section.id).collect(),
        };
        for section in sections.iter().filter(|section| section.code) {
            let at = append(&mut layout.code, section, CODE_PADDING)?;
            layout.places.insert(section.id, (at, true));
        }
        layout.data_base = layout.code.len().next_multiple_of(PAGE) as u64;
        for section in sections.iter().filter(|section| !section.code) {
            let at = append(&mut layout.data, section, 0)?;
            layout.places.insert(section.id, (layout.data_base + at, false));
        }
        Ok(layout)
    }

    /// The sections, in the objects' order.
    pub(crate) fn sections(&self) -> Vec<SectionId> {
        self.order.clone()
    }

    /// Offset of a section from the image's base.
    pub(crate) fn address(&self, id: SectionId) -> Result<u64, String> {
        self.places.get(&id).map(|place| place.0).ok_or_else(|| format!("section {} is not laid out", id.1.0))
    }

    /// True for sections of code.
    pub(crate) fn is_code(&self, id: SectionId) -> bool {
        self.places.get(&id).is_some_and(|place| place.1)
    }

    /// Overwrites bytes at an offset from the image's base.
    pub(crate) fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), String> {
        let (part, at) = match at.checked_sub(self.data_base) {
            Some(inside) => (&mut self.data, inside),
            None => (&mut self.code, at),
        };
        let place = usize::try_from(at).ok().and_then(|at| part.get_mut(at..at.checked_add(bytes.len())?));
        place.ok_or("a relocation lies outside its section")?.copy_from_slice(bytes);
        Ok(())
    }

    /// Code and data.
    pub(crate) fn into_parts(self) -> (Vec<u8>, Vec<u8>) {
        (self.code, self.data)
    }
}

fn append(part: &mut Vec<u8>, section: &Section<'_>, padding: u8) -> Result<u64, String> {
    let at = part.len().next_multiple_of(section.align as usize);
    if at + section.bytes.len() > 1 << 30 {
        return Err("the code is larger than 1 GiB".into());
    }
    part.resize(at, padding);
    part.extend_from_slice(section.bytes);
    Ok(at as u64)
}
