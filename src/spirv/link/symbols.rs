//! Names with linkage: who gives what, and who takes it.

use std::collections::{HashMap, HashSet};

use spirv::{Decoration as Kind, FunctionParameterAttribute, LinkageType, Op};

use super::LinkError;
use super::ids::Ids;
use crate::instruction::Operand;
use crate::intrinsic::Intrinsic;
use crate::module::{ConstantKind, Def, Function, Id, Module, Parameter};
use crate::types::{Type, TypeRef};

/// A declaration in a module, by the module's number.
type Place = (usize, Id);

/// What linkage makes of the modules.
#[derive(Default)]
pub(super) struct Symbols {
    /// Declarations that stand for another: module, id, and the one they stand for.
    pub(super) aliases: Vec<(usize, Id, Place)>,
    /// Functions and variables that are left out, because another stands for them.
    pub(super) dropped: HashSet<Place>,
    /// Names of the aliases, for messages; parallel to `aliases`.
    names: Vec<String>,
    /// What stands for a declaration that is left out.
    targets: HashMap<Place, Place>,
}

impl Symbols {
    /// Joins imports to exports. `library` lets imports stay open.
    pub(super) fn resolve(modules: &[&Module], library: bool) -> (Symbols, Vec<LinkError>) {
        let mut errors = Vec::new();
        let mut exports: HashMap<String, (Place, bool)> = HashMap::new();
        let mut others: Vec<(Place, String)> = Vec::new();
        for (place, name, linkage) in linked(modules) {
            let weak = match linkage {
                LinkageType::Import => {
                    others.push((place, name));
                    continue;
                }
                LinkageType::LinkOnceODR => true,
                LinkageType::Export => false,
            };
            match exports.get(&name).copied() {
                Some((_, false)) if !weak => {
                    errors.push(LinkError::new(format!("`{name}` is defined in more than one module")));
                }
                // An export takes the place of definitions that are equal by promise.
                Some((before, true)) if !weak => {
                    others.push((before, name.clone()));
                    exports.insert(name, (place, false));
                }
                Some(_) => others.push((place, name)),
                None => drop(exports.insert(name, (place, weak))),
            }
        }
        let mut symbols = Symbols::default();
        let mut open: HashMap<String, Place> = HashMap::new();
        for (place, name) in others {
            let target = match exports.get(&name) {
                Some((target, _)) => *target,
                None if library || is_intrinsic(modules, place) => match open.get(&name) {
                    Some(first) => *first,
                    None => {
                        open.insert(name, place);
                        continue;
                    }
                },
                None => {
                    errors.push(LinkError::new(format!("`{name}` is imported, and no module defines it")));
                    continue;
                }
            };
            symbols.dropped.insert(place);
            symbols.targets.insert(place, target);
            symbols.aliases.push((place.0, place.1, target));
            symbols.names.push(name);
        }
        (symbols, errors)
    }

    /// The declaration that stands for `id`: itself, unless it is left out.
    pub(super) fn stands_for(&self, module: usize, id: Id) -> Place {
        self.targets.get(&(module, id)).copied().unwrap_or((module, id))
    }

    /// The function that is called where `id` is, if another module gives it.
    pub(super) fn given<'m>(
        &self,
        modules: &[&'m Module],
        module: usize,
        id: Id,
    ) -> Option<(usize, &'m Function, &'m Function)> {
        let (number, target) = *self.targets.get(&(module, id))?;
        Some((number, modules.get(number)?.function(target)?, modules.get(module)?.function(id)?))
    }

    /// What stands for another has its type, but for what pointers point to.
    pub(super) fn check_types(&self, modules: &[&Module], ids: &Ids) -> Vec<LinkError> {
        let type_of = |(module, id): Place| {
            let of = modules.get(module)?;
            let ty = of.type_of(id)?;
            Some((std::mem::discriminant(&of.def(id)), ids.of_type(module, of, ty)?))
        };
        let pairs = self.aliases.iter().zip(&self.names);
        pairs
            .filter(|((module, id, target), _)| type_of((*module, *id)) != type_of(*target))
            .filter(|((module, id, target), _)| !takes_any_array(modules, (*module, *id), *target))
            .filter(|((module, id, _), _)| !self.takes_other_pointers(modules, ids, *module, *id))
            .map(|(_, name)| LinkError::new(format!("`{name}` has different types in different modules")))
            .collect()
    }

