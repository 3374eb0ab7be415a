//! Functions of images that are compiled apart from the kernels that call them, once for each machine, each pattern of arguments
//! and each number of lanes, and kept as objects: they are large, and know nothing of who calls them.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use oxicl_llvm::{Context, Linkage, Module, ObjectCode, PassOptions, Place, TargetMachine, Value};
use oxicl_protocol::{BuildFailure, CompileOptions, attribute};
use oxicl_workgroup::VersionName;

use crate::codegen::{self, Settings, failure};
use crate::object;

/// Bytes of objects that are kept; those that were used last stay. A bound on memory: a function for one pattern of arguments has
/// about ten thousand.
const MOST_BYTES: usize = 8 << 20;

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

/// A function compiled, and what it calls of other objects.
pub(crate) struct Part {
    pub(crate) object: ObjectCode,
    pub(crate) called: Vec<String>,
}

/// What is kept of earlier requests.
#[derive(Default)]
struct Kept {
    parts: HashMap<Settings, HashMap<String, (Rc<Part>, u64)>>,
    bytes: usize,
    /// How often something was asked for.
    asked: u64,
    /// How many functions were compiled.
    compiled: u64,
}

impl Kept {
    fn get(&mut self, settings: &Settings, name: &str) -> Option<Rc<Part>> {
        self.asked += 1;
        let (part, last) = self.parts.get_mut(settings)?.get_mut(name)?;
        *last = self.asked;
        Some(Rc::clone(part))
    }

    fn keep(&mut self, settings: &Settings, name: &str, part: &Rc<Part>, most: usize) {
        self.compiled += 1;
        self.bytes += part.object.bytes.len();
        let of_settings = self.parts.entry(settings.clone()).or_default();
        of_settings.insert(name.to_owned(), (Rc::clone(part), self.asked));
        while self.bytes > most && self.drop_oldest() {}
    }

    /// Drops what was not used for longest; false if there is nothing.
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

/// Is it the name of a function of images, or of a version of one?
pub(crate) fn is_of_images(name: &str) -> bool {
    name.starts_with("oxicl.image_")
}

/// Functions of the library that ask for it are compiled apart: they are large, and there for what is rare.
fn stays(function: Value<'_>) -> bool {
    function.attribute(Place::Function, "noinline").is_some()
}

/// Links what the module calls of the functions of images. Those that stay functions are only declared, but for `wanted`.
///
/// # Errors
/// The embedded bitcode does not fit this LLVM.
pub(crate) fn link_images<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    wanted: Option<&str>,
) -> Result<(), BuildFailure> {
    let names = codegen::link_part(context, module, oxicl_builtins::images_bitcode())?;
    let apart = names.iter().filter(|name| Some(name.as_str()) != wanted).filter_map(|name| module.function(name));
    for function in apart.filter(|function| !function.is_declaration() && stays(*function)) {
        function.add_attribute(Place::Function, context.text_attribute(attribute::APART, ""));
        function.set_linkage(Linkage::AvailableExternally);
    }
    module.run_passes("elim-avail-extern", None, PassOptions::default()).map_err(failure)
}

/// The objects of what is called of the functions of images, with what these call in turn, in the order of their names.
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

/// Compiles a function, or a version of one.
fn compile(machine: &TargetMachine, settings: &Settings, name: &str) -> Result<Part, BuildFailure> {
    let version = VersionName::parse(name);
    let scalar = version.as_ref().map_or(name, VersionName::function);
    let context = Context::new();
    context.discard_names();
    let mut module = Module::new(&context, name);
    machine.prepare(&module);
    // The type is the definition's, which takes the place of this.
    module.declare(scalar, context.void_type().function(&[]));
    link_images(&context, &mut module, Some(scalar))?;
    let function = module.function(scalar).filter(|function| !function.is_declaration() && stays(*function));
    let Some(function) = function else {
        return Err(failure(format!("the device library has no function '{name}' to be compiled apart")));
    };
    function.set_linkage(Linkage::External);
    let options = CompileOptions { opt_disable: settings.opt_disable, ..CompileOptions::default() };
    oxicl_optimize::before(&mut module, machine, &options, settings.tier)?;
    if let Some(version) = &version {
        let target = codegen::at_tier(&settings.target, settings.tier);
        oxicl_workgroup::build_version(&mut module, version, &options, &target)?;
    }
    oxicl_optimize::after(&mut module, machine, &options, settings.tier)?;
    codegen::suit_machine(&module, settings);
    let object = machine.emit_object(&mut module).map_err(failure)?;
    let called = object::undefined(&object.bytes).map_err(failure)?;
    Ok(Part { object, called })
}
