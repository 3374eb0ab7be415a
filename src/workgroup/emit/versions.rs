//! Writes the versions of functions that gangs call, as planned.

use std::cell::RefCell;
use std::collections::HashMap;

use oxicl_llvm::{Builder, Linkage, Module, Place, Type, Value};
use oxicl_ops::Query;
use oxicl_ops::attribute;

use crate::analyse::components::components_of;
use crate::emit::apart::VersionName;
use crate::emit::items::place_objects;
use crate::emit::kernel::{Common, Emitter, align_spills};
use crate::emit::places::Places;
use crate::emit::vector::vectors_of;
use crate::emit::widen::{Active, Body, Leaving, Widener};
use crate::failure::{Failure, OrFail, Result, failure};
use crate::ir::call_tree::{CallTree, Callee};
use crate::ir::{BlockId, Operand, Terminator, type_of};
use crate::plan::versions::Version;
use crate::recipe::{Argument, RegionEntry, VersionId};

/// The versions that a kernel's gangs call. All are planned; those that are called are declared, and then written.
pub(crate) struct Versions<'f, 'm> {
    tree: &'f CallTree<'m>,
    planned: &'f [Version],
    declared: RefCell<HashMap<VersionId, Value<'m>>>,
    pending: RefCell<Vec<VersionId>>,
}

/// A declared version, which takes each argument as planned, the mask as bits, and the hidden block if needed.
pub(crate) struct Declared<'f, 'm> {
    pub(crate) function: Value<'m>,
    pub(crate) arguments: &'f [Argument],
    pub(crate) needs_block: bool,
}

impl<'f, 'm> Versions<'f, 'm> {
    /// Versions of which none is declared yet.
    pub(crate) fn new(tree: &'f CallTree<'m>, planned: &'f [Version]) -> Self {
        Versions { tree, planned, declared: RefCell::default(), pending: RefCell::default() }
    }

    /// Does a function that the kernel calls make such a query?
    pub(crate) fn ask(&self, is_it: impl Fn(Query) -> bool) -> bool {
        self.tree.functions.iter().any(|function| function.asks(&is_it))
    }

    /// The version for gangs of `lanes` lanes, declared on first use.
    pub(crate) fn get(&self, module: &'m Module<'m>, id: VersionId, lanes: u32) -> Result<Declared<'f, 'm>> {
        let version = &self.planned[id.index()];
        if version.lanes != lanes {
            return failure("a call by a gang of another size than its version has");
        }
        let known = self.declared.borrow().get(&id).copied();
        let function = match known {
            Some(function) => function,
            None => {
                let function = self.declare(module, version)?;
                self.declared.borrow_mut().insert(id, function);
                if version.plan.is_some() {
                    self.pending.borrow_mut().push(id);
                }
                function
            }
        };
        let needs_block = self.tree.needs_block(version.callee);
        Ok(Declared { function, arguments: &version.arguments, needs_block })
    }

