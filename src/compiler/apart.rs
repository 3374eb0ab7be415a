//! Functions of images are compiled apart from the kernels that call them, once for each machine, each pattern of
//! uniform arguments and each number of lanes, and kept as objects: they are large, and do not depend on their callers.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use oxicl_llvm::{Context, Linkage, Module, ObjectCode, Place, TargetMachine, Value};
use oxicl_ops::attribute;
use oxicl_ops::library::is_of_images;
use oxicl_protocol::{BuildFailure, CompileOptions};
use oxicl_workgroup::VersionName;

use crate::codegen::{self, Settings, failure};
use crate::object;

/// A bound on memory: bytes of objects that are kept, those that were used last. A function for one pattern of
/// arguments has about ten thousand.
const MOST_BYTES: usize = 8 << 20;

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

/// A compiled function, and the names of what it calls in other objects.
pub(crate) struct Part {
    pub(crate) object: ObjectCode,
    pub(crate) called: Vec<String>,
}

/// What is kept of earlier requests.
#[derive(Default)]
struct Kept {
    parts: HashMap<Settings, HashMap<String, (Rc<Part>, u64)>>,
    bytes: usize,
    /// How often something was kept or asked for.
    uses: u64,
    /// How many functions were compiled.
    compiled: u64,
}

impl Kept {
    fn get(&mut self, settings: &Settings, name: &str) -> Option<Rc<Part>> {
        self.uses += 1;
        let (part, last) = self.parts.get_mut(settings)?.get_mut(name)?;
        *last = self.uses;
        Some(Rc::clone(part))
    }

    fn keep(&mut self, settings: &Settings, name: &str, part: &Rc<Part>, most: usize) {
        self.compiled += 1;
        let bytes = part.object.bytes.len();
        if bytes > most {
            return;
        }
        self.bytes += bytes;
        self.uses += 1;
        let of_settings = self.parts.entry(settings.clone()).or_default();
        of_settings.insert(name.to_owned(), (Rc::clone(part), self.uses));
        while self.bytes > most && self.drop_oldest() {}
    }

    /// Drops the least recently used part; false if there is none.
    fn drop_oldest(&mut self) -> bool {
        let all = self.parts.iter().flat_map(|(settings, parts)| parts.iter().map(move |part| (settings, part)));
        let oldest = all.min_by_key(|(_, (_, (_, last)))| *last);
        let Some((settings, name)) = oldest.map(|(settings, (name, _))| (settings.clone(), name.clone())) else {
            return false;
        };
        let dropped = self.parts.get_mut(&settings).and_then(|parts| parts.remove(&name));
        self.parts.retain(|_, parts| !parts.is_empty());
        self.bytes -= dropped.map_or(0, |(part, _)| part.object.bytes.len());
        true
    }
}

/// How many functions this thread has compiled apart so far; for tests.
pub fn compiled() -> u64 {
    KEPT.with_borrow(|kept| kept.compiled)
}

/// Is a function of the library compiled apart?
fn is_apart(function: Value<'_>) -> bool {
    function.attribute_text(Place::Function, attribute::APART).is_some()
}

/// Links the functions of images that a kernel's module calls. Those that are compiled apart stay declarations, and get
/// the attributes that the library has of them.
///
/// # Errors
/// The embedded bitcode does not fit this LLVM.
pub(crate) fn link_images<'c>(context: &'c Context, module: &mut Module<'c>) -> Result<(), BuildFailure> {
    let library = Module::parse_bitcode_lazily(context, oxicl_builtins::images_bitcode()).map_err(failure)?;
    for function in library.functions().into_iter().filter(|function| is_apart(*function)) {
        let Some(own) = module.function(&function.name()) else { continue };
        let parameters = (0..function.parameters().len() as u32).map(Place::Parameter);
        for place in [Place::Function, Place::Return].into_iter().chain(parameters) {
            function.attributes(place).into_iter().for_each(|attribute| own.add_attribute(place, attribute));
        }
    }
    codegen::link_part(module, library)
}

/// The objects of the functions of images in `called`, and of those that they call in turn, in the order of their
/// names.
///
/// # Errors
/// A name is not known, or the function cannot be compiled.
pub(crate) fn parts(
    machine: &TargetMachine,
    settings: &Settings,
    called: &[String],
) -> Result<Vec<Rc<Part>>, BuildFailure> {
    let mut found = BTreeMap::new();
    let mut wanted = called.to_vec();
    while let Some(name) = wanted.pop() {
        if !is_of_images(&name) || found.contains_key(&name) {
            continue;
        }
        let part = match KEPT.with_borrow_mut(|kept| kept.get(settings, &name)) {
            Some(part) => part,
            None => {
                let part = Rc::new(compile(machine, settings, &name)?);
                KEPT.with_borrow_mut(|kept| kept.keep(settings, &name, &part, MOST_BYTES));
                part
            }
        };
        wanted.extend(part.called.iter().cloned());
        found.insert(name, part);
    }
    Ok(found.into_values().collect())
}

