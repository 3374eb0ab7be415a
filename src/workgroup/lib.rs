//! Makes a function that runs work-groups of a function that says what one work-item does.
//!
//! - **Takes**: a module of scalar LLVM IR as `lower` and `prepare` leave it: kernels whose calls of barriers are
//!   inlined, with ids, barriers and collective operations as calls of named operations; the kernels' signatures.
//! - **Gives**: a function of type [`Entry`](oxicl_abi::Entry) for each kernel in the same module, named
//!   `oxicl.entry.<n>`, and its [`KernelFacts`].
//! - **Never**: edits an instruction in place, deletes tails that it then repeats without bound, or lets what is undefined
//!   hang or crash: work-items that disagree about a barrier are run to their own end.
//! - **Spec**: OpenCL C, work-group functions and barriers; OpenCL API, mapping work-items onto an ND-range, with
//!   non-uniform work-groups.
//!
//! A kernel is cut at its barriers and collective operations. The part behind one, up to the next, is a *region*, and runs
//! for all work-items before another does. What lives across is computed again if that is cheap, kept once if it is
//! uniform, and in the context block for each work-item otherwise. To a collective operation each work-item adds its value
//! when it arrives, in the order of linear local ids; sums and products of floats in sixteen parts, by the place along x.
//!
//! A region runs for one work-item at a time, or for a *gang* of neighbours in a row as lanes of vectors (`emit::widen`).
//!
//! `ir` reads a function into types of its own, `analyse` finds what is true of it, `recipe` says how each instruction is written
//! for a gang and what that costs, `plan` decides, and `emit` writes: none of them imports one that comes later. `prices` knows what
//! operations cost on the machine. Only it, the reader and `emit` ask LLVM.
#![forbid(unsafe_code)]

mod analyse;
mod bounds;
mod declined;
mod emit;
mod explain;
mod failure;
mod ir;
mod plan;
mod prices;
mod recipe;
mod switches;

use std::rc::Rc;

use oxicl_abi::{AlongY, KernelFacts, KernelSignature};
use oxicl_llvm::{Linkage, Module, Value};
use oxicl_ops::Query;
use oxicl_protocol::{BuildFailure, CompileOptions, Diagnostic, Stage};
use oxicl_target::{Target, Vectors};

pub use bounds::liveness::LIMIT as MOST_VALUES_ACROSS_BARRIERS;
pub use emit::VersionName;

use analyse::coalescing::Coalescing;
use analyse::shape::Layout;
use analyse::{disjoint, pitch};
use declined::Declined;
use emit::kernel::Emitted;
use failure::{Failure, failure};
use ir::call_tree::call_tree;
use ir::{Buffers, Function, Inst, Kind};
use plan::{Plan, Planned, Wanted, coalescing};
use prices::Prices;
use switches::{Gate, OfFunction};

/// A kernel of the module.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    /// Name of the entry point.
    pub name: &'a str,
    /// Name of its function in the module.
    pub function: &'a str,
    /// Its arguments and their places.
    pub signature: &'a KernelSignature,
}

