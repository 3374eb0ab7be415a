//! `clGetKernelInfo` and `clGetKernelArgInfo`.

use std::sync::Arc;

use khronos_headers as cl;
use oxicl_abi::ArgumentKind;
use oxicl_spirv::grammar::AccessQualifier;

use super::{Kernel, names};
use crate::{ApiError, InfoValue};

impl Kernel {
    /// `clGetKernelInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a query that does not exist.
    pub fn info(&self, name: cl::cl_kernel_info) -> Result<InfoValue, ApiError> {
        Ok(match name {
            cl::CL_KERNEL_FUNCTION_NAME => InfoValue::Str(self.signature.name.clone()),
            cl::CL_KERNEL_NUM_ARGS => InfoValue::U32(u32::try_from(self.signature.arguments.len()).unwrap_or(u32::MAX)),
            cl::CL_KERNEL_REFERENCE_COUNT => InfoValue::ReferenceCount,
            cl::CL_KERNEL_CONTEXT => InfoValue::Context(Arc::clone(&self.program().context)),
            cl::CL_KERNEL_PROGRAM => InfoValue::Program(Arc::clone(self.program())),
            // "For kernels not created from OpenCL C source and the clCreateProgramWithSource API call the string
            // returned from this query will be empty."
            cl::CL_KERNEL_ATTRIBUTES => {
                let attributes =
                    self.from_source.then(|| names::attributes(self.module.module(), &self.signature.name));
                InfoValue::Str(attributes.flatten().unwrap_or_default().to_owned())
            }
            _ => return Err(ApiError::InvalidValue.because("there is no such query")),
        })
    }

    /// `clGetKernelArgInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_ARG_INDEX`; `CL_INVALID_VALUE` for a query that does not exist; `CL_KERNEL_ARG_INFO_NOT_AVAILABLE`
    /// for names that the module does not have. Modules made of OpenCL C have all names, whatever the build options.
    pub fn argument_info(&self, index: u32, name: cl::cl_kernel_arg_info) -> Result<InfoValue, ApiError> {
        let index = index as usize;
        let argument = self.signature.arguments.get(index).ok_or(ApiError::InvalidArgIndex)?;
        let module = self.module.module();
        let missing = || ApiError::KernelArgInfoNotAvailable;
        let listed = |what: &str| {
            let entries = names::list(module, what, &self.signature.name, self.signature.arguments.len())?;
            entries.get(index).map(|entry| (*entry).to_owned())
        };
        Ok(match name {
            cl::CL_KERNEL_ARG_ADDRESS_QUALIFIER => InfoValue::U32(match argument.kind {
                ArgumentKind::Value | ArgumentKind::ByValue | ArgumentKind::Sampler => {
                    cl::CL_KERNEL_ARG_ADDRESS_PRIVATE
                }
                ArgumentKind::Global | ArgumentKind::Image(_) => cl::CL_KERNEL_ARG_ADDRESS_GLOBAL,
                ArgumentKind::Constant => cl::CL_KERNEL_ARG_ADDRESS_CONSTANT,
                ArgumentKind::Local { .. } => cl::CL_KERNEL_ARG_ADDRESS_LOCAL,
            }),
            // Only images and pipes have one.
            cl::CL_KERNEL_ARG_ACCESS_QUALIFIER => InfoValue::U32(match argument.kind {
                ArgumentKind::Image(image) => match image.access {
                    AccessQualifier::ReadOnly => cl::CL_KERNEL_ARG_ACCESS_READ_ONLY,
                    AccessQualifier::WriteOnly => cl::CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
                    AccessQualifier::ReadWrite => cl::CL_KERNEL_ARG_ACCESS_READ_WRITE,
                },
                _ => cl::CL_KERNEL_ARG_ACCESS_NONE,
            }),
            cl::CL_KERNEL_ARG_TYPE_NAME => InfoValue::Str(listed("kernel_arg_type").ok_or_else(missing)?),
            cl::CL_KERNEL_ARG_TYPE_QUALIFIER => {
                InfoValue::U64(self.type_qualifiers(index, argument.kind, listed("kernel_arg_type_qual").as_deref()))
            }
            cl::CL_KERNEL_ARG_NAME => {
                let parameter = names::parameter(module, self.signature.function, index).ok_or_else(missing)?;
                match module.names.get(&parameter).filter(|name| !name.is_empty()) {
                    Some(name) => InfoValue::Str(name.clone()),
                    // The source gave it none.
                    None if self.from_source => InfoValue::Str(String::new()),
                    None => return Err(missing()),
                }
            }
            _ => return Err(ApiError::InvalidValue.because("there is no such query")),
        })
    }

    /// `CL_KERNEL_ARG_TYPE_QUALIFIER`: what the producer listed, else what decorations tell.
    fn type_qualifiers(&self, index: usize, kind: ArgumentKind, listed: Option<&str>) -> u64 {
        // "This will be CL_KERNEL_ARG_TYPE_NONE for all parameters passed by value."
        if matches!(kind, ArgumentKind::Value | ArgumentKind::ByValue | ArgumentKind::Sampler) {
            return cl::CL_KERNEL_ARG_TYPE_NONE;
        }
        let module = self.module.module();
        let (constant, restrict, volatile) = match listed {
            Some(words) => {
                let has = |qualifier: &str| words.split_whitespace().any(|word| word == qualifier);
                (has("const"), has("restrict"), has("volatile"))
            }
            None => match names::parameter(module, self.signature.function, index) {
                Some(parameter) => names::decorated(module, parameter),
                None => (false, false, false),
            },
        };
        let bit = |set: bool, bit: u64| if set { bit } else { 0 };
        // "If the argument is declared with the constant address space qualifier, the const qualifier is returned, too."
        bit(constant || kind == ArgumentKind::Constant, cl::CL_KERNEL_ARG_TYPE_CONST)
            | bit(restrict, cl::CL_KERNEL_ARG_TYPE_RESTRICT)
            | bit(volatile, cl::CL_KERNEL_ARG_TYPE_VOLATILE)
    }
}