    /// Declares a version. One of a function that is compiled apart is known by its name, with code in another module.
    fn declare(&self, module: &'m Module<'m>, version: &Version) -> Result<Value<'m>> {
        let context = module.context();
        let Version { callee, lanes, arguments, .. } = version;
        let (asks, callee, lanes) = (self.tree.needs_block(*callee), self.tree.value(*callee), *lanes);
        let apart = version.plan.is_none().then(|| VersionName::new(&callee.name(), lanes, arguments).to_string());
        if let Some(function) = apart.as_ref().and_then(|name| module.function(name)) {
            return Ok(function);
        }
        let ty = callee.value_type().or_fail("a function without type")?;
        let mut parameters = Vec::new();
        for (ty, argument) in ty.parameters().into_iter().zip(arguments) {
            match argument {
                Argument::Same | Argument::Steps(_) => parameters.push(ty),
                Argument::Varies => parameters.extend(vectors_of(context, &type_of(ty), lanes)?),
            }
        }
        parameters.push(context.int_type(lanes));
        if asks {
            parameters.push(context.pointer_type(0));
        }
        let result = ty.return_type().or_fail("a function type without result")?;
        let vectors = vectors_of(context, &type_of(result), lanes)?;
        let result = match vectors[..] {
            [] => context.void_type(),
            [vector] => vector,
            _ => context.struct_type(&vectors, false),
        };
        let own = || format!("{}.gang", callee.name());
        let name = apart.clone().unwrap_or_else(own);
        let wide = module.add_function(&name, result.function(&parameters));
        if apart.is_none() {
            wide.set_linkage(Linkage::Internal);
        }
        for attribute in callee.attributes(Place::Function) {
            wide.add_attribute(Place::Function, attribute);
        }
        // The memory attribute is not true of a version that reads the hidden block or vectors of addresses.
        let is_pure = callee.attribute(Place::Function, "memory").is_some_and(|memory| memory.value() == 0);
        if asks || !is_pure {
            wide.remove_attribute(Place::Function, "memory");
        }
        wide.remove_attribute(Place::Function, "speculatable");
        wide.add_attribute(Place::Function, context.text_attribute(attribute::GANGS, ""));
        if let Some(plan) = &version.plan {
            align_spills(context, wide, plan.vectors);
        }
        Ok(wide)
    }

    /// Writes the versions that are declared, and what they call in turn.
    pub(crate) fn emit(&self, common: &Common<'_, 'm>) -> Result<()> {
        loop {
            let Some(id) = self.pending.borrow_mut().pop() else { return Ok(()) };
            self.emit_version(common, id)?;
        }
    }

    fn emit_version(&self, common: &Common<'_, 'm>, id: VersionId) -> Result<()> {
        let Version { callee: Callee::Here(index), plan: Some(plan), lanes, .. } = &self.planned[id.index()] else {
            return failure("a version that is written elsewhere");
        };
        let (function, version) = (&self.tree.functions[*index], self.get(common.module, id, *lanes)?);
        let (b, context) = (common.b, common.b.context());
        let Ok(gangs) = &plan.gangs else { return failure("a version without gangs") };
        let (lanes, [body]) = (gangs.lanes, &gangs.regions[..]) else {
            return failure("a function of several regions");
        };
        let mut given = version.function.parameters().into_iter();
        let mut next = || given.next().ok_or_else(|| Failure("a version with too few parameters".to_owned()));
        let (mut parameters, mut varying) = (Vec::new(), HashMap::new());
        for ((index, parameter), argument) in (0u32..).zip(&function.parameters).zip(version.arguments) {
            if *argument == Argument::Varies {
                let components: Result<Vec<_>, _> = components_of(&parameter.ty)?.iter().map(|_| next()).collect();
                varying.insert(index, components?);
                parameters.push(parameter.llvm.ty().poison());
            } else {
                parameters.push(next()?);
            }
        }
        let mask = next()?;
        let hidden = if version.needs_block { Some(next()?) } else { None };
        let mut e = Emitter::new(common, function, plan, self, version.function, parameters);
        e.hidden = hidden;
        e.make_frame();
        let setup = e.block("setup");
        b.position_at_end(setup);
        let size = plan.shapes.sub_group_size;
        let places = hidden.map_or_else(|| Places::none(b, size), |hidden| Places::load(b, hidden, size));
        let entry = b.bit_cast(mask, context.int_type(1).vector(lanes));
        let vectors = vectors_of(context, &function.result, lanes)?;
        let results: Vec<_> = vectors.iter().map(|vector| e.frame.alloca(*vector, 0)).collect();
        let done = e.block("done");
        let at_entry = RegionEntry::first(&body.graph);
        let mut widener = Widener::new(&e, Body::of_any(body), at_entry, lanes, Some(entry), e.copier(places), done);
        widener.parameters = varying;
        place_objects(&e, &mut widener.scalar)?;
        widener.write(&Returning { results: &results })?;
        b.position_at_end(done);
        give(b, version.function, &vectors, &results);
        e.frame.br(setup);
        Ok(())
    }
}

/// Writes the return of what the result slots have.
fn give<'m>(b: &Builder<'m>, function: Value<'m>, vectors: &[Type<'m>], results: &[Value<'m>]) {
    let values: Vec<_> = vectors.iter().zip(results).map(|(vector, place)| b.load(*vector, *place, 0)).collect();
    match (&values[..], function.value_type().and_then(Type::return_type)) {
        ([value], _) => b.ret(*value),
        ([_, ..], Some(ty)) => {
            let all = (0u32..).zip(&values).fold(ty.poison(), |all, (index, value)| b.insert_value(all, *value, index));
            b.ret(all)
        }
        _ => b.ret_void(),
    };
}

/// Lanes that leave a version store their results.
struct Returning<'r, 'm> {
    results: &'r [Value<'m>],
}

impl<'e, 'm> Leaving<'e, 'm> for Returning<'_, 'm> {
    fn leave(&self, widener: &mut Widener<'_, 'e, 'm>, block: BlockId, mask: Active<'m>) -> Result<()> {
        let Terminator::Return(result) = widener.function.block(block).terminator else {
            return failure("a function ends otherwise than by a return");
        };
        let components = match result {
            Some(Operand::Opaque) | None => Vec::new(),
            Some(operand) => widener.components(operand)?,
        };
        for (component, place) in components.into_iter().zip(self.results) {
            widener.put(component, *place, mask);
        }
        Ok(())
    }
}