/// Writes `oxicl.entry.<n>` for the n-th kernel. Work-items of a row run together as lanes of vectors: as many as the options
/// ask for, where nothing speaks against it, or if they do not say, as many as pay on the machine; the remarks say what spoke
/// against it. Kernels that do something in sub-groups run each as a gang; what cannot be done so has sub-groups of one
/// work-item, and is an error if it requires a size. `KernelFacts::entry` and `stack_bytes` are left 0: both are known when
/// there is object code. The scalar functions become internal, so that unused ones go with the next clean-up.
pub fn build(
    module: &mut Module<'_>,
    kernels: &[Kernel<'_>],
    options: &CompileOptions,
    target: &Target,
) -> Result<Vec<KernelFacts>, BuildFailure> {
    let built = build_and_tell(module, kernels, options, target, false, None)?;
    Ok(built.into_iter().map(|built| built.code).collect())
}

/// A kernel that was written.
pub struct Built {
    /// What is known of its code.
    pub code: KernelFacts,
    /// The facts that callers are told, if they are not those of the code: for the baseline tier those of the full tier's plan, but for how
    /// its work-groups are given to it.
    pub planned: Option<KernelFacts>,
}

/// As [`build`]. If it `is_plain`, little is written, in little time: gangs have one register a value, and each region is written
/// once. The plan of each kernel as text comes behind what `plans` has, if it is wanted: for people.
///
/// # Errors
/// Those of [`build`].
pub fn build_and_tell(
    module: &mut Module<'_>,
    kernels: &[Kernel<'_>],
    options: &CompileOptions,
    target: &Target,
    is_plain: bool,
    mut plans: Option<&mut String>,
) -> Result<Vec<Built>, BuildFailure> {
    let mut built = Vec::with_capacity(kernels.len());
    for (number, kernel) in kernels.iter().enumerate() {
        match build_kernel(module, kernel, options, target, Way { number, is_plain }, plans.as_deref_mut()) {
            Ok(kernel) => built.push(kernel),
            Err(Failure(text)) => {
                let diagnostic = Diagnostic::error(format!("kernel {}: {text}", kernel.name));
                return Err(BuildFailure { stage: Stage::Workgroup, diagnostics: vec![diagnostic] });
            }
        }
    }
    for kernel in kernels {
        if let Some(function) = module.function(kernel.function) {
            function.set_linkage(Linkage::Internal);
        }
    }
    emit::machine::define(module);
    check(module)?;
    Ok(built)
}

/// Writes a version of a function of the module that kernels of other modules call by its name. The scalar function becomes
/// internal.
pub fn build_version(
    module: &mut Module<'_>,
    name: &VersionName,
    options: &CompileOptions,
    target: &Target,
) -> Result<(), BuildFailure> {
    let function = module.function(name.function()).filter(|function| !function.is_declaration());
    let written = match function {
        Some(function) => {
            let gate = Gate::new(&options.switches, &name.to_string(), false);
            let switches = OfFunction::new(gate.as_ref(), name.function());
            emit::emit_version(module, function, name, vectors(options, target), switches, &Prices::of(target))
        }
        None => failure(format!("there is no function {}", name.function())),
    };
    emit::machine::define(module);
    written.map_err(|Failure(text)| BuildFailure::new(Stage::Workgroup, text))?;
    check(module)
}

/// Kernels as this crate reads them, as text: decisions are taken of these instructions.
pub fn text(module: &Module<'_>, kernels: &[Kernel<'_>], target: &Target) -> String {
    let prices = &Prices::of(target);
    let functions = kernels.iter().filter_map(|kernel| module.function(kernel.function));
    // What cannot be read is told where it is built.
    functions.filter_map(|function| ir::read(function, prices).ok()).map(|function| function.text()).collect()
}

/// Reads such a text, without LLVM, and writes it again.
///
/// # Errors
/// What is wrong with it, and in which line of which function.
pub fn text_again(text: &str, target: &Target) -> Result<String, String> {
    let prices = &Prices::of(target);
    const END: &str = "\n}\n";
    text.split_inclusive(END).map(|one| ir::parse(one, prices).map(|function| function.text())).collect()
}

/// LLVM's verifier. Release builds leave it out.
fn check(module: &Module<'_>) -> Result<(), BuildFailure> {
    if cfg!(debug_assertions)
        && let Err(error) = module.verify()
    {
        return Err(BuildFailure::new(Stage::Workgroup, format!("broken code was written: {error}")));
    }
    Ok(())
}

/// The registers that gangs may use.
fn vectors(options: &CompileOptions, target: &Target) -> Vectors {
    if options.opt_disable { Vectors::NONE } else { target.vectors }
}

/// Which kernel of a module is written, and how.
#[derive(Clone, Copy)]
struct Way {
    number: usize,
    is_plain: bool,
}

fn build_kernel(
    module: &Module<'_>,
    kernel: &Kernel<'_>,
    options: &CompileOptions,
    target: &Target,
    way: Way,
    told: Option<&mut String>,
) -> Result<Built, Failure> {
    let Some(value) = module.function(kernel.function).filter(|f| !f.is_declaration()) else {
        return failure(format!("there is no function {}", kernel.function));
    };
    let gate = Gate::new(&options.switches, kernel.name, told.is_some());
    let decide = |is_plain| plans(value, kernel.signature, options, target, is_plain, gate.as_ref());
    let mut planned = decide(false)?;
    if options.verbose {
        let more = explain::explain(&planned.function, &planned.plans[0], options.lanes);
        planned.plans[0].remarks.extend(more);
    }
    if !options.turned
        && let Some(price) = price_along_y(value, &planned, kernel.signature, vectors(options, target))
    {
        planned.turns = true;
        let remark = format!("priced at {price:.2} cycles a work-item in gangs along y: long work-groups are run so");
        planned.plans[0].remarks.push(remark);
    }
    if !options.disjoint
        && let Some(gain) = gain_if_disjoint(value, &planned, kernel.signature, vectors(options, target))
    {
        planned.disjoint = true;
        planned.plans[0]
            .remarks
            .push(format!("launches of which no two buffers overlap have code of their own: {gain}"));
    }
    let plain = way.is_plain.then(|| decide(true)).transpose()?;
    let plain = plain.map(|plain| Planned { turns: planned.turns, disjoint: planned.disjoint, ..plain });
    let written = plain.as_ref().unwrap_or(&planned);
    let emitted = emit::emit(module, written, kernel.signature, options.uniform_work_group_size, way.number)?;
    if let (Some(told), Some(gate)) = (told, gate) {
        *told += &plan::print(kernel.name, written);
        gate.lines().iter().for_each(|line| *told += &format!("{line}\n"));
    }
    let code = facts(kernel.name, written, &emitted);
    let planned = way.is_plain.then(|| facts(kernel.name, &planned, &emitted));
    Ok(Built { code, planned })
}

/// What is known of a kernel in front of the code generator.
fn facts(name: &str, Planned { plans, turns, disjoint, .. }: &Planned<'_>, emitted: &Emitted) -> KernelFacts {
    let most = |of: fn(&Plan) -> u64| plans.iter().map(of).max().unwrap_or(0);
    let gangs = plans.iter().filter_map(|plan| plan.gangs.as_ref());
    let lanes = gangs.map(plan::gangs::Gangs::most).max().map_or(1, u64::from);
    let item_bytes = most(|plan| plan.item_bytes);
    // A gang may read and write the places of lanes behind the last work-item.
    let behind_the_last = lanes.saturating_sub(1).saturating_mul(most(|plan| plan.longest_slot));
    let objects = most(|plan| plan.objects.iter().map(|o| o.bytes).sum());
    KernelFacts {
        name: name.to_owned(),
        entry: 0,
        style: emitted.style,
        local_bytes: emitted.local_bytes,
        state_bytes_per_group: most(|plan| plan.group_bytes).saturating_add(behind_the_last),
        state_bytes_per_gang: item_bytes.saturating_mul(lanes),
        private_bytes: objects.max(item_bytes),
        stack_bytes: 0,
        columns: plans[0].columns,
        turns: *turns,
        disjoint: *disjoint,
        lanes: lanes as u32,
        sub_group_size: plans[0].sub_group_size,
        prints: emitted.prints,
        remarks: plans[0].remarks.clone(),
    }
}

/// Reads a kernel, and decides how it runs.
fn plans<'m>(
    kernel: Value<'m>,
    signature: &KernelSignature,
    options: &CompileOptions,
    target: &Target,
    is_plain: bool,
    gate: Option<&Rc<Gate>>,
) -> Result<Planned<'m>, Failure> {
    let prices = &Prices::of(target);
    let mut function = ir::read(kernel, prices)?;
    function.buffers = if options.disjoint { Buffers::Disjoint } else { Buffers::AsPromised };
    function.switches = OfFunction::new(gate, &kernel.name());
    let switches = &function.switches.clone();
    let vectors = vectors(options, target);
    let row = signature.required_work_group_size.map(|size| size[0]);
    let sub_group_size = signature.required_sub_group_size.unwrap_or(target.limits.sub_group_size).max(1);
    let is_required = signature.required_sub_group_size.is_some();
    let layout = Layout::Rows;
    let lanes = options.lanes;
    let wanted = Wanted { lanes, vectors, row, layout, sub_group_size, is_required, coalescing: None, is_plain };
    let has_sub_groups = sub_group_size > 1 && function.has_sub_group_operations();
    let tree = call_tree(&function, plan::yields)?;
    let callee_waits = tree.functions.iter().any(|callee| !callee.yields.is_empty());
    // Only fibers serve named barriers.
    let has_named_barriers = function.has_named_barriers();
    if callee_waits || has_named_barriers || plan::may_wait(&function) {
        let function = for_fibers(kernel, switches, prices)?;
        if callee_waits || has_named_barriers || !function.yields.is_empty() {
            let plan = fibers(&function, wanted, has_sub_groups, callee_waits)?;
            let tree = call_tree(&function, plan::yields)?;
            return Planned::new(function, tree, vec![plan]);
        }
    }
    if !has_sub_groups {
        let coalescing = (tree.functions.is_empty() && tree.apart.is_empty() && tree.locals.is_empty())
            .then(|| coalescing::coalescing(&function, wanted, signature.required_work_group_size))
            .flatten()
            // A body beside the usual one is more to write.
            .filter(|coalescing| !is_plain || !coalescing.is_aside);
        let plans = plans_for_rows(&function, wanted, coalescing)?;
        return Planned::new(function, tree, plans);
    }
    let mut plans = Vec::new();
    for layout in [Layout::SubGroups, Layout::Line] {
        plans.push(plan::plan(&function, Wanted { layout, ..wanted })?);
    }
    let Some(reason) = plans.iter().find_map(|plan| plan.declined) else {
        return Planned::new(function, tree, plans);
    };
    // What many regions make of it matters less to fibers, which have one.
    let in_fibers = for_fibers(kernel, switches, prices)?;
    let plan = plan::plan(&in_fibers, Wanted { layout: Layout::Line, ..wanted })?;
    if plan.declined.is_none() {
        let tree = call_tree(&in_fibers, plan::yields)?;
        return Planned::new(in_fibers, tree, vec![plan]);
    }
    let plan = alone(&function, wanted, reason)?;
    Planned::new(function, tree, vec![plan])
}

