//! `clSetProgramSpecializationConstant`.

use std::collections::HashMap;
use std::sync::Arc;

use oxicl_spirv::Module;
use parking_lot::Mutex;

use super::{Origin, Program, flow};
use crate::ApiError;

/// The specialisation constants of a program, and what the application wants them to be.
#[derive(Default)]
pub(super) struct Specialisation {
    words: Arc<[u32]>,
    /// Size in bytes by `SpecId`.
    sizes: HashMap<u32, u32>,
    state: Mutex<Values>,
}

#[derive(Default)]
struct Values {
    /// Bits, zero-extended, by `SpecId`.
    values: HashMap<u32, u64>,
    /// Whether a value was set since the modules were checked.
    changed: bool,
}

impl Specialisation {
    /// The constants that a module has, all with their defaults.
    pub(super) fn of(module: &Module) -> Self {
        let constants = oxicl_spirv::spec_constants(module);
        if constants.is_empty() {
            return Specialisation::default();
        }
        let sizes = constants.into_iter().map(|constant| (constant.spec_id, constant.size)).collect();
        Specialisation { words: module.words.as_slice().into(), sizes, state: Mutex::default() }
    }

    fn set(&self, id: u32, value: &[u8]) -> Result<(), ApiError> {
        let size = *self.sizes.get(&id).ok_or(ApiError::InvalidSpecId)?;
        if value.len() != size as usize {
            return Err(ApiError::InvalidValue);
        }
        let mut bits = [0; 8];
        bits.get_mut(..value.len()).ok_or(ApiError::InvalidValue)?.copy_from_slice(value);
        let mut state = self.state.lock();
        state.values.insert(id, u64::from_le_bytes(bits));
        state.changed = true;
        Ok(())
    }

    /// The values, if they changed since the last call.
    fn changed(&self) -> Option<HashMap<u32, u64>> {
        let mut state = self.state.lock();
        std::mem::take(&mut state.changed).then(|| state.values.clone())
    }
}

impl Program {
    /// `clSetProgramSpecializationConstant`: applies to later builds.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM` if the program was not made from SPIR-V; `CL_INVALID_SPEC_ID` if it has no such constant;
    /// `CL_INVALID_VALUE` if the value has another size.
    pub fn set_specialisation_constant(&self, id: u32, value: &[u8]) -> Result<(), ApiError> {
        if !matches!(self.origin, Origin::Il(_)) {
            return Err(ApiError::InvalidProgram);
        }
        self.specialisation.set(id, value)
    }

    /// Checks the modules again if constants have changed.
    pub(super) fn specialise(&self) {
        let Some(values) = self.specialisation.changed() else { return };
        let mut checked: Vec<_> = Vec::with_capacity(self.devices.len());
        for device in &self.devices {
            checked.push(flow::check_words(&self.specialisation.words, &values, device.caps));
        }
        for (target, module) in self.targets.lock().iter_mut().zip(checked) {
            target.module = Some(module);
        }
    }
}
