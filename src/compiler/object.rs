//! Links ELF objects of the code generator to an [`Image`]: lays out sections, and applies relocations.
//!
//! The relocations that are left are 64-bit words in the data that hold addresses in the image. Anything else that an
//! object may ask for (undefined symbols, writable data, relocations of other kinds) is an error that names it.

use std::collections::HashMap;

use object::elf::{FileHeader64, R_X86_64_64, R_X86_64_PC32, R_X86_64_PC64, R_X86_64_PLT32};
use object::read::elf::ElfFile;
use object::{
    LittleEndian, Object, ObjectSection, ObjectSymbol, Relocation, RelocationFlags, RelocationTarget, SymbolSection,
};
use oxicl_abi::{Image, KernelFacts};

use crate::layout::{Layout, Section, SectionId};

type Elf<'data> = ElfFile<'data, FileHeader64<LittleEndian>>;

/// Names that an object uses and does not define.
///
/// # Errors
/// The object cannot be read.
pub fn undefined(bytes: &[u8]) -> Result<Vec<String>, String> {
    let elf = parse(bytes)?;
    let undefined = elf.symbols().filter(|symbol| symbol.is_undefined());
    Ok(undefined.filter_map(|symbol| symbol.name().ok().filter(|name| !name.is_empty()).map(str::to_owned)).collect())
}

/// Makes an image of `objects`, which may use what any of them defines; of several definitions the first counts. Each
/// kernel comes with the name of its entry function; `entry` of its facts is set here. Sections that no kernel reaches
/// are left out.
///
/// # Errors
/// One sentence that names the symbol, section or relocation at fault.
pub fn finish(objects: &[&[u8]], kernels: Vec<(String, KernelFacts)>) -> Result<Image, String> {
    let files = Files::parse(objects)?;
    let mut roots = Vec::new();
    for (function, _) in &kernels {
        let place = files.global(function);
        roots.push(place.ok_or_else(|| format!("the object file has no function '{function}'"))?);
    }
    let layout = Layout::new(files.reach(&roots)?)?;
    let mut linker = Linker { layout, fixups: Vec::new() };
    for id in linker.layout.sections() {
        for (offset, relocation) in files.relocations(id)? {
            let target = files.resolve(id.0, &relocation)?;
            linker.apply(id, offset, &relocation, target)?;
        }
    }
    linker.fixups.sort_unstable();
    let mut facts = Vec::with_capacity(kernels.len());
    for ((_, kernel), root) in kernels.into_iter().zip(roots) {
        facts.push(KernelFacts { entry: linker.layout.address(root.section)? + root.offset, ..kernel });
    }
    let (code, data) = linker.layout.into_parts();
    Ok(Image { code, data, fixups: linker.fixups, kernels: facts, ..Image::default() })
}

fn parse(bytes: &[u8]) -> Result<Elf<'_>, String> {
    Elf::parse(bytes).map_err(|error| format!("the object file cannot be read: {error}"))
}

/// A byte of a section.
#[derive(Clone, Copy)]
struct Place {
    section: SectionId,
    offset: u64,
}

/// The objects, and what they define for each other.
struct Files<'data> {
    files: Vec<Elf<'data>>,
    globals: HashMap<String, Place>,
}

impl<'data> Files<'data> {
    fn parse(objects: &[&'data [u8]]) -> Result<Self, String> {
        let mut files = Files { files: Vec::new(), globals: HashMap::new() };
        for (number, bytes) in objects.iter().enumerate() {
            let elf = parse(bytes)?;
            for symbol in elf.symbols().filter(|symbol| symbol.is_global() && symbol.is_definition()) {
                if let (Ok(name), SymbolSection::Section(index)) = (symbol.name(), symbol.section()) {
                    let place = Place { section: SectionId(number, index), offset: symbol.address() };
                    files.globals.entry(name.to_owned()).or_insert(place);
                }
            }
            files.files.push(elf);
        }
        Ok(files)
    }

    fn global(&self, name: &str) -> Option<Place> {
        self.globals.get(name).copied()
    }

    fn file(&self, number: usize) -> Result<&Elf<'data>, String> {
        self.files.get(number).ok_or_else(|| "an object file is missing".into())
    }

    /// The relocations of a section.
    fn relocations(&self, id: SectionId) -> Result<Vec<(u64, Relocation)>, String> {
        let section = self.file(id.0)?.section_by_index(id.1);
        Ok(section.map_err(|error| format!("a section cannot be read: {error}"))?.relocations().collect())
    }

    /// What a relocation in file `number` points to, without its addend.
    fn resolve(&self, number: usize, relocation: &Relocation) -> Result<Place, String> {
        let index = match relocation.target() {
            RelocationTarget::Symbol(index) => index,
            RelocationTarget::Section(section) => {
                return Ok(Place { section: SectionId(number, section), offset: 0 });
            }
            other => return Err(format!("a relocation has the target {other:?}")),
        };
        let symbol = self.file(number)?.symbol_by_index(index);
        let symbol = symbol.map_err(|error| format!("a symbol cannot be read: {error}"))?;
        let name = symbol.name().ok().filter(|name| !name.is_empty()).unwrap_or("without name");
        match symbol.section() {
            SymbolSection::Section(section) => {
                Ok(Place { section: SectionId(number, section), offset: symbol.address() })
            }
            SymbolSection::Undefined => self.global(name).ok_or_else(|| format!("undefined symbol '{name}'")),
            _ => Err(format!("symbol '{name}' lies in no section")),
        }
    }

    /// The sections that `roots` need, in the objects' order.
    fn reach(&self, roots: &[Place]) -> Result<Vec<Section<'data>>, String> {
        let mut found: HashMap<SectionId, Section<'data>> = HashMap::new();
        let mut pending: Vec<SectionId> = roots.iter().map(|place| place.section).collect();
        while let Some(id) = pending.pop() {
            if found.contains_key(&id) {
                continue;
            }
            found.insert(id, Section::read(self.file(id.0)?, id)?);
            for (_, relocation) in self.relocations(id)? {
                pending.push(self.resolve(id.0, &relocation)?.section);
            }
        }
        let mut sections: Vec<Section<'data>> = found.into_values().collect();
        sections.sort_by_key(|section| (section.id.0, section.id.1.0));
        Ok(sections)
    }
}

struct Linker {
    layout: Layout,
    fixups: Vec<u64>,
}

impl Linker {
    /// Applies one relocation at `offset` of a section.
    fn apply(&mut self, id: SectionId, offset: u64, relocation: &Relocation, target: Place) -> Result<(), String> {
        let at = self.layout.address(id)?.wrapping_add(offset);
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
            R_X86_64_64 if !self.layout.is_code(id) => {
                self.fixups.push(at);
                self.layout.write(at, &value.to_le_bytes())
            }
            R_X86_64_64 => Err("an address stands in the code, which is not position-independent".into()),
            other => Err(format!("relocations of type {other:?} are not supported")),
        }
    }
}
