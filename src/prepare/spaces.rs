//! Marks accesses that do not overlap with alias scopes, which all of LLVM's passes ask about.
//!
//! Global, constant and local memory do not overlap. LLVM has address spaces, but does not know what they mean on these
//! machines. With scopes, a sum in global memory that a loop forms of numbers in local memory is kept in a register,
//! and lanes access it once. If the buffers of a launch do not overlap, neither do accesses by different parameters of
//! the kernel. (`noalias` would say too much: that no other work-item changes the memory across a barrier.)
//!
//! **Spec**: OpenCL C 3.0, 6.7 (the named address spaces are disjoint); OpenCL API 3.0, 3.3.1 (constant memory stays as
//! it is while a kernel runs).

use std::collections::BTreeSet;

use oxicl_llvm::{Context, Metadata, Module, Opcode, Value, ValueKind};

/// The address spaces, with the name of each one's scope.
const SPACES: [(u32, &str); 3] = [(1, "global"), (2, "constant"), (3, "local")];

/// A bound on compile time: how many values an address is followed through.
const FAR: usize = 64;

/// Marks the accesses of all functions by address space, if they are to several, and, if a launch's `buffers` do not
/// overlap, by the kernel's parameter, if they go by several. True if it marks any.
pub(crate) fn mark<'m>(module: &'m Module<'_>, context: &'m Context, buffers: bool) -> bool {
    let functions = module.functions().into_iter().filter(|function| !function.is_declaration());
    let functions: Vec<_> = functions.map(|function| Accesses::of(function, buffers)).collect();
    let is_used =
        |space: &usize| functions.iter().any(|of| of.accesses.iter().any(|access| access.space == Some(*space)));
    let tells_spaces = (0..SPACES.len()).filter(is_used).count() > 1;
    let [scope, apart] = ["alias.scope", "noalias"].map(|kind| context.metadata_kind(kind));
    let domain = context.metadata_node(&[context.metadata_string("address spaces")]);
    let spaces = SPACES.map(|(_, name)| context.metadata_node(&[context.metadata_string(name), domain]));
    let mut marks = false;
    for Accesses { name, accesses, parameters } in &functions {
        let tells_buffers = parameters.len() > 1;
        if !tells_spaces && !tells_buffers {
            continue;
        }
        let domain = context.metadata_node(&[context.metadata_string(&format!("buffers of {name}"))]);
        let of_parameter = |index: &u32| context.metadata_node(&[context.metadata_string(&index.to_string()), domain]);
        // Scopes that an access has already stay.
        for access in
            accesses.iter().filter(|access| !access.inst.has_metadata(scope) && !access.inst.has_metadata(apart))
        {
            let list = |is_in: bool| {
                let space = access.space.filter(|_| tells_spaces);
                let in_space = (0..SPACES.len()).filter(|other| space.is_some_and(|space| (space == *other) == is_in));
                let parameter = access.parameter.filter(|_| tells_buffers);
                let by_parameter = parameters
                    .iter()
                    .filter(|other| parameter.is_some_and(|parameter| (parameter == **other) == is_in));
                in_space.map(|space| spaces[space]).chain(by_parameter.map(of_parameter)).collect::<Vec<Metadata<'_>>>()
            };
            let (its, others) = (list(true), list(false));
            if !its.is_empty() {
                access.inst.set_metadata(context, scope, context.metadata_node(&its));
                access.inst.set_metadata(context, apart, context.metadata_node(&others));
                marks = true;
            }
        }
    }
    marks
}

/// The accesses of a function.
struct Accesses<'m> {
    name: String,
    accesses: Vec<Access<'m>>,
    /// The parameters by which a kernel accesses buffers; none unless `buffers` was asked for.
    parameters: BTreeSet<u32>,
}

struct Access<'m> {
    inst: Value<'m>,
    /// Index of its address space in [`SPACES`].
    space: Option<usize>,
    /// Number of the kernel's parameter that its address is computed from.
    parameter: Option<u32>,
}

impl<'m> Accesses<'m> {
    fn of(function: Value<'m>, buffers: bool) -> Self {
        // Nobody calls a kernel.
        let is_kernel = buffers && function.users().is_empty();
        let parameters = if is_kernel { function.parameters() } else { Vec::new() };
        let access = |inst: Value<'m>| {
            let address = address(inst)?;
            let space = SPACES.iter().position(|(space, _)| *space == address.ty().address_space());
            Some(Access { inst, space, parameter: leads_from(address, &parameters) })
        };
        let accesses: Vec<_> =
            function.blocks().into_iter().flat_map(|block| block.instructions()).filter_map(access).collect();
        let parameters = accesses.iter().filter_map(|access| access.parameter).collect();
        Accesses { name: function.name(), accesses, parameters }
    }
}

/// The address that a load, store or atomic operation accesses.
fn address(inst: Value<'_>) -> Option<Value<'_>> {
    match inst.opcode() {
        Some(Opcode::Load | Opcode::AtomicRmw | Opcode::AtomicCmpXchg) => inst.operand(0),
        Some(Opcode::Store) => inst.operand(1),
        _ => None,
    }
}

/// The one parameter that an address is computed from, whichever path leads to it, if it points to global or constant
/// memory; `None` if that is not certain.
fn leads_from(address: Value<'_>, parameters: &[Value<'_>]) -> Option<u32> {
    let (mut work, mut seen, mut found) = (vec![address], Vec::new(), None);
    while let Some(at) = work.pop() {
        if seen.contains(&at) {
            continue;
        }
        seen.push(at);
        match (at.kind(), at.opcode()) {
            _ if seen.len() > FAR => return None,
            (ValueKind::Parameter, _) => {
                let index = parameters.iter().position(|parameter| *parameter == at)?;
                if !matches!(at.ty().address_space(), 1 | 2) || found.is_some_and(|found| found != index) {
                    return None;
                }
                found = Some(index);
            }
            (_, Some(Opcode::GetElementPtr | Opcode::AddrSpaceCast | Opcode::BitCast)) => work.push(at.operand(0)?),
            (_, Some(Opcode::Select)) => work.extend([at.operand(1)?, at.operand(2)?]),
            (_, Some(Opcode::Phi)) => work.extend(at.incoming().into_iter().map(|(value, _)| value)),
            _ => return None,
        }
    }
    found.and_then(|index| u32::try_from(index).ok())
}
