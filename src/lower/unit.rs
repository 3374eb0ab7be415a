//! One module on its way: what all functions share, and the driver.

use std::cell::RefCell;
use std::collections::HashMap;

use oxicl_abi::{ImageDescriptor, KernelSignature};
use oxicl_llvm::{
    Builder, Context, FastMath, Linkage, Module as LlvmModule, Place, Type as LlvmType, UnnamedAddr, Value,
};
use oxicl_ops::{Operation, Query, symbol};
use oxicl_protocol::{BuildFailure, CompileOptions, Stage};
use oxicl_spirv::{Def, EntryPoint, Id, Layouts, Module, TypeRef};
use oxicl_target::{Limits, Target, Vectors};
use oxicl_validate::{Facts, ValidModule};
use spirv::{Decoration, ExecutionMode, StorageClass};

use crate::constants::{Constants, memory_constant};
use crate::function;
use crate::refusal::{Refusal, Result};
use crate::types::{IMAGE_SPACE, Types, address_space};

/// The layout of x86-64, which the code generator's own equals: what structures look like in memory depends on it.
const X86_64_LAYOUT: &str = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";
/// The layout of AArch64.
const AARCH64_LAYOUT: &str =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32";

/// A kernel in scalar IR.
#[derive(Clone, Debug)]
pub struct LoweredKernel {
    /// Name of the entry point.
    pub name: String,
    /// Name of the LLVM function. Two entry points may share one.
    pub function_name: String,
    /// What the host sees of it.
    pub signature: KernelSignature,
}

/// Scalar IR of some kernels of a module with their call trees.
pub struct Lowered<'c> {
    /// The IR.
    pub module: LlvmModule<'c>,
    /// The kernels in it.
    pub kernels: Vec<LoweredKernel>,
}

/// Lowers the named kernels, or all if none is named.
///
/// # Errors
/// Names the first instruction that is not supported.
pub fn lower<'c>(
    context: &'c Context,
    valid: &ValidModule,
    kernels: &[String],
    options: &CompileOptions,
    target: &Target,
) -> std::result::Result<Lowered<'c>, BuildFailure> {
    let module = valid.module();
    let out = LlvmModule::new(context, "oxicl");
    out.set_data_layout(if target.triple.starts_with("aarch64") { AARCH64_LAYOUT } else { X86_64_LAYOUT });
    out.set_triple(&target.triple);
    let wanted: Vec<&EntryPoint> =
        module.entry_points.iter().filter(|e| kernels.is_empty() || kernels.contains(&e.name)).collect();
    let lowered = {
        let unit = Unit::new(context, &out, valid, &wanted, options, target);
        unit.functions(&wanted)?
    };
    if cfg!(debug_assertions)
        && let Err(error) = out.verify()
    {
        return Err(BuildFailure::new(Stage::Lower, format!("internal error: the IR is invalid: {error:?}")));
    }
    Ok(Lowered { module: out, kernels: lowered })
}

/// What all functions of a module share.
pub(crate) struct Unit<'a> {
    pub context: &'a Context,
    pub out: &'a LlvmModule<'a>,
    pub module: &'a Module,
    pub layouts: &'a Layouts,
    pub facts: &'a Facts,
    pub types: Types<'a>,
    pub constants: Constants<'a>,
    /// Lists of alias scopes.
    pub aliases: crate::aliasing::Lists<'a>,
    /// Fast-math flags that the build options give to every operation.
    pub fast_math: FastMath,
    /// Whether some structure is packed, so that an access that says nothing of its alignment may have none.
    pub packed: bool,
    /// Whether a product and a sum may be fused without a decoration that says so.
    pub contract: bool,
    /// Whether private memory begins as zeros.
    pub zero_private: bool,
    /// What the machine has instructions for.
    pub vectors: Vectors,
    /// Sizes of the device.
    pub limits: Limits,
    /// The most work-items of a work-group along each dimension, for all kernels.
    pub most_work_items: [u64; 3],
    /// Whether the first two dimensions change places.
    pub turned: bool,
    /// Whether remarks are wanted.
    pub verbose: bool,
    globals: RefCell<HashMap<Id, Value<'a>>>,
    /// Module-scope variables without initial content yet.
    uninitialized: RefCell<Vec<Id>>,
    functions: RefCell<HashMap<Id, Value<'a>>>,
    /// Functions that were referred to and have no body yet.
    pending: RefCell<Vec<Id>>,
    pub entry_names: HashMap<Id, String>,
}