/// The part of a kernel's price that gangs along y may have at most where it is run by these. A cost: prices of plans that are alike are
/// that far from what they take, and all that is accessed along x is far apart then.
const WORTH_TURNING: f64 = 0.5;

/// The price of gangs along y, if there can be any, and it is much less than that of what was planned.
fn price_along_y(
    kernel: Value<'_>,
    planned: &Planned<'_>,
    signature: &KernelSignature,
    vectors: Vectors,
) -> Option<f64> {
    let Planned { function, tree, .. } = planned;
    // The order of work-items in their work-group is another then.
    let tells_order = |inst: &Inst<'_>| match inst.kind {
        Kind::Query(query) => query.dimension().is_none() && !matches!(query, Query::WorkDim | Query::ProgramBlock),
        _ => false,
    };
    let keeps_order = |function: &Function<'_>| {
        function.in_fibers
            || function.has_sub_group_operations()
            || function.collectives().next().is_some()
            || function.insts.iter().any(tells_order)
    };
    let keeps_order = keeps_order(function) || tree.functions.iter().any(keeps_order);
    if keeps_order || pitch::along_y(function) == AlongY::Nothing {
        return None;
    }
    let row = signature.required_work_group_size.map(|size| size[1]);
    price_of_form(kernel, planned, row, vectors, WORTH_TURNING, |function| {
        for inst in &mut function.insts {
            if let Kind::Query(query) = &mut inst.kind {
                *query = query.turned();
            }
        }
    })
}

