//! Built-in variables: SPIR-V 3.21, for the Kernel execution model.

use oxicl_spirv::grammar::{BuiltIn, Decoration, StorageClass};
use oxicl_spirv::{Instruction, Type};

use crate::Fault;
use crate::machine::Machine;
use crate::value::Value;

impl Machine<'_> {
    /// Content of the Input variables for the work-item with this local id.
    pub(crate) fn inputs(&self, local_id: [u64; 3]) -> Result<Vec<u8>, Fault> {
        let module = self.module();
        let mut bytes = vec![0; self.program.input_bytes()];
        for global in module.globals.iter().filter(|global| global.storage == StorageClass::Input) {
            let decoration = module.decorations_of(global.id).iter().find(|d| d.decoration == Decoration::BuiltIn);
            let Some(builtin) = decoration.and_then(|d| d.operands.first()).and_then(|w| BuiltIn::from_u32(*w)) else {
                continue;
            };
            let (offset, ty) = self.program.input(global.id)?;
            let lanes = self.builtin(builtin, local_id)?;
            let width = self.program.element_width(ty)?;
            let value = match lanes {
                Lanes::One(lane) => Value::Scalar(crate::value::truncate(lane, width)),
                Lanes::Mask(bits) => match self.program.lane_count(ty) {
                    1 => Value::Scalar(crate::value::truncate(bits, width)),
                    count => Value::Vector(
                        (0..count).map(|lane| if lane < 2 { bits >> (32 * lane) & 0xFFFF_FFFF } else { 0 }).collect(),
                    ),
                },
                Lanes::Three(lanes) => Value::Vector(lanes.map(|lane| crate::value::truncate(lane, width)).to_vec()),
            };
            self.program.put(&mut bytes, offset as u64, &value, ty)?;
        }
        Ok(bytes)
    }

    /// OpReadClockKHR: instructions that the launch has executed, as a number or as its two halves.
    pub(crate) fn read_clock(&self, inst: &Instruction) -> Result<Value, Fault> {
        Ok(match self.result_type(inst)? {
            Type::Vector { .. } => Value::Vector(vec![self.clock & 0xFFFF_FFFF, self.clock >> 32]),
            _ => Value::Scalar(self.clock),
        })
    }

    fn builtin(&self, builtin: BuiltIn, local: [u64; 3]) -> Result<Lanes, Fault> {
        let group = &self.group;
        let range = &group.range;
        let items = group.size[0] * group.size[1] * group.size[2];
        let linear = local[0] + group.size[0] * (local[1] + group.size[1] * local[2]);
        // Without the offset; the linear id leaves it out.
        let global = [0, 1, 2].map(|d| group.id[d] * range.local_size[d] + local[d]);
        let size = group.sub_group_size;
        let own = linear % size;
        let mask =
            |set: fn(u64, u64) -> bool| Lanes::Mask((0..size).filter(|bit| set(*bit, own)).map(|bit| 1 << bit).sum());
        Ok(match builtin {
            BuiltIn::GlobalInvocationId => Lanes::Three([0, 1, 2].map(|d| global[d] + range.global_offset[d])),
            BuiltIn::LocalInvocationId => Lanes::Three(local),
            BuiltIn::WorkgroupId => Lanes::Three(group.id),
            BuiltIn::NumWorkgroups => Lanes::Three(range.num_groups()),
            BuiltIn::WorkgroupSize => Lanes::Three(group.size),
            BuiltIn::EnqueuedWorkgroupSize => Lanes::Three(range.local_size),
            BuiltIn::GlobalSize => Lanes::Three(range.global_size),
            BuiltIn::GlobalOffset => Lanes::Three(range.global_offset),
            BuiltIn::WorkDim => Lanes::One(u64::from(range.work_dim)),
            BuiltIn::LocalInvocationIndex => Lanes::One(linear),
            BuiltIn::GlobalLinearId => {
                Lanes::One(global[0] + range.global_size[0] * (global[1] + range.global_size[1] * global[2]))
            }
            BuiltIn::SubgroupMaxSize => Lanes::One(size),
            BuiltIn::SubgroupSize => Lanes::One(size.min(items - linear / size * size)),
            BuiltIn::NumSubgroups => Lanes::One(items.div_ceil(size)),
            BuiltIn::NumEnqueuedSubgroups => Lanes::One(range.local_size.iter().product::<u64>().div_ceil(size)),
            BuiltIn::SubgroupId => Lanes::One(linear / size),
            BuiltIn::SubgroupLocalInvocationId => Lanes::One(own),
            BuiltIn::SubgroupEqMask => mask(|bit, own| bit == own),
            BuiltIn::SubgroupGeMask => mask(|bit, own| bit >= own),
            BuiltIn::SubgroupGtMask => mask(|bit, own| bit > own),
            BuiltIn::SubgroupLeMask => mask(|bit, own| bit <= own),
            BuiltIn::SubgroupLtMask => mask(|bit, own| bit < own),
            _ => return Err(Fault::Malformed("a built-in variable that kernels do not have")),
        })
    }
}

enum Lanes {
    One(u64),
    Three([u64; 3]),
    /// A ballot of these bits.
    Mask(u64),
}
