//! Functions of OpenCL C that modules import: compilers that have no instruction for one leave its call to whoever links. Each
//! becomes a function of OpenCL C that calls the real one, which the front end translates as it does in every program.

mod mangled;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use oxicl_caps::DeviceCaps;
use oxicl_protocol::{BuildFailure, SourceOptions, SourceRequest, Standard};
use oxicl_spirv::grammar::{LinkageType, StorageClass};
use oxicl_spirv::{Function, Intrinsic, Module, Type, TypeRef, is_imported_printf};
use oxicl_validate::ValidObject;

use super::flow;
use mangled::Mangled;

/// How often the compiler is asked, a bound: each time it names up to 19 that are no functions of OpenCL C.
const MAX_REQUESTS: usize = 64;
/// What each function is called in the source, with a number.
const NAME: &str = "oxicl_import_";

/// `objects`, and what of OpenCL C they import and none of them defines.
///
/// # Errors
/// The build log, if what printf makes of a module is not valid.
pub(super) fn served(objects: &[Arc<ValidObject>], caps: &DeviceCaps) -> Result<Vec<Arc<ValidObject>>, BuildFailure> {
    let defined: HashSet<String> = objects.iter().flat_map(|object| exports(object.module())).collect();
    let mut all = Vec::new();
    for object in objects {
        let is_open = |function: &Function| {
            let name = object.module().linkage(function.id).map(|(name, _)| name);
            is_imported_printf(object.module(), function.id) && name.is_some_and(|name| !defined.contains(&name))
        };
        let words = if object.module().functions.iter().any(is_open) {
            oxicl_spirv::with_printf(object.module())
        } else {
            None
        };
        all.push(match words {
            Some(words) => flow::check_words(&words, &HashMap::new(), caps)?,
            None => Arc::clone(object),
        });
    }
    let missing = missing(&all, &defined);
    all.extend(compiled(missing, caps));
    Ok(all)
}

/// Names of the functions that a module gives to others.
fn exports(module: &Module) -> impl Iterator<Item = String> {
    let linked = module.functions.iter().filter_map(|function| module.linkage(function.id));
    linked.filter(|(_, linkage)| *linkage != LinkageType::Import).map(|(name, _)| name)
}

/// Definitions in OpenCL C without their names, by the symbols of the functions that they are for.
fn missing(objects: &[Arc<ValidObject>], defined: &HashSet<String>) -> BTreeMap<String, Definition> {
    let mut missing = BTreeMap::new();
    for module in objects.iter().filter(|object| !object.imports().is_empty()).map(|object| object.module()) {
        for function in &module.functions {
            let Some((symbol, LinkageType::Import)) = module.linkage(function.id) else { continue };
            if defined.contains(&symbol) || Intrinsic::of(module, function.id).is_some() {
                continue;
            }
            if let Some(definition) = Definition::of(module, function, &symbol) {
                missing.insert(symbol, definition);
            }
        }
    }
    missing
}

/// A function that calls one of OpenCL C.
struct Definition {
    result: String,
    /// The result is a vector of integers, whose signs SPIR-V does not tell and OpenCL C does not change by itself.
    has_signs: bool,
    callee: Mangled,
}

impl Definition {
    /// For a function that is imported as `symbol`; `None` if it cannot be one of OpenCL C.
    fn of(module: &Module, function: &Function, symbol: &str) -> Option<Definition> {
        let Type::Function { result, parameters } = module.ty(function.ty) else { return None };
        let are_pointers = || parameters.iter().map(|ty| matches!(module.ty(*ty), Type::Pointer { .. }));
        let callee = Mangled::of(symbol, |types| types.iter().map(|ty| ty.ends_with('*')).eq(are_pointers()))?;
        let has_signs = matches!(module.ty(*result), Type::Vector { component, .. }
            if matches!(module.ty(*component), Type::Int { .. }));
        Some(Definition { result: spelled(module, *result)?, has_signs, callee })
    }

    /// Its text, in one line.
    fn text(&self, number: usize) -> String {
        let parameters = self.callee.parameters.iter().enumerate();
        let own: Vec<String> = parameters.clone().map(|(index, ty)| format!("{ty} a{index}")).collect();
        let passed: Vec<String> = parameters.map(|(index, _)| format!("a{index}")).collect();
        let own = if own.is_empty() { "void".to_owned() } else { own.join(", ") };
        let (result, callee) = (&self.result, &self.callee.name);
        let call = format!("{callee}({})", passed.join(", "));
        let body = match result.as_str() {
            "void" => call,
            _ if self.has_signs => format!("return as_{result}({call})"),
            _ => format!("return {call}"),
        };
        format!("{result} {NAME}{number}({own}) {{ {body}; }}")
    }
}