/// The price of another form of a kernel in rows of so many work-items, if it is at most a part of that of what was planned.
fn price_of_form(
    kernel: Value<'_>,
    planned: &Planned<'_>,
    row: Option<u32>,
    vectors: Vectors,
    part: f64,
    change: impl FnOnce(&mut Function<'_>),
) -> Option<f64> {
    let [plan] = &planned.plans[..] else { return None };
    let mut form = ir::read(kernel, &planned.function.prices).ok()?;
    change(&mut form);
    let wanted = Wanted {
        lanes: 0,
        vectors,
        row,
        layout: Layout::Rows,
        sub_group_size: plan.sub_group_size,
        is_required: false,
        coalescing: None,
        is_plain: false,
    };
    let price = plan::plan(&form, wanted).ok()?.price()?;
    (price <= part * plan.price()?).then_some(price)
}

/// The part of a kernel's price that code for buffers that do not overlap may have at most where it is made. A cost: it is compiled once
/// more.
const WORTH_COMPILING: f64 = 0.9;

/// What a kernel gains, in words, if no two of its buffers overlap.
fn gain_if_disjoint(
    kernel: Value<'_>,
    planned: &Planned<'_>,
    signature: &KernelSignature,
    vectors: Vectors,
) -> Option<String> {
    let function = &planned.function;
    if !disjoint::has_several_buffers(function) {
        return None;
    }
    if disjoint::leaves_a_loop(function) {
        return Some("a loop keeps numbers of its own".to_owned());
    }
    if disjoint::keeps_a_number(function) {
        return Some("numbers are kept past other accesses".to_owned());
    }
    if function.in_fibers || function.has_sub_group_operations() || !disjoint::would_pass_others(function) {
        return None;
    }
    let row = signature.required_work_group_size.map(|size| size[0]);
    let relies = |function: &mut Function<'_>| function.buffers = Buffers::Disjoint;
    let price = price_of_form(kernel, planned, row, vectors, WORTH_COMPILING, relies)?;
    Some(format!("priced at {price:.2} cycles a work-item"))
}

/// Reads a kernel for fibers. Its instructions have other numbers then, so that decisions for it are others.
fn for_fibers<'m>(kernel: Value<'m>, switches: &OfFunction, prices: &Rc<Prices>) -> Result<Function<'m>, Failure> {
    let mut function = ir::read_for_fibers(kernel, prices)?;
    function.switches = switches.of_callee(&format!("{} in fibers", function.name));
    function.yields = plan::yields(&function);
    Ok(function)
}

