//! Declared capabilities, those they imply, and what needs them.

use std::collections::HashSet;

use oxicl_spirv::grammar::{Capability, Op};
use oxicl_spirv::{Module, capabilities_of, op_name};

use crate::rule::Rule;
use crate::violation::{Check, fault};

/// The capabilities that a module declares, and what these imply.
#[derive(Debug)]
pub(crate) struct Declared(HashSet<Capability>);

/// The capability that another one implies, in the part of the grammar that kernels use. Chains are followed.
fn implied(capability: Capability) -> Option<Capability> {
    Some(match capability {
        Capability::Vector16
        | Capability::Float16Buffer
        | Capability::ImageBasic
        | Capability::Pipes
        | Capability::DeviceEnqueue
        | Capability::LiteralSampler
        | Capability::NamedBarrier => Capability::Kernel,
        Capability::ImageReadWrite | Capability::ImageMipmap => Capability::ImageBasic,
        Capability::GenericPointer => Capability::Addresses,
        Capability::Int64Atomics => Capability::Int64,
        Capability::SubgroupDispatch => Capability::DeviceEnqueue,
        Capability::PipeStorage => Capability::Pipes,
        Capability::Image1D => Capability::Sampled1D,
        Capability::ImageBuffer => Capability::SampledBuffer,
        Capability::GroupNonUniformVote
        | Capability::GroupNonUniformArithmetic
        | Capability::GroupNonUniformBallot
        | Capability::GroupNonUniformShuffle
        | Capability::GroupNonUniformShuffleRelative
        | Capability::GroupNonUniformClustered
        | Capability::GroupNonUniformRotateKHR => Capability::GroupNonUniform,
        Capability::DotProductInput4x8Bit => Capability::Int8,
        _ => return None,
    })
}

impl Declared {
    pub(crate) fn of(module: &Module) -> Declared {
        let mut all = HashSet::new();
        for (capability, _) in &module.capabilities {
            let mut next = Some(*capability);
            while let Some(capability) = next {
                all.insert(capability);
                next = implied(capability);
            }
        }
        Declared(all)
    }

    pub(crate) fn has(&self, capability: Capability) -> bool {
        self.0.contains(&capability)
    }

    /// `what` needs one of `any`.
    pub(crate) fn needs(&self, any: &[Capability], what: &str) -> Check {
        if any.is_empty() || any.iter().any(|capability| self.has(*capability)) {
            return Ok(());
        }
        let names: Vec<String> = any.iter().map(|capability| format!("{capability:?}")).collect();
        fault(Rule::CapabilityDeclared, format!("{what} needs the capability {}", names.join(" or ")))
    }

    /// The instruction `op` has what it needs.
    pub(crate) fn instruction(&self, op: Op) -> Check {
        let any = capabilities_of(op);
        if any.is_empty() || any.iter().any(|capability| self.has(*capability)) {
            return Ok(());
        }
        self.needs(any, &op_name(op))
    }
}
