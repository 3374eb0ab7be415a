//! Samplers.

use std::sync::Arc;

use khronos_headers as cl;
use oxicl_abi::SamplerBits;
use oxicl_caps::Feature;

use crate::context::Context;
use crate::properties::PropertyList;
use crate::{ApiError, HandleCell, InfoValue};

const NORMALIZED: u64 = cl::CL_SAMPLER_NORMALIZED_COORDS as u64;
const ADDRESSING: u64 = cl::CL_SAMPLER_ADDRESSING_MODE as u64;
const FILTER: u64 = cl::CL_SAMPLER_FILTER_MODE as u64;
const MIP_FILTER: u64 = cl::CL_SAMPLER_MIP_FILTER_MODE_KHR;
const LEAST_LEVEL: u64 = cl::CL_SAMPLER_LOD_MIN_KHR;
const MOST_LEVEL: u64 = cl::CL_SAMPLER_LOD_MAX_KHR;

/// A sampler.
pub struct Sampler {
    /// The application's handle.
    pub handle: HandleCell,
    /// The context that it was created in.
    pub context: Arc<Context>,
    properties: PropertyList,
    bits: SamplerBits,
    /// The least and the largest level of detail, as the application said.
    levels: [f32; 2],
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
    pub const PROPERTIES: &'static [u64] = &[NORMALIZED, ADDRESSING, FILTER, MIP_FILTER, LEAST_LEVEL, MOST_LEVEL];

    /// `clCreateSamplerWithProperties`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for unknown properties and values; "CL_INVALID_OPERATION if images are not supported by any
    /// device associated with context".
    pub fn create(context: &Arc<Context>, properties: PropertyList) -> Result<Arc<Sampler>, ApiError> {
        properties.check(Self::PROPERTIES, ApiError::InvalidValue)?;
        let names_levels = [MIP_FILTER, LEAST_LEVEL, MOST_LEVEL].iter().any(|name| properties.get(*name).is_some());
        if names_levels && !context.has_feature(Feature::MipmapImages) {
            return Err(ApiError::InvalidValue.because("images have no levels of detail"));
        }
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
        let mip_filter = properties.get(MIP_FILTER).unwrap_or(cl::CL_FILTER_NEAREST.into());
        let mip_filter = literal(mip_filter, cl::CL_FILTER_NEAREST).filter(|mode| *mode <= 1);
        let mip_linear = mip_filter.ok_or_else(|| wrong("there is no such filter mode"))? == 1;
        // A `cl_float` is the first bytes of the property.
        let level = |name: u64, default: f32| properties.get(name).map_or(default, |word| f32::from_bits(word as u32));
        let levels = [level(LEAST_LEVEL, 0.0), level(MOST_LEVEL, f32::MAX)];
        let bits = bits.with_levels(mip_linear, levels[0], levels[1]);
        Ok(Arc::new(Sampler { handle: HandleCell::new(), context: Arc::clone(context), properties, bits, levels }))
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
        let has_levels = self.context.has_feature(Feature::MipmapImages);
        let filter = |linear: bool| InfoValue::U32(if linear { cl::CL_FILTER_LINEAR } else { cl::CL_FILTER_NEAREST });
        Ok(match name {
            cl::CL_SAMPLER_REFERENCE_COUNT => InfoValue::ReferenceCount,
            cl::CL_SAMPLER_CONTEXT => InfoValue::Context(Arc::clone(&self.context)),
            cl::CL_SAMPLER_NORMALIZED_COORDS => InfoValue::Bool(self.bits.normalized()),
            cl::CL_SAMPLER_ADDRESSING_MODE => InfoValue::U32(cl::CL_ADDRESS_NONE + self.bits.addressing() as u32),
            cl::CL_SAMPLER_FILTER_MODE => filter(self.bits.linear()),
            cl::CL_SAMPLER_MIP_FILTER_MODE if has_levels => filter(self.bits.mip_linear()),
            cl::CL_SAMPLER_LOD_MIN if has_levels => InfoValue::U32(self.levels[0].to_bits()),
            cl::CL_SAMPLER_LOD_MAX if has_levels => InfoValue::U32(self.levels[1].to_bits()),
            cl::CL_SAMPLER_PROPERTIES => InfoValue::u64s(self.properties.words()),
            _ => return Err(ApiError::InvalidValue.because("there is no such query")),
        })
    }
}