/// Decides for a kernel whose gangs are no sub-groups. If there are two plans, the second is for several work-groups that run as
/// one.
fn plans_for_rows(
    function: &Function<'_>,
    wanted: Wanted,
    coalescing: Option<Coalescing>,
) -> Result<Vec<Plan>, Failure> {
    let alone = plan::plan(function, wanted)?;
    let Some(coalescing) = coalescing.filter(|coalescing| alone.gangs.is_some() || !coalescing.is_aside) else {
        return Ok(vec![alone]);
    };
    let mut coalesced = plan::plan(function, Wanted { coalescing: Some(coalescing), row: None, ..wanted })?;
    let Some(gangs) = &coalesced.gangs else { return Ok(vec![alone]) };
    let row = f64::from(wanted.row.unwrap_or(1)) / f64::from(gangs.lanes);
    let cost = if alone.gangs.is_some() { alone.cost.of_gang } else { coalesced.cost.one_by_one * row };
    coalesced.most_coalesced = coalescing::most_paying(gangs.lanes, coalesced.cost.of_gang, cost);
    Ok(match wanted.row.filter(|_| !coalescing.is_aside) {
        None if coalesced.most_coalesced > 0 => vec![alone, coalesced],
        Some(row) if row <= coalesced.most_coalesced => vec![coalesced],
        _ => vec![alone],
    })
}

/// Decides for a kernel that fibers run: each of them a sub-group, if it does something in these, else a work-item. Lanes of a
/// gang go on together, so only sub-groups may wait for each other. What a function waits for may be a lock, which each
/// work-item wants.
fn fibers(function: &Function<'_>, wanted: Wanted, has_sub_groups: bool, callee_waits: bool) -> Result<Plan, Failure> {
    if !has_sub_groups {
        let mut plan = plan::plan(function, Wanted { lanes: 1, ..wanted })?;
        let reason = if function.has_named_barriers() { Declined::WaitsAtNamedBarriers } else { Declined::Waits };
        plan.remarks.push(format!("one work-item at a time: {}", reason.words()));
        return Ok(plan);
    }
    let plan = plan::plan(function, Wanted { layout: Layout::Line, ..wanted })?;
    let in_function = (callee_waits && !wanted.is_required).then_some(Declined::FunctionWaits);
    match plan.declined.or(in_function) {
        None => Ok(plan),
        Some(reason) => alone(function, wanted, reason),
    }
}

/// Decides for a kernel whose sub-groups no gang can be: they have one work-item.
fn alone(function: &Function<'_>, wanted: Wanted, reason: Declined) -> Result<Plan, Failure> {
    if wanted.is_required {
        return failure(format!(
            "there can be no sub-groups of {} work-items: {}",
            wanted.sub_group_size,
            reason.words()
        ));
    }
    let mut plan = plan::plan(function, Wanted { lanes: 1, sub_group_size: 1, ..wanted })?;
    plan.remarks.push(format!("sub-groups of one work-item: {}", reason.words()));
    Ok(plan)
}