    /// Whether an imported function differs from the one that is given in what pointers point to, and in nothing else: a
    /// compiler whose pointers have no types writes down what it guesses from their use, which a declaration has none of.
    fn takes_other_pointers(&self, modules: &[&Module], ids: &Ids, module: usize, id: Id) -> bool {
        let Some((number, given, import)) = self.given(modules, module, id) else { return false };
        let alike = |to: TypeRef, from: TypeRef| {
            let (Some(of_given), Some(of_import)) = (modules.get(number), modules.get(module)) else { return false };
            are_pointers(of_given.ty(to), of_import.ty(from))
                || ids.of_type(number, of_given, to) == ids.of_type(module, of_import, from)
        };
        // What is passed by value has the size of its type.
        let is_value = |(to, from): (&Parameter, &Parameter)| {
            let mut places = [(number, to.id), (module, from.id)].into_iter();
            places.any(|(module, id)| modules.get(module).is_some_and(|module| is_passed_by_value(module, id)))
        };
        let parameters = || given.parameters.iter().zip(&import.parameters);
        given.parameters.len() == import.parameters.len()
            && alike(given.result, import.result)
            && parameters().all(|(to, from)| alike(to.ty, from.ty))
            && !parameters().any(is_value)
    }
}

/// Whether a parameter is the address of a copy, or of where the result goes.
fn is_passed_by_value(module: &Module, parameter: Id) -> bool {
    const WORDS: [u32; 2] = [FunctionParameterAttribute::ByVal as u32, FunctionParameterAttribute::Sret as u32];
    let decorations = module.decorations_of(parameter).iter();
    decorations
        .filter(|d| d.decoration == Kind::FuncParamAttr)
        .any(|d| d.operands.iter().any(|word| WORDS.contains(word)))
}

/// Whether both are pointers to the same memory.
fn are_pointers(to: &Type, from: &Type) -> bool {
    matches!((to, from), (Type::Pointer { storage, .. }, Type::Pointer { storage: other, .. }) if storage == other)
}

/// Whether `import` is an array of unknown length, as `extern constant int table[]` is, and `target` an array. SPIR-V has no
/// type for that: LLVM's target writes another, and casts the address wherever it is used.
fn takes_any_array(modules: &[&Module], import: Place, target: Place) -> bool {
    let variable = |(number, id): Place| {
        let module = *modules.get(number)?;
        let variable = module.global(id)?;
        match module.ty(variable.ty) {
            Type::Pointer { pointee, .. } => {
                Some((variable.storage, matches!(module.ty(*pointee), Type::Array { .. })))
            }
            _ => None,
        }
    };
    let (Some((storage, false)), Some((same, true))) = (variable(import), variable(target)) else { return false };
    storage == same && modules.get(import.0).is_some_and(|module| is_only_cast(module, import.1))
}

/// Whether OpBitcast is all that is done with an address.
fn is_only_cast(module: &Module, id: Id) -> bool {
    let names = |operands: &[Operand]| operands.contains(&Operand::Id(id));
    let instructions =
        module.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.instructions);
    let in_functions = instructions.filter(|instruction| names(instruction.operands(module)));
    let in_constants = module.constants.iter().any(|constant| match &constant.kind {
        ConstantKind::Composite(parts) => parts.contains(&id),
        ConstantKind::Operation { operands, .. } | ConstantKind::Other { operands, .. } => {
            let range = operands.start as usize..(operands.start + operands.len) as usize;
            module.operands.get(range).is_some_and(names)
        }
        _ => false,
    });
    let in_variables = module.globals.iter().any(|variable| variable.initializer == Some(id));
    !in_constants && !in_variables && in_functions.into_iter().all(|instruction| instruction.op == Op::Bitcast)
}

/// Functions and variables with linkage, in module order. Built-in variables are nobody's to give.
fn linked<'m>(modules: &'m [&'m Module]) -> impl Iterator<Item = (Place, String, LinkageType)> + 'm {
    modules.iter().enumerate().flat_map(|(number, module)| {
        let variables = module.globals.iter().map(|variable| variable.id);
        let functions = module.functions.iter().map(|function| function.id);
        variables.chain(functions).filter_map(move |id| {
            if module.has_decoration(id, Kind::BuiltIn) || module.def(id) == Def::None {
                return None;
            }
            let (name, linkage) = module.linkage(id)?;
            Some(((number, id), name, linkage))
        })
    })
}

/// An import that the device gives.
fn is_intrinsic(modules: &[&Module], place: Place) -> bool {
    modules.get(place.0).is_some_and(|module| Intrinsic::of(module, place.1).is_some())
}