/// Compiles a function, or a version of one for gangs.
fn compile(machine: &TargetMachine, settings: &Settings, name: &str) -> Result<Part, BuildFailure> {
    let version = VersionName::parse(name);
    let scalar = version.as_ref().map_or(name, VersionName::function);
    let context = Context::new();
    context.discard_names();
    let Some(bitcode) = oxicl_builtins::apart_bitcode(scalar) else {
        return Err(failure(format!("the device library has no function '{name}' to be compiled apart")));
    };
    let mut module = Module::parse_bitcode(&context, bitcode).map_err(failure)?;
    machine.prepare(&module);
    if let Some(function) = module.function(scalar) {
        function.set_linkage(Linkage::External);
    }
    let switches = settings.switches.clone();
    let options = CompileOptions { opt_disable: settings.opt_disable, switches, ..CompileOptions::default() };
    oxicl_prepare::library_for_workgroup(&mut module, machine)?;
    if let Some(version) = &version {
        let target = codegen::at_tier(&settings.target, settings.tier);
        oxicl_workgroup::build_version(&mut module, version, &options, &target)?;
    }
    oxicl_prepare::for_codegen(&mut module, machine, &settings.target, &options, settings.tier)?;
    codegen::suit_machine(&module, settings);
    let object = machine.emit_object(&mut module).map_err(failure)?;
    let called = object::undefined(&object.bytes).map_err(failure)?;
    Ok(Part { object, called })
}

#[cfg(test)]
mod tests {
    use oxicl_protocol::Tier;
    use oxicl_target::Target;

    use super::*;

    /// Functions that are compiled apart, with the number of their arguments.
    fn functions() -> Vec<(String, usize)> {
        let context = Context::new();
        let arguments = |name: &str| {
            let bitcode = oxicl_builtins::apart_bitcode(name).expect(name);
            let module = Module::parse_bitcode(&context, bitcode).expect(name);
            let function = module.function(name).expect(name);
            assert!(!function.is_declaration() && is_apart(function), "{name}");
            function.parameters().len()
        };
        oxicl_builtins::apart_names().map(|name| (name.to_owned(), arguments(name))).collect()
    }

    /// The name of a function's version for gangs of `lanes` lanes whose first `same` arguments are uniform.
    fn version(function: &str, arguments: usize, lanes: u32, same: usize) -> String {
        let arguments = (0..arguments).map(|argument| if argument < same { ".same" } else { ".each" });
        format!("{function}.gang{lanes}.bits{}", arguments.collect::<String>())
    }

    #[test]
    fn every_function_has_versions_for_gangs() {
        let functions = functions();
        assert!(functions.len() >= 20, "{functions:?}");
        for (machine, lanes) in [("x86-64-v2", 4), ("x86-64-v4", 16)] {
            let settings = Settings { target: Target::named(machine).expect(machine), ..Settings::default() };
            let made = codegen::machine(&settings.target, Tier::Full).expect(machine);
            for (function, arguments) in &functions {
                // The image varies where it is chosen among several.
                let versions = [0, 1, *arguments].map(|same| version(function, *arguments, lanes, same));
                for name in versions.iter().chain([function]) {
                    let parts = parts(&made, &settings, std::slice::from_ref(name));
                    let parts = parts.unwrap_or_else(|why| panic!("{machine}: {name}: {why}"));
                    let mut frames = parts.iter().flat_map(|part| &part.object.frames);
                    assert!(frames.any(|frame| frame.name == *name), "{machine}: {name} is not there");
                }
            }
        }
    }

    #[test]
    fn what_was_used_last_is_kept() {
        const MOST: usize = 1000;
        let part = |bytes| {
            let object = ObjectCode { bytes: vec![0; bytes], frames: Vec::new() };
            Rc::new(Part { object, called: Vec::new() })
        };
        let names = |kept: &Kept| {
            let mut names: Vec<_> = kept.parts.values().flat_map(HashMap::keys).cloned().collect();
            names.sort();
            names.concat()
        };
        let (full, cheap) = (Settings::default(), Settings { tier: Tier::Cheap, ..Settings::default() });
        let mut kept = Kept::default();
        for (settings, name) in [(&full, "a"), (&cheap, "b"), (&full, "c")] {
            assert!(kept.get(settings, name).is_none());
            kept.keep(settings, name, &part(300), MOST);
        }
        assert!(kept.get(&full, "a").is_some() && kept.get(&full, "b").is_none());
        kept.keep(&full, "d", &part(300), MOST);
        assert_eq!((names(&kept).as_str(), kept.bytes), ("acd", 900));
        kept.keep(&cheap, "e", &part(600), MOST);
        assert_eq!((names(&kept).as_str(), kept.bytes), ("de", 900));
        kept.keep(&full, "f", &part(MOST + 1), MOST);
        assert_eq!((names(&kept).as_str(), kept.bytes), ("de", 900));
    }
}
