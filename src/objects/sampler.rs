//! Samplers.

use std::sync::Arc;

use khronos_headers as cl;
use oxicl_protocol::SamplerBits;

use crate::context::Context;
use crate::properties::PropertyList;
use crate::{ApiError, HandleCell, InfoValue};

const NORMALIZED: u64 = cl::CL_SAMPLER_NORMALIZED_COORDS as u64;
const ADDRESSING: u64 = cl::CL_SAMPLER_ADDRESSING_MODE as u64;
const FILTER: u64 = cl::CL_SAMPLER_FILTER_MODE as u64;

/// A sampler.
pub struct Sampler {
    /// The application's handle.
    pub handle: HandleCell,
    /// The context that it was created in.
    pub context: Arc<Context>,
    properties: PropertyList,
    bits: SamplerBits,
}

/// How a sampler reads, as the application says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerModes {
    /// `cl_bool`: coordinates run from 0 to 1.
    pub normalized: u64,
    /// `cl_addressing_mode`.
    pub addressing: u64,
    /// `cl_filter_mode`.
    pub filter: u64,
}

impl Sampler {
    /// The names in the property list of `clCreateSamplerWithProperties`.
    pub const PROPERTIES: &'static [u64] = &[NORMALIZED, ADDRESSING, FILTER];

    /// `clCreateSamplerWithProperties`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for unknown properties and values; "CL_INVALID_OPERATION if images are not supported by any
    /// device associated with context".
    pub fn create(context: &Arc<Context>, properties: PropertyList) -> Result<Arc<Sampler>, ApiError> {
        properties.check(Self::PROPERTIES, ApiError::InvalidValue)?;
        let value = |name: u64, default: u32| properties.get(name).unwrap_or(default.into());
        let modes = SamplerModes {
            normalized: value(NORMALIZED, cl::CL_TRUE),
            addressing: value(ADDRESSING, cl::CL_ADDRESS_CLAMP),
            filter: value(FILTER, cl::CL_FILTER_NEAREST),
        };
        Self::with(context, modes, properties)
    }

    /// `clCreateSampler`: the same without a list that a query could give back.
    ///
    /// # Errors
    /// As for [`Sampler::create`].
    pub fn create_plain(context: &Arc<Context>, modes: SamplerModes) -> Result<Arc<Sampler>, ApiError> {
        Self::with(context, modes, PropertyList::absent())
    }

    fn with(context: &Arc<Context>, modes: SamplerModes, properties: PropertyList) -> Result<Arc<Sampler>, ApiError> {
        context.check_images()?;
        let wrong = |why: &'static str| ApiError::InvalidValue.because(why);
        let normalized = match u32::try_from(modes.normalized) {
            Ok(cl::CL_FALSE) => false,
            Ok(cl::CL_TRUE) => true,
            _ => return Err(wrong("coordinates are normalised or not")),
        };
        // OpenCL and SPIR-V have the modes in the same order.
        let literal = |mode: u64, first: u32| u32::try_from(mode).ok()?.checked_sub(first);
        let addressing = literal(modes.addressing, cl::CL_ADDRESS_NONE);
        let bits = addressing.zip(literal(modes.filter, cl::CL_FILTER_NEAREST));
        let bits = bits.and_then(|(addressing, filter)| SamplerBits::from_literal(addressing, normalized, filter));
        let bits = bits.ok_or_else(|| wrong("there is no such addressing or filter mode"))?;
        Ok(Arc::new(Sampler { handle: HandleCell::new(), context: Arc::clone(context), properties, bits }))
    }

    /// What kernels are told.
    pub fn bits(&self) -> SamplerBits {
        self.bits
    }

    /// `clGetSamplerInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a query that does not exist.
    pub fn info(&self, name: cl::cl_sampler_info) -> Result<InfoValue, ApiError> {
        Ok(match name {
            cl::CL_SAMPLER_REFERENCE_COUNT => InfoValue::ReferenceCount,
            cl::CL_SAMPLER_CONTEXT => InfoValue::Context(Arc::clone(&self.context)),
            cl::CL_SAMPLER_NORMALIZED_COORDS => InfoValue::Bool(self.bits.normalized()),
            cl::CL_SAMPLER_ADDRESSING_MODE => InfoValue::U32(cl::CL_ADDRESS_NONE + self.bits.addressing() as u32),
            cl::CL_SAMPLER_FILTER_MODE => {
                InfoValue::U32(if self.bits.linear() { cl::CL_FILTER_LINEAR } else { cl::CL_FILTER_NEAREST })
            }
            cl::CL_SAMPLER_PROPERTIES => InfoValue::u64s(self.properties.words()),
            _ => return Err(ApiError::InvalidValue.because("there is no such query")),
        })
    }
}
