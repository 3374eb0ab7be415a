//! An ELF object of the code generator made into an [`Image`]: sections laid out, relocations applied.
//!
//! What is left of the relocations are 64-bit words in the data that hold addresses in the image. Whatever else an object
//! may ask for (undefined symbols, writable data, relocations of other kinds) is an error that names it.

use std::collections::HashMap;

use object::elf::{FileHeader64, R_X86_64_64, R_X86_64_PC32, R_X86_64_PC64, R_X86_64_PLT32};
use object::read::elf::ElfFile;
use object::{
    LittleEndian, Object, ObjectSection, ObjectSymbol, Relocation, RelocationFlags, RelocationTarget, SectionIndex,
    SymbolSection,
};
use oxicl_protocol::{Image, KernelFacts};

use crate::layout::{Layout, Section};

type Elf<'data> = ElfFile<'data, FileHeader64<LittleEndian>>;

/// Makes an image of `bytes`. Each kernel comes with the name of its entry function; `entry` of its facts is set here.
/// What no kernel reaches is left out, by section.
///
/// # Errors
/// One sentence that names the symbol, section or relocation at fault.
pub fn finish(bytes: &[u8], kernels: Vec<(String, KernelFacts)>) -> Result<Image, String> {
    let elf = Elf::parse(bytes).map_err(|error| format!("the object file cannot be read: {error}"))?;
    let mut roots = Vec::new();
    for (function, _) in &kernels {
        let symbol = elf.symbols().find(|symbol| symbol.name() == Ok(function) && symbol.is_definition());
        let symbol = symbol.ok_or_else(|| format!("the object file has no function '{function}'"))?;
        roots.push(Place { section: section_of(&elf, symbol)?, offset: symbol.address() });
    }
    let layout = Layout::new(reach(&elf, &roots)?)?;
    let mut linker = Linker { layout, fixups: Vec::new() };
    for index in linker.layout.indices() {
        for (offset, relocation) in relocations(&elf, index)? {
            let target = resolve(&elf, &relocation)?;
            linker.apply(index, offset, &relocation, target)?;
        }
    }
    linker.fixups.sort_unstable();
    let mut facts = Vec::with_capacity(kernels.len());
    for ((_, kernel), root) in kernels.into_iter().zip(roots) {
        facts.push(KernelFacts { entry: linker.layout.address(root.section)? + root.offset, ..kernel });
    }
    let (code, data) = linker.layout.into_parts();
    Ok(Image { code, data, fixups: linker.fixups, kernels: facts })
}

/// A byte of a section.
#[derive(Clone, Copy)]
struct Place {
    section: SectionIndex,
    offset: u64,
}

/// The section that defines `symbol`.
fn section_of<'data>(elf: &Elf<'data>, symbol: impl ObjectSymbol<'data>) -> Result<SectionIndex, String> {
    let name = || match symbol.name() {
        Ok(name) if !name.is_empty() => name.to_owned(),
        _ => "without name".to_owned(),
    };
    match symbol.section() {
        SymbolSection::Section(index) if elf.section_by_index(index).is_ok() => Ok(index),
        SymbolSection::Undefined => Err(format!("undefined symbol '{}'", name())),
        _ => Err(format!("symbol '{}' lies in no section", name())),
    }
}

/// The relocations of a section. Sections that an object omits have none.
fn relocations(elf: &Elf<'_>, index: SectionIndex) -> Result<Vec<(u64, Relocation)>, String> {
    let section = elf.section_by_index(index).map_err(|error| format!("a section cannot be read: {error}"))?;
    Ok(section.relocations().collect())
}

/// What a relocation points to, without its addend.
fn resolve(elf: &Elf<'_>, relocation: &Relocation) -> Result<Place, String> {
    match relocation.target() {
        RelocationTarget::Symbol(index) => {
            let symbol = elf.symbol_by_index(index).map_err(|error| format!("a symbol cannot be read: {error}"))?;
            let offset = symbol.address();
            Ok(Place { section: section_of(elf, symbol)?, offset })
        }
        RelocationTarget::Section(section) => Ok(Place { section, offset: 0 }),
        other => Err(format!("a relocation has the target {other:?}")),
    }
}

/// The sections that `roots` need, in the object's order.
fn reach<'data>(elf: &Elf<'data>, roots: &[Place]) -> Result<Vec<Section<'data>>, String> {
    let mut found: HashMap<usize, Section<'data>> = HashMap::new();
    let mut pending: Vec<SectionIndex> = roots.iter().map(|place| place.section).collect();
    while let Some(index) = pending.pop() {
        if found.contains_key(&index.0) {
            continue;
        }
        found.insert(index.0, Section::read(elf, index)?);
        for (_, relocation) in relocations(elf, index)? {
            pending.push(resolve(elf, &relocation)?.section);
        }
    }
    let mut sections: Vec<Section<'data>> = found.into_values().collect();
    sections.sort_by_key(|section| section.index.0);
    Ok(sections)
}

struct Linker {
    layout: Layout,
    fixups: Vec<u64>,
}

impl Linker {
    /// Applies one relocation at `offset` of section `index`.
    fn apply(
        &mut self,
        index: SectionIndex,
        offset: u64,
        relocation: &Relocation,
        target: Place,
    ) -> Result<(), String> {
        let at = self.layout.address(index)?.wrapping_add(offset);
        let value =
            self.layout.address(target.section)?.wrapping_add(target.offset).wrapping_add_signed(relocation.addend());
        let kind = match relocation.flags() {
            RelocationFlags::Elf { r_type } => r_type,
            _ => return Err("a relocation is not of the ELF format".into()),
        };
        match kind {
            R_X86_64_PC32 | R_X86_64_PLT32 => {
                let distance = i32::try_from(value.wrapping_sub(at) as i64)
                    .map_err(|_| "the code is too large for near references".to_owned())?;
                self.layout.write(at, &distance.to_le_bytes())
            }
            R_X86_64_PC64 => self.layout.write(at, &value.wrapping_sub(at).to_le_bytes()),
            R_X86_64_64 if !self.layout.is_code(index) => {
                self.fixups.push(at);
                self.layout.write(at, &value.to_le_bytes())
            }
            R_X86_64_64 => Err("an address stands in the code, which is not position-independent".into()),
            other => Err(format!("relocations of type {other:?} are not supported")),
        }
    }
}
