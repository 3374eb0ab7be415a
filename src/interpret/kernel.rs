//! Kernels of a program: what they reach, and where their local variables lie.

use std::collections::HashMap;

use oxicl_abi::KernelSignature;
use oxicl_spirv::grammar::{Op, StorageClass};
use oxicl_spirv::{ConstantKind, Def, Id, Module, Operand};

use crate::Fault;
use crate::program::Program;

/// A kernel, ready to run.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) signature: KernelSignature,
    /// Number of its function.
    pub(crate) function: u32,
    locals: HashMap<Id, u64>,
    local_bytes: u64,
}

impl Kernel {
    /// Bytes of local memory that its own variables take; local arguments lie behind them.
    pub fn local_bytes(&self) -> u64 {
        self.local_bytes
    }

    /// Work-items of a full sub-group, if `default` is the size for kernels that ask for none.
    pub fn sub_group_size(&self, default: u32) -> u32 {
        self.signature.required_sub_group_size.unwrap_or(default).max(1)
    }

    pub(crate) fn local_offset(&self, variable: Id) -> Option<u64> {
        self.locals.get(&variable).copied()
    }
}

impl Program {
    /// The kernel of a name.
    ///
    /// # Errors
    /// There is none.
    pub fn kernel(&self, name: &str) -> Result<Kernel, Fault> {
        let kernels = &self.facts().kernels;
        let signature = kernels.iter().find(|k| k.name == name).ok_or_else(|| Fault::NoKernel(name.to_string()))?;
        let function = self.function(signature.function)?;
        let mut kernel = Kernel { signature: signature.clone(), function, locals: HashMap::new(), local_bytes: 0 };
        let module = self.module();
        for number in locals(module, function) {
            let Some(global) = module.globals.get(number as usize) else { continue };
            let pointee = self.pointee(global.ty)?;
            let declared = u64::from(module.alignment(global.id).unwrap_or(1));
            let offset = kernel.local_bytes.next_multiple_of(self.align(pointee)?.max(declared).max(1));
            kernel.local_bytes = offset.checked_add(self.size(pointee)?).ok_or(Fault::Memory)?;
            kernel.locals.insert(global.id, offset);
        }
        Ok(kernel)
    }
}

/// Workgroup variables that a function and what it calls use, as numbers of module-scope variables.
fn locals(module: &Module, entry: u32) -> Vec<u32> {
    let in_constants = locals_of_constants(module);
    let mut reached = vec![false; module.functions.len()];
    let mut used = vec![false; module.globals.len()];
    let mut stack = vec![entry];
    while let Some(number) = stack.pop() {
        let Some(function) = module.functions.get(number as usize) else { continue };
        if std::mem::replace(&mut reached[number as usize], true) {
            continue;
        }
        for inst in function.blocks.iter().flat_map(|block| &block.instructions) {
            for operand in inst.operands(module) {
                let Operand::Id(id) = *operand else { continue };
                match module.def(id) {
                    Def::Function(callee) if inst.op == Op::FunctionCall => stack.push(callee),
                    Def::Global(number) => used[number as usize] = true,
                    Def::Constant(constant) => {
                        for number in in_constants.get(&constant.0).into_iter().flatten() {
                            used[*number as usize] = true;
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    let is_local = |number: &u32| module.globals[*number as usize].storage == StorageClass::Workgroup;
    (0..used.len() as u32).filter(|number| used[*number as usize]).filter(is_local).collect()
}

/// Constants in which addresses of Workgroup variables are.
fn locals_of_constants(module: &Module) -> HashMap<u32, Vec<u32>> {
    let mut found: HashMap<u32, Vec<u32>> = HashMap::new();
    for (index, constant) in module.constants.iter().enumerate() {
        let parts: Vec<Id> = match &constant.kind {
            ConstantKind::Composite(parts) => parts.clone(),
            ConstantKind::Operation { operands, .. } => {
                let range = operands.start as usize..(operands.start + operands.len) as usize;
                let operands = module.operands.get(range).unwrap_or_default().iter();
                operands.filter_map(|operand| if let Operand::Id(id) = operand { Some(*id) } else { None }).collect()
            }
            _ => continue,
        };
        let mut numbers = Vec::new();
        for part in parts {
            match module.def(part) {
                Def::Global(number) if module.globals[number as usize].storage == StorageClass::Workgroup => {
                    numbers.push(number);
                }
                Def::Constant(constant) => numbers.extend(found.get(&constant.0).into_iter().flatten()),
                _ => {}
            }
        }
        if !numbers.is_empty() {
            numbers.sort_unstable();
            numbers.dedup();
            found.insert(index as u32, numbers);
        }
    }
    found
}
