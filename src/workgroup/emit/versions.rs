//! Versions of functions for gangs: what lanes share comes as it is, what varies as vectors, and with it the mask of the
//! lanes that call. A few versions a function, each for one pattern of arguments; past these, one where all vary.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use oxicl_llvm::{Builder, Linkage, Module, Place, Type, Value};
use oxicl_ops::Query;
use oxicl_ops::attribute;
use oxicl_target::Vectors;

use crate::analyse::memory::Home;
use crate::analyse::shape::{Layout, Shape};
use crate::emit::apart::VersionName;
use crate::emit::components::components_of;
use crate::emit::copy::{Copier, Surroundings};
use crate::emit::items::place_objects;
use crate::emit::kernel::{Emitter, Options};
use crate::emit::places::Places;
use crate::emit::widen::{Body, Leaving, Widener};
use crate::failure::{Failure, failure};
use crate::ir::{BlockId, Function, Operand, Terminator, is_apart};
use crate::plan::{Plan, Wanted, plan_with};
use crate::recipe::RegionEntry;

/// Versions of one function that go by the pattern of their arguments.
const PATTERNS: usize = 4;
/// Numbers that a version may take or give.
const MOST_COMPONENTS: usize = 64;

/// What the lanes of an argument have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Argument {
    Same,
    /// Each lane's is the one before plus this.
    Steps(i64),
    Varies,
}

impl Argument {
    fn shape(self) -> Shape {
        match self {
            Argument::Same => Shape::Uniform,
            Argument::Steps(stride) => Shape::Affine(stride),
            Argument::Varies => Shape::Varying,
        }
    }
}

/// A version. It takes each argument as said here, the mask as a number of as many bits as there are lanes and, if it asks
/// for places, the hidden block. It gives the components of its result.
#[derive(Clone)]
pub(crate) struct Version<'m> {
    pub(crate) function: Value<'m>,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) asks: bool,
}

/// A version that is declared, and still to be written.
struct Pending<'m> {
    callee: Value<'m>,
    version: Version<'m>,
    plan: Plan,
}

/// What versions have in common with the kernel that calls them.
pub(crate) struct Common<'e, 'm> {
    pub(crate) module: &'m Module<'m>,
    pub(crate) b: &'e Builder<'m>,
    pub(crate) around: &'e Surroundings<'m>,
    /// The kernel, or what it calls, prints.
    pub(crate) prints: bool,
    pub(crate) options: Options,
}

type Key<'m> = (Value<'m>, Vec<Argument>);

/// The versions that a kernel's gangs call.
pub(crate) struct Versions<'f, 'm> {
    functions: HashMap<Value<'m>, &'f Function<'m>>,
    asking: &'f HashSet<Value<'m>>,
    /// `None` for what cannot be widened.
    made: RefCell<HashMap<Key<'m>, Option<Version<'m>>>>,
    pending: RefCell<Vec<Pending<'m>>>,
}

