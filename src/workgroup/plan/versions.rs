//! Versions of functions for gangs: uniform arguments come as they are, varying ones as vectors, with the mask of the
//! calling lanes. This plans the versions that a kernel's gangs call, from call to call, each with a plan of its own.

use std::collections::{BTreeSet, HashMap};

use oxicl_target::Vectors;

use crate::analyse::components::components_of;
use crate::analyse::memory::Home;
use crate::analyse::shape::Layout;
use crate::bounds::{PATTERNS, VERSION_COMPONENTS};
use crate::declined::Declined;
use crate::failure::{OrFail, Result};
use crate::ir::call_tree::{CallTree, Callee};
use crate::ir::{Function, InstId, Kind, Parameter};
use crate::plan::gangs::GangRegion;
use crate::plan::{Plan, Wanted, plan_with};
use crate::recipe::{Argument, Calls, Recipe, Recipes, RegionEntry, VersionId};

/// A version of a function that gangs of so many lanes call.
pub(crate) struct Version {
    pub(crate) callee: Callee,
    pub(crate) lanes: u32,
    /// What lanes have in common of each argument.
    pub(crate) arguments: Vec<Argument>,
    /// How it runs; `None` for a function that is compiled apart, as it is planned there.
    pub(crate) plan: Option<Plan>,
}

/// Plans the versions that the gangs of a kernel call, and those that these call in turn.
pub(crate) fn plan_calls<'m>(function: &Function<'m>, tree: &CallTree<'m>, plan: &mut Plan) -> Result<()> {
    let wanted = Wanted::of_callee(plan.vectors, plan.shapes.layout, plan.shapes.sub_group_size);
    let mut planner = Planner::new(tree, wanted);
    plan.calls = Some(planner.calls(function, plan)?);
    plan.versions = planner.finish()?;
    Ok(())
}

/// Plans a version of a function of the tree by itself. It comes first in the result, the versions that it calls after
/// it. The function asks for nothing that differs between layouts.
pub(crate) fn plan_version<'m>(
    tree: &CallTree<'m>,
    callee: Callee,
    arguments: Vec<Argument>,
    lanes: u32,
    vectors: Vectors,
) -> Result<Result<Vec<Version>, Declined>> {
    let mut planner = Planner::new(tree, Wanted::of_callee(vectors, Layout::Rows, 1));
    match planner.version(callee, lanes, arguments)? {
        Ok(_) => Ok(Ok(planner.finish()?)),
        Err(declined) => Ok(Err(declined)),
    }
}

struct Planner<'p, 'm> {
    tree: &'p CallTree<'m>,
    /// What the calling gangs want, but for their lanes.
    wanted: Wanted,
    known: HashMap<(Callee, u32, Vec<Argument>), Result<VersionId, Declined>>,
    versions: Vec<Version>,
    /// Versions whose own calls are still to be planned.
    pending: Vec<VersionId>,
}

impl<'p, 'm> Planner<'p, 'm> {
    fn new(tree: &'p CallTree<'m>, wanted: Wanted) -> Self {
        Planner { tree, wanted, known: HashMap::new(), versions: Vec::new(), pending: Vec::new() }
    }

    /// Plans the calls of all versions.
    fn finish(mut self) -> Result<Vec<Version>> {
        while let Some(id) = self.pending.pop() {
            let Version { callee: Callee::Here(index), plan, .. } = &mut self.versions[id.index()] else { continue };
            let (index, Some(mut plan)) = (*index, plan.take()) else { continue };
            plan.calls = Some(self.calls(&self.tree.functions[index], &plan)?);
            self.versions[id.index()].plan = Some(plan);
        }
        Ok(self.versions)
    }