/// The most work-items of a work-group along each dimension: those that kernels require, if all do, else what the device takes.
fn most_work_items(facts: &Facts, wanted: &[&EntryPoint], device: u64) -> [u64; 3] {
    let of_kernel = |entry: &&EntryPoint| {
        let signature = facts.kernels.iter().find(|k| k.function == entry.function && k.name == entry.name);
        let required = signature.and_then(|signature| signature.required_work_group_size);
        required.map_or([device; 3], |size| size.map(|size| u64::from(size).min(device)))
    };
    let all: Vec<_> = wanted.iter().map(of_kernel).collect();
    [0, 1, 2].map(|d| all.iter().map(|size| size[d]).max().unwrap_or(device))
}

impl<'a> Unit<'a> {
    fn new(
        context: &'a Context,
        out: &'a LlvmModule<'a>,
        valid: &'a ValidModule,
        wanted: &[&EntryPoint],
        options: &CompileOptions,
        target: &Target,
    ) -> Self {
        let (module, layouts, facts) = (valid.module(), valid.layouts(), valid.facts());
        let types = Types::of(context, out, module, layouts);
        let off = |e: &&EntryPoint| {
            module.execution_modes.iter().any(|m| m.entry == e.function && m.mode == ExecutionMode::ContractionOff)
        };
        let special = |e: &&EntryPoint| {
            let mut modes = module.execution_modes.iter().filter(|m| m.entry == e.function);
            modes.any(|m| m.mode == ExecutionMode::SignedZeroInfNanPreserve)
        };
        let unsafe_math = options.unsafe_math || options.fast_relaxed_math;
        let mut entry_names = HashMap::new();
        for entry in wanted {
            entry_names.entry(entry.function).or_insert_with(|| entry.name.clone());
        }
        Unit {
            context,
            out,
            module,
            layouts,
            facts,
            types,
            constants: Constants::default(),
            aliases: crate::aliasing::Lists::of(context, module),
            packed: module.decorations.values().flatten().any(|d| d.decoration == Decoration::CPacked),
            fast_math: if wanted.iter().any(special) { without_specials(options) } else { fast_math_of(options) },
            contract: options.mad_enable || unsafe_math || !wanted.iter().any(off),
            zero_private: options.zero_private,
            vectors: target.vectors,
            limits: target.limits,
            most_work_items: most_work_items(facts, wanted, target.limits.max_work_group_size),
            turned: options.turned,
            verbose: options.verbose,
            globals: RefCell::default(),
            uninitialized: RefCell::default(),
            functions: RefCell::default(),
            pending: RefCell::default(),
            entry_names,
        }
    }

    /// Lowers the wanted kernels and all that they call.
    fn functions(mut self, wanted: &[&EntryPoint]) -> Result<Vec<LoweredKernel>> {
        self.constants = Constants::of(&self);
        let mut kernels = Vec::new();
        for entry in wanted {
            let function = self.function(entry.function)?;
            let signature = self.facts.kernels.iter().find(|k| k.function == entry.function && k.name == entry.name);
            let Some(signature) = signature.cloned() else {
                return Err(Refusal::new(format!("the entry point {} has no signature", entry.name)));
            };
            let signature = if self.turned { signature.turned() } else { signature };
            kernels.push(LoweredKernel { name: entry.name.clone(), function_name: function.name(), signature });
        }
        loop {
            let next = self.pending.borrow_mut().pop();
            let Some(id) = next else { break };
            function::body(&self, id)?;
        }
        loop {
            let next = self.uninitialized.borrow_mut().pop();
            let Some(id) = next else { break };
            self.initialize(id)?;
        }
        Ok(kernels)
    }