impl<'f, 'm> Versions<'f, 'm> {
    /// No version yet. `functions` are all that the kernel reaches, those of `asking` need the hidden block.
    pub(crate) fn new(functions: &'f [Function<'m>], asking: &'f HashSet<Value<'m>>) -> Self {
        Versions {
            functions: functions.iter().map(|f| (*f.llvm, f)).collect(),
            asking,
            made: RefCell::default(),
            pending: RefCell::default(),
        }
    }

    /// Does a function that the kernel calls ask for something of which this is true?
    pub(crate) fn ask(&self, is_it: impl Fn(Query) -> bool) -> bool {
        self.functions.values().any(|function| function.asks(&is_it))
    }

    /// The version for arguments, declared if there is none yet; `None` if the function cannot be widened. Those that are compiled
    /// apart all can.
    pub(crate) fn get(
        &self,
        e: &Emitter<'_, 'm>,
        callee: Value<'m>,
        mut arguments: Vec<Argument>,
        lanes: u32,
    ) -> Result<Option<Version<'m>>, Failure> {
        let function = self.functions.get(&callee).copied();
        if function.is_none() && !is_apart(callee) {
            return Ok(None);
        }
        let known = |arguments: &Vec<Argument>| self.made.borrow().get(&(callee, arguments.clone())).cloned();
        if let Some(version) = known(&arguments) {
            return Ok(version);
        }
        if self.made.borrow().keys().filter(|(of, _)| *of == callee).count() >= PATTERNS {
            arguments.fill(Argument::Varies);
            if let Some(version) = known(&arguments) {
                return Ok(version);
            }
        }
        let gang = (e.plan.layout, e.plan.sub_group_size, e.plan.vectors);
        let version = match function {
            Some(function) => self.begin(e.module, function, arguments.clone(), lanes, gang)?,
            None => Some(self.declare(e.module, callee, arguments.clone(), lanes)?),
        };
        self.made.borrow_mut().insert((callee, arguments), version.clone());
        Ok(version)
    }

    /// Declares a version that is then to be written; `None` if the function cannot be widened. `gang` is what gangs are: their
    /// layout, S, and the machine's registers.
    pub(crate) fn begin(
        &self,
        module: &'m Module<'m>,
        function: &Function<'m>,
        arguments: Vec<Argument>,
        lanes: u32,
        gang: (Layout, u32, Vectors),
    ) -> Result<Option<Version<'m>>, Failure> {
        let Some(plan) = self.plan(function, &arguments, lanes, gang)? else { return Ok(None) };
        let version = self.declare(module, *function.llvm, arguments, lanes)?;
        self.pending.borrow_mut().push(Pending { callee: *function.llvm, version: version.clone(), plan });
        Ok(Some(version))
    }

    /// How the function runs as a gang; `None` if it does not.
    fn plan(
        &self,
        function: &Function<'m>,
        arguments: &[Argument],
        lanes: u32,
        (layout, sub_group_size, vectors): (Layout, u32, Vectors),
    ) -> Result<Option<Plan>, Failure> {
        // The hidden block has the places of one work-item, from which those of a line do not follow.
        if layout == Layout::Line && self.asking.contains(&*function.llvm) {
            return Ok(None);
        }
        let is_copied = |index: u32| {
            ["byval", "sret"].iter().any(|name| function.llvm.attribute(Place::Parameter(index), name).is_some())
        };
        if function.parameters.len() != arguments.len() || (0..arguments.len() as u32).any(is_copied) {
            return Ok(None);
        }
        let result = function.llvm.value_type().and_then(Type::return_type);
        let varying = function.parameters.iter().zip(arguments).filter(|(_, a)| **a == Argument::Varies);
        let mut components = 0;
        for ty in varying.map(|(parameter, _)| parameter.llvm.ty()).chain(result) {
            match components_of(ty) {
                Ok(parts) => components += parts.len(),
                Err(_) => return Ok(None),
            }
        }
        if components > MOST_COMPONENTS {
            return Ok(None);
        }
        let is_required = false;
        let wanted = Wanted {
            lanes,
            vectors,
            row: None,
            layout,
            sub_group_size,
            is_required,
            coalescing: None,
            is_plain: false,
        };
        let plan = plan_with(function, wanted, arguments.iter().map(|a| a.shape()).collect())?;
        let in_frame = plan.objects.iter().all(|object| object.home == Home::Frame);
        Ok((plan.gangs.is_some() && in_frame).then_some(plan))
    }

    /// Declares a version. Of a function that is compiled apart its name says all, and its code is elsewhere.
    fn declare(
        &self,
        module: &'m Module<'m>,
        callee: Value<'m>,
        arguments: Vec<Argument>,
        lanes: u32,
    ) -> Result<Version<'m>, Failure> {
        let context = module.context();
        let asks = self.asking.contains(&callee);
        let apart = is_apart(callee).then(|| VersionName::new(&callee.name(), lanes, &arguments).to_string());
        if let Some(function) = apart.as_ref().and_then(|name| module.function(name)) {
            return Ok(Version { function, arguments, asks });
        }
        let Some(ty) = callee.value_type() else { return failure("a function without type") };
        let mut parameters = Vec::new();
        for (ty, argument) in ty.parameters().into_iter().zip(&arguments) {
            match argument {
                Argument::Same | Argument::Steps(_) => parameters.push(ty),
                Argument::Varies => {
                    parameters.extend(components_of(ty)?.iter().map(|component| component.vector(lanes)))
                }
            }
        }
        parameters.push(context.int_type(lanes));
        if asks {
            parameters.push(context.pointer_type(0));
        }
        let Some(result) = ty.return_type() else { return failure("a function type without result") };
        let components: Vec<_> = components_of(result)?.iter().map(|component| component.vector(lanes)).collect();
        let result = match components[..] {
            [] => context.void_type(),
            [component] => component,
            _ => context.struct_type(&components, false),
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
        // Where a place is read from, or a vector of addresses is an argument, what was said of memory is not true.
        let is_pure = callee.attribute(Place::Function, "memory").is_some_and(|memory| memory.value() == 0);
        if asks || !is_pure {
            wide.remove_attribute(Place::Function, "memory");
        }
        wide.remove_attribute(Place::Function, "speculatable");
        wide.add_attribute(Place::Function, context.text_attribute(attribute::GANGS, ""));
        Ok(Version { function: wide, arguments, asks })
    }

    /// Writes the versions that are declared, and what they call in turn.
    pub(crate) fn emit(&self, common: &Common<'_, 'm>) -> Result<(), Failure> {
        loop {
            let Some(pending) = self.pending.borrow_mut().pop() else { return Ok(()) };
            self.emit_version(common, &pending)?;
        }
    }

    fn emit_version(&self, common: &Common<'_, 'm>, pending: &Pending<'m>) -> Result<(), Failure> {
        let Pending { callee, version, plan } = pending;
        let function = self.functions[callee];
        let (b, context) = (common.b, common.b.context());
        let Some(gangs) = &plan.gangs else { return failure("a version without gangs") };
        let (lanes, [body]) = (gangs.lanes, &gangs.regions[..]) else {
            return failure("a function of several regions");
        };
        let mut given = version.function.parameters().into_iter();
        let mut next = || given.next().ok_or_else(|| Failure("a version with too few parameters".to_owned()));
        let (mut parameters, mut varying) = (Vec::new(), HashMap::new());
        for ((index, parameter), argument) in (0u32..).zip(&function.parameters).zip(&version.arguments) {
            if *argument == Argument::Varies {
                let components: Result<Vec<_>, _> =
                    components_of(parameter.llvm.ty())?.iter().map(|_| next()).collect();
                varying.insert(index, components?);
                parameters.push(parameter.llvm.ty().poison());
            } else {
                parameters.push(next()?);
            }
        }
        let mask = next()?;
        let hidden = if version.asks { Some(next()?) } else { None };
        let frame = Builder::new(context);
        frame.position_at_end(version.function.append_block(context, "frame"));
        let mut e = Emitter {
            module: common.module,
            b,
            frame,
            function,
            plan,
            around: common.around,
            versions: self,
            group: version.function,
            parameters,
            arrays: BTreeMap::new(),
            uniform: HashMap::new(),
            stores: HashMap::new(),
            shared_objects: HashMap::new(),
            hidden,
            prints: common.prints,
            access_kind: context.metadata_kind("llvm.access.group"),
            fiber: None,
            options: common.options,
        };
        e.make_frame();
        let setup = e.block("setup");
        b.position_at_end(setup);
        let size = plan.sub_group_size;
        let places = hidden.map_or_else(|| Places::none(b, size), |hidden| Places::load(b, hidden, size));
        let entry = b.bit_cast(mask, context.int_type(1).vector(lanes));
        let scalar = Copier {
            b,
            function,
            around: e.around,
            places,
            parameters: e.parameters.clone(),
            hidden,
            values: HashMap::new(),
            blocks: HashMap::new(),
            phis: Vec::new(),
            access_group: None,
            outcomes: HashMap::new(),
        };
        let result = function.llvm.value_type().and_then(Type::return_type);
        let components = result.map_or_else(|| Ok(Vec::new()), components_of)?;
        let results: Vec<_> = components.iter().map(|component| e.frame.alloca(component.vector(lanes), 0)).collect();
        let done = e.block("done");
        let at_entry = RegionEntry::first(&body.graph);
        let mut widener = Widener::new(&e, Body::of_any(body), at_entry, lanes, Some(entry), scalar, done);
        widener.parameters = varying;
        place_objects(&e, &mut widener.scalar)?;
        widener.write(&Returning { results: &results })?;
        b.position_at_end(done);
        give(b, version.function, &components, &results, lanes);
        e.frame.br(setup);
        Ok(())
    }
}