/// The type of a result, as OpenCL C writes it. Signs are unknown, and so is what a pointer points to.
fn spelled(module: &Module, ty: TypeRef) -> Option<String> {
    Some(match module.ty(ty) {
        Type::Void => "void".into(),
        Type::Bool => "bool".into(),
        Type::Int { width: 8, .. } => "uchar".into(),
        Type::Int { width: 16, .. } => "ushort".into(),
        Type::Int { width: 32, .. } => "uint".into(),
        Type::Int { width: 64, .. } => "ulong".into(),
        Type::Float { width: 16, .. } => "half".into(),
        Type::Float { width: 32, .. } => "float".into(),
        Type::Float { width: 64, .. } => "double".into(),
        Type::Event => "event_t".into(),
        Type::Vector { component, count } => format!("{}{count}", spelled(module, *component)?),
        Type::Pointer { storage, .. } => {
            let space = match storage {
                StorageClass::CrossWorkgroup => "__global",
                StorageClass::UniformConstant => "__constant",
                StorageClass::Workgroup => "__local",
                StorageClass::Function => "__private",
                StorageClass::Generic => "__generic",
                _ => return None,
            };
            format!("{space} void *")
        }
        _ => return None,
    })
}

/// Modules that export those of `missing` that are functions of OpenCL C: one, unless some cannot be given at all.
fn compiled(missing: BTreeMap<String, Definition>, caps: &DeviceCaps) -> Vec<Arc<ValidObject>> {
    let mut given = Vec::new();
    let mut work: Vec<Vec<(String, Definition)>> = vec![missing.into_iter().collect()];
    for _ in 0..MAX_REQUESTS {
        let Some(mut some) = work.pop() else { break };
        if some.is_empty() {
            continue;
        }
        let wrong = match module(&some, false, caps) {
            Ok(module) => {
                given.push(module);
                continue;
            }
            Err(failure) => wrong_lines(&failure),
        };
        // What needs a constant, which a parameter is not, is refused later: with lines in the module that tells where.
        let wrong = match wrong {
            wrong if wrong.is_empty() => {
                module(&some, true, caps).err().map(|failure| wrong_lines(&failure)).unwrap_or_default()
            }
            wrong => wrong,
        };
        if wrong.is_empty() {
            if some.len() > 1 {
                let half = some.split_off(some.len() / 2);
                work.extend([some, half]);
            }
        } else {
            let mut line = 1..;
            some.retain(|_| line.next().is_none_or(|line| !wrong.contains(&line)));
            work.push(some);
        }
    }
    given
}

/// A module that exports these definitions by the names that they are imported by; with `debug` it knows their lines.
///
/// # Errors
/// The build log.
fn module(
    definitions: &[(String, Definition)],
    debug: bool,
    caps: &DeviceCaps,
) -> Result<Arc<ValidObject>, BuildFailure> {
    let options = SourceOptions { standard: Some(Standard::C31), debug, ..SourceOptions::default() };
    let (text, folder) = (text(definitions).into_bytes(), PathBuf::from("/"));
    let module = flow::compile_source(&SourceRequest { text, options, folder, ..SourceRequest::default() })?;
    let symbols = definitions.iter().map(|(symbol, _)| symbol.clone());
    let names = symbols.enumerate().map(|(number, symbol)| (format!("{NAME}{number}"), symbol)).collect();
    flow::check_words(&oxicl_spirv::with_weak_exports(&module.spirv, &names), &HashMap::new(), caps)
}

/// The source: each definition has a line of its own.
fn text(definitions: &[(String, Definition)]) -> String {
    let mut text = String::new();
    for (number, (_, definition)) in definitions.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", definition.text(number));
    }
    text
}

/// The lines of the source that the compiler or the validator find errors in, from 1 on.
fn wrong_lines(failure: &BuildFailure) -> HashSet<usize> {
    let log = failure.to_string();
    let place = |line: &str| {
        let found = line.strip_prefix("<source>:").filter(|_| line.contains(" error: "));
        let place = found.or_else(|| line.trim_start().strip_prefix("from <source>:"))?;
        place.split(':').next()?.parse().ok()
    };
    log.lines().filter_map(place).collect()
}