    /// A type that must have a form.
    pub fn ty(&self, ty: TypeRef) -> Result<&crate::types::Lowered<'a>> {
        self.types.get(ty).ok_or_else(|| {
            let id = self.module.type_ids.get(ty.0 as usize).copied();
            Refusal { id, ..Refusal::new(format!("values of type {:?} are not supported", self.module.ty(ty))) }
        })
    }

    /// The LLVM function of an OpFunction, declared now and lowered later.
    pub fn function(&self, id: Id) -> Result<Value<'a>> {
        if let Some(function) = self.functions.borrow().get(&id) {
            return Ok(*function);
        }
        let function = function::declare(self, id, self.entry_names.get(&id).map(String::as_str))?;
        self.functions.borrow_mut().insert(id, function);
        self.pending.borrow_mut().push(id);
        Ok(function)
    }

    /// A module-scope variable that is an LLVM global; those of the program block are none.
    pub fn global(&self, id: Id) -> Result<Value<'a>> {
        if let Some(global) = self.globals.borrow().get(&id) {
            return Ok(*global);
        }
        let Some(variable) = self.module.global(id) else {
            return Err(Refusal::new(format!("{id} is no module-scope variable")));
        };
        let oxicl_spirv::Type::Pointer { pointee, .. } = self.module.ty(variable.ty) else {
            return Err(Refusal::new(format!("the type of {id} is no pointer")));
        };
        let space = address_space(variable.storage)
            .ok_or_else(|| Refusal::new(format!("storage class {:?} is not supported", variable.storage)))?;
        let memory = self.ty(*pointee)?.memory;
        let name = self.module.names.get(&id).map_or("", String::as_str);
        let global = self.out.add_global(&format!("variable.{}.{name}", id.number()), memory, space);
        self.globals.borrow_mut().insert(id, global);
        // The initialiser comes later: it may name this variable, or one that follows.
        self.uninitialized.borrow_mut().push(id);
        global.set_linkage(Linkage::Internal);
        let natural = self.layouts.align_of(*pointee).unwrap_or(1) as u32;
        global.set_alignment(natural.max(self.module.alignment(id).unwrap_or(1)));
        if variable.storage == StorageClass::UniformConstant {
            global.set_global_constant(true);
            global.set_unnamed_addr(UnnamedAddr::Local);
        }
        Ok(global)
    }

    /// Gives a module-scope variable its initial content.
    fn initialize(&self, id: Id) -> Result<()> {
        let global = self.global(id)?;
        let Some(variable) = self.module.global(id) else { return Ok(()) };
        let oxicl_spirv::Type::Pointer { pointee, .. } = self.module.ty(variable.ty) else { return Ok(()) };
        let memory = self.ty(*pointee)?.memory;
        global.set_initializer(match variable.initializer {
            // Nothing initialises local memory: what stands there is null, and means nothing.
            _ if variable.storage == StorageClass::Workgroup => memory.undef(),
            Some(initializer) => self.initial(initializer, *pointee)?,
            None => memory.zero(),
        });
        Ok(())
    }

    fn initial(&self, initializer: Id, ty: TypeRef) -> Result<Value<'a>> {
        let value = match self.module.def(initializer) {
            Def::Global(_) => self.global(initializer)?,
            _ => self
                .constants
                .get(self, initializer)
                .ok_or_else(|| Refusal::new(format!("the initialiser {initializer} is no constant of the image")))?,
        };
        Ok(memory_constant(self.context, self.ty(ty)?.memory, value))
    }

    /// The address of the descriptor of an image without texels.
    pub fn no_image(&self) -> Value<'a> {
        if let Some(global) = self.out.global(symbol::NO_IMAGE) {
            return global;
        }
        let ty = self.context.int_type(64).array(size_of::<ImageDescriptor>() as u64 / 8);
        let global = self.out.add_global(symbol::NO_IMAGE, ty, IMAGE_SPACE);
        global.set_initializer(ty.zero());
        global.set_linkage(Linkage::Internal);
        global.set_alignment(8);
        global.set_global_constant(true);
        global.set_unnamed_addr(UnnamedAddr::Local);
        global
    }

    /// The offset of a variable in the program block, if it lives there.
    pub fn block_offset(&self, id: Id) -> Option<u64> {
        self.facts.program_block.offsets.get(&id).copied()
    }

    /// An operation, or a function of the device library, by name.
    pub fn declare(&self, name: &str, ty: LlvmType<'a>, effects: Effects) -> Value<'a> {
        if let Some(function) = self.out.function(name) {
            return function;
        }
        let function = self.out.declare(name, ty);
        let attributes: &[&str] = match effects {
            Effects::Pure => &["nounwind", "willreturn", "nosync", "nofree", "nocallback", "speculatable"],
            Effects::Barrier => &["nounwind", "convergent"],
            Effects::Collective => &["nounwind", "willreturn", "convergent"],
            Effects::Memory => &["nounwind", "willreturn"],
        };
        for name in attributes {
            self.add_attribute(function, Place::Function, name, 0);
        }
        if !matches!(effects, Effects::Barrier | Effects::Memory) {
            self.add_attribute(function, Place::Function, "memory", 0);
        }
        function
    }

    /// A function that answers a question about the work-item's place.
    pub fn declare_query(&self, query: Query, ty: LlvmType<'a>) -> Value<'a> {
        let function = self.declare(&Operation::Query(query).name(), ty, Effects::Pure);
        // Else LLVM freezes places where it moves branches on them, and their strides are lost.
        self.add_attribute(function, Place::Return, "noundef", 0);
        function
    }

    /// Adds an attribute that LLVM knows.
    pub fn add_attribute(&self, value: Value<'a>, place: Place, name: &str, number: u64) {
        if let Some(attribute) = self.context.attribute(name, number) {
            value.add_attribute(place, attribute);
        }
    }

    /// A builder that is nowhere yet.
    pub fn builder(&self) -> Builder<'a> {
        Builder::new(self.context)
    }

    /// Has `id` a decoration?
    pub fn decorated(&self, id: Option<Id>, decoration: Decoration) -> bool {
        id.is_some_and(|id| self.module.has_decoration(id, decoration))
    }
}