/// Returns what the places of the results have.
fn give<'m>(b: &Builder<'m>, function: Value<'m>, components: &[Type<'m>], results: &[Value<'m>], lanes: u32) {
    let load = |(component, place): (&Type<'m>, &Value<'m>)| b.load(component.vector(lanes), *place, 0);
    let values: Vec<_> = components.iter().zip(results).map(load).collect();
    match (&values[..], function.value_type().and_then(Type::return_type)) {
        ([value], _) => b.ret(*value),
        ([_, ..], Some(ty)) => {
            let all = (0u32..).zip(&values).fold(ty.poison(), |all, (index, value)| b.insert_value(all, *value, index));
            b.ret(all)
        }
        _ => b.ret_void(),
    };
}

/// Lanes that leave a version put their results into places.
struct Returning<'r, 'm> {
    results: &'r [Value<'m>],
}

impl<'e, 'm> Leaving<'e, 'm> for Returning<'_, 'm> {
    fn leave(&self, widener: &mut Widener<'_, 'e, 'm>, block: BlockId, mask: Option<Value<'m>>) -> Result<(), Failure> {
        let Terminator::Return(result) = widener.function.block(block).terminator else {
            return failure("a function ends otherwise than by a return");
        };
        let components = match result {
            Some(Operand::Opaque) | None => Vec::new(),
            Some(operand) => widener.components(operand)?,
        };
        for (component, place) in components.into_iter().zip(self.results) {
            let b = widener.b;
            let value = match mask {
                Some(mask) => b.select(mask, component, b.load(component.ty(), *place, 0)),
                None => component,
            };
            b.store(value, *place, 0);
        }
        Ok(())
    }
}