    /// The versions that the gangs of a function call, by what lanes have in common of the arguments in each body.
    fn calls(&mut self, function: &Function<'m>, plan: &Plan) -> Result<Calls> {
        let mut calls = Calls::new();
        let Ok(gangs) = &plan.gangs else { return Ok(calls) };
        let is_call = |id: &InstId| matches!(function.inst(*id).kind, Kind::Call);
        for (region, GangRegion { graph, agreement, lengths, .. }) in plan.regions.iter().zip(&gangs.regions) {
            let found: Vec<InstId> =
                graph.blocks.iter().flat_map(|block| &function.block(*block).insts).copied().filter(is_call).collect();
            if found.is_empty() {
                continue;
            }
            let agreed = agreement.as_ref().map(|agreement| &agreement.guards.conditions);
            let lengths: BTreeSet<u32> = lengths.iter().copied().chain([gangs.lanes]).collect();
            let bodies = || agreed.map(Some).into_iter().chain([None]);
            for (lanes, agreed) in lengths.into_iter().flat_map(|lanes| bodies().map(move |agreed| (lanes, agreed))) {
                let at_entry = RegionEntry { agreed, ..plan.at_entry(function, region, graph) };
                let recipes = Recipes::new(plan.basis(function, lanes), Some(at_entry));
                for id in found.iter().filter(|id| matches!(*recipes.of(**id), Recipe::Call(_))) {
                    let callee =
                        self.tree.callee(function.inst(*id)).or_fail("a call of a function that was not read")?;
                    let call = recipes.call_of_gang(*id);
                    let version = self.version(callee, lanes, call.arguments.clone())?;
                    calls.insert(call, version);
                }
            }
        }
        Ok(calls)
    }

    /// The version for so many lanes and these arguments, planned if there is none yet. A function has up to `PATTERNS`
    /// versions for so many lanes by the pattern of their arguments; past these, one in which all arguments vary.
    fn version(
        &mut self,
        callee: Callee,
        lanes: u32,
        mut arguments: Vec<Argument>,
    ) -> Result<Result<VersionId, Declined>> {
        if let Some(known) = self.known.get(&(callee, lanes, arguments.clone())) {
            return Ok(*known);
        }
        if self.known.keys().filter(|(of, for_lanes, _)| *of == callee && *for_lanes == lanes).count() >= PATTERNS {
            arguments.fill(Argument::Varies);
            if let Some(known) = self.known.get(&(callee, lanes, arguments.clone())) {
                return Ok(*known);
            }
        }
        let version = match callee {
            Callee::Apart(_) => Ok(self.add(callee, lanes, &arguments, None)),
            Callee::Here(index) => self.plan(&self.tree.functions[index], callee, lanes, &arguments)?.map(|plan| {
                let id = self.add(callee, lanes, &arguments, Some(plan));
                self.pending.push(id);
                id
            }),
        };
        self.known.insert((callee, lanes, arguments), version);
        Ok(version)
    }

    fn add(&mut self, callee: Callee, lanes: u32, arguments: &[Argument], plan: Option<Plan>) -> VersionId {
        let id = VersionId(self.versions.len() as u32);
        self.versions.push(Version { callee, lanes, arguments: arguments.to_vec(), plan });
        id
    }

    /// The plan of a function as a gang, or why there is none.
    fn plan(
        &self,
        function: &Function<'m>,
        callee: Callee,
        lanes: u32,
        arguments: &[Argument],
    ) -> Result<Result<Plan, Declined>> {
        if self.wanted.layout == Layout::Line && self.tree.needs_block(callee) {
            return Ok(Err(Declined::AsksInLine));
        }
        let is_copied = |parameter: &Parameter<'_>| parameter.by_value.is_some() || parameter.is_result;
        if function.parameters.len() != arguments.len() || function.parameters.iter().any(is_copied) {
            return Ok(Err(Declined::TakesCopy));
        }
        let varying = function.parameters.iter().zip(arguments).filter(|(_, a)| **a == Argument::Varies);
        let types = varying.map(|(parameter, _)| &parameter.ty).chain([&function.result]);
        let components: Result<usize, _> = types.map(|ty| components_of(ty).map(|components| components.len())).sum();
        if components.map_or(true, |components| components > VERSION_COMPONENTS) {
            return Ok(Err(Declined::LongArguments));
        }
        let wanted = Wanted { lanes, ..self.wanted };
        let plan = plan_with(function, wanted, arguments.iter().map(|a| a.shape()).collect())?;
        if let Err(declined) = plan.gangs {
            return Ok(Err(declined));
        }
        let in_frame = plan.objects.iter().all(|object| object.home == Home::Frame);
        Ok(if in_frame { Ok(plan) } else { Err(Declined::LargeObjects) })
    }
}