/// What a declared function may do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effects {
    /// Nothing: its result depends on its arguments and the work-item.
    Pure,
    /// Wait for other work-items, who may change memory meanwhile.
    Barrier,
    /// Wait for other work-items, whose values its result depends on.
    Collective,
    /// Read and write memory; what it is linked with says more.
    Memory,
}

/// The flags of the build options for kernels that want signed zeros, infinities and NaNs kept whatever the options say.
fn without_specials(options: &CompileOptions) -> FastMath {
    let flags = fast_math_of(options);
    let specials = FastMath::NO_NANS.union(FastMath::NO_INFS).union(FastMath::NO_SIGNED_ZEROS);
    FastMath(flags.0 & !specials.0)
}

fn fast_math_of(options: &CompileOptions) -> FastMath {
    let mut flags = FastMath(0);
    let unsafe_math = options.unsafe_math || options.fast_relaxed_math;
    if options.no_signed_zeros || unsafe_math {
        flags = flags.union(FastMath::NO_SIGNED_ZEROS);
    }
    if unsafe_math {
        flags = flags
            .union(FastMath::REASSOC)
            .union(FastMath::RECIPROCAL)
            .union(FastMath::CONTRACT)
            .union(FastMath::APPROX);
    }
    if options.finite_math || options.fast_relaxed_math {
        flags = flags.union(FastMath::NO_NANS).union(FastMath::NO_INFS);
    }
    flags
}
