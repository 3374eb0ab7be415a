//! Signatures of kernels and the layout of their arguments.

use oxicl_abi::{Argument, ArgumentKind, KernelSignature, behind};
use oxicl_spirv::grammar::{AccessQualifier, ExecutionMode as Mode, FunctionParameterAttribute, StorageClass};
use oxicl_spirv::{Def, EntryPoint, ExecutionMode, Id, Operand, Parameter, Type, TypeRef};

use super::calls::Calls;
use crate::at::Subject;
use crate::opencl::arguments;
use crate::rule::Rule;
use crate::violation::{Check, fault};

/// Alignment of memory for local arguments, in bytes: that of the largest type of the language, since the type that a
/// pointer names need not be the one that it is used as.
const LOCAL_ALIGN: u32 = 128;

/// The signature of an entry point, without its execution modes.
pub(crate) fn signature(
    subject: Subject<'_>,
    calls: &Calls,
    entry: &EntryPoint,
    budget: &mut usize,
) -> Check<KernelSignature> {
    let Def::Function(number) = subject.module.def(entry.function) else {
        return fault(Rule::EntryPoint, format!("{} is no function", entry.function));
    };
    let Some(function) = subject.module.functions.get(number as usize) else {
        return fault(Rule::EntryPoint, format!("{} is no function", entry.function));
    };
    let Some(local_bytes) = calls.local_bytes(subject, number, budget) else {
        return fault(Rule::DeviceLimit, "the kernels' call trees have too many functions together");
    };
    let arguments = Vec::with_capacity(function.parameters.len());
    let mut kernel =
        KernelSignature { local_bytes, ..KernelSignature::new(entry.function, entry.name.clone(), arguments) };
    let mut bytes = 0u64;
    // An application counts neither what aligns its arguments nor the fourth component of a vector of three: a byte and a
    // vector of three doubles are 25 bytes to it, and 64 here.
    let most = 3 * subject.caps.limits.max_parameter_bytes;
    for (position, parameter) in function.parameters.iter().enumerate() {
        let (kind, size, align) = argument(subject, position, parameter)?;
        let Some(place) = behind(bytes, size, u64::from(align)).filter(|place| place.end <= most) else {
            return fault(
                Rule::DeviceLimit,
                format!("the arguments of `{}` have more than {most} bytes, alignment included", entry.name),
            );
        };
        bytes = place.end;
        // The limit is far below 2^32.
        kernel.arguments.push(Argument { kind, size: size as u32, align, offset: place.start as u32 });
    }
    kernel.argument_bytes = bytes as u32;
    image_limits(subject, &kernel)?;
    Ok(kernel)
}

/// The images and samplers among the arguments are no more than the device says that it takes.
fn image_limits(subject: Subject<'_>, kernel: &KernelSignature) -> Check {
    let limits = &subject.caps.limits.images;
    let images = |access: AccessQualifier| {
        let is_one = |it: &&Argument| matches!(it.kind, ArgumentKind::Image(image) if image.access == access);
        kernel.arguments.iter().filter(is_one).count()
    };
    let samplers = kernel.arguments.iter().filter(|it| it.kind == ArgumentKind::Sampler).count();
    for (what, count, most) in [
        ("images that are read", images(AccessQualifier::ReadOnly), limits.max_read_args),
        ("images that are written", images(AccessQualifier::WriteOnly), limits.max_write_args),
        ("images that are read and written", images(AccessQualifier::ReadWrite), limits.max_read_write_args),
        ("samplers", samplers, limits.max_samplers),
    ] {
        if count > most as usize {
            let detail = format!("`{}` has {count} arguments that are {what}, more than {most}", kernel.name);
            return fault(Rule::DeviceLimit, detail);
        }
    }
    Ok(())
}

/// Kind, size and alignment of an argument.
fn argument(subject: Subject<'_>, position: usize, parameter: &Parameter) -> Check<(ArgumentKind, u64, u32)> {
    let ty = parameter.ty;
    if let Some((storage, pointee)) = subject.pointer(ty) {
        if subject.holds_opaque(pointee) {
            let detail = format!("argument {position} is a pointer to images or samplers, which the host cannot give");
            return fault(Rule::KernelArgument, detail);
        }
        let kind = match storage {
            StorageClass::CrossWorkgroup | StorageClass::DeviceOnlyALTERA | StorageClass::HostOnlyALTERA => {
                ArgumentKind::Global
            }
            StorageClass::UniformConstant => ArgumentKind::Constant,
            StorageClass::Workgroup => {
                let declared = subject.module.alignment(parameter.id).unwrap_or(1);
                let of_type = subject.layouts.align_of(pointee).and_then(|align| u32::try_from(align).ok());
                ArgumentKind::Local { align: LOCAL_ALIGN.max(declared).max(of_type.unwrap_or(1)) }
            }
            StorageClass::Function
                if subject.module.has_parameter_attribute(parameter.id, FunctionParameterAttribute::ByVal) =>
            {
                let (size, align) = value(subject, position, pointee)?;
                return Ok((ArgumentKind::ByValue, size, align));
            }
            other => {
                return fault(
                    Rule::KernelArgument,
                    format!("argument {position} is a pointer to {other:?}, which the host cannot give"),
                );
            }
        };
        return Ok((kind, 8, 8));
    }
    if let Some(image) = subject.module.image_type(ty) {
        return Ok((ArgumentKind::Image(image), 8, 8));
    }
    if subject.declaration(ty) == Some(&Type::Sampler) {
        return Ok((ArgumentKind::Sampler, 8, 8));
    }
    let (size, align) = value(subject, position, ty)?;
    Ok((ArgumentKind::Value, size, align))
}

/// Size and alignment of a value that the host gives.
fn value(subject: Subject<'_>, position: usize, ty: TypeRef) -> Check<(u64, u32)> {
    let refused = |what: String| fault(Rule::KernelArgument, format!("argument {position} {what}"));
    arguments::value_type(subject, position, ty)?;
    match subject.layouts.get(ty).and_then(|layout| Some((layout.size, u32::try_from(layout.align).ok()?))) {
        Some(layout) => Ok(layout),
        None => refused("has no size".to_owned()),
    }
}

/// The operands of an execution mode as numbers; ids are constants.
fn numbers(subject: Subject<'_>, mode: &ExecutionMode) -> Check<Vec<u32>> {
    let number = |id: Id| subject.module.constant_bits(id).and_then(|bits| u32::try_from(bits).ok());
    let numbers: Option<Vec<u32>> = mode
        .operands
        .iter()
        .map(|operand| match operand {
            Operand::Word(word) => Some(*word),
            Operand::Id(id) => number(*id),
        })
        .collect();
    match numbers {
        Some(numbers) => Ok(numbers),
        None => fault(Rule::KernelMode, format!("{:?} has operands that are no constants", mode.mode)),
    }
}

/// Notes in `kernel` what an execution mode of it says.
pub(crate) fn take_mode(subject: Subject<'_>, mode: &ExecutionMode, kernel: &mut KernelSignature) -> Check {
    let operands = numbers(subject, mode)?;
    match (mode.mode, operands.as_slice()) {
        (Mode::LocalSize | Mode::LocalSizeId, &[x, y, z]) => {
            if x == 0 || y == 0 || z == 0 {
                return fault(Rule::KernelMode, format!("the work-group size is {x} x {y} x {z}"));
            }
            kernel.required_work_group_size = Some([x, y, z]);
            Ok(())
        }
        (Mode::LocalSizeHint | Mode::LocalSizeHintId, &[x, y, z]) => {
            kernel.work_group_size_hint = Some([x, y, z]);
            Ok(())
        }
        (Mode::VecTypeHint, &[hint]) => {
            kernel.vec_type_hint = Some(hint);
            Ok(())
        }
        (Mode::SubgroupSize, &[size]) => {
            if !subject.caps.limits.sub_group_sizes.contains(&size) {
                let detail = format!("SubgroupSize asks for sub-groups of {size} work-items, which the device has not");
                return fault(Rule::DeviceLimit, detail);
            }
            kernel.required_sub_group_size = Some(size);
            Ok(())
        }
        (Mode::MaxWorkgroupSizeINTEL, &[x, y, z]) => {
            if x == 0 || y == 0 || z == 0 {
                return fault(Rule::KernelMode, format!("the largest work-group size is {x} x {y} x {z}"));
            }
            kernel.launch.max_work_group_size = Some([x, y, z]);
            Ok(())
        }
        (Mode::MaxWorkDimINTEL, &[dimensions]) => {
            if dimensions > 3 {
                return fault(Rule::KernelMode, format!("{dimensions} is no number of dimensions"));
            }
            kernel.launch.max_dimensions = Some(dimensions);
            Ok(())
        }
        (Mode::NoGlobalOffsetINTEL, []) => {
            kernel.launch.no_offset = true;
            Ok(())
        }
        // What they ask for holds for every kernel (denormal numbers, rounding to nearest), is kept by the compiler, or
        // says something to devices of another kind.
        (Mode::DenormPreserve | Mode::SignedZeroInfNanPreserve | Mode::RoundingModeRTE, &[_]) => Ok(()),
        (Mode::DenormFlushToZero, &[width]) => fault(
            Rule::NotSupported,
            format!("DenormFlushToZero {width}: this device keeps denormal numbers, it never takes them for zeros"),
        ),
        (Mode::RoundingModeRTZ, &[width]) => fault(
            Rule::NotSupported,
            format!("RoundingModeRTZ {width}: this device rounds to nearest; single conversions round otherwise"),
        ),
        (
            Mode::NumSIMDWorkitemsINTEL
            | Mode::SchedulerTargetFmaxMhzINTEL
            | Mode::StreamingInterfaceINTEL
            | Mode::RegisterMapInterfaceINTEL
            | Mode::MaximumRegistersINTEL
            | Mode::MaximumRegistersIdINTEL
            | Mode::NamedMaximumRegistersINTEL,
            &[_],
        ) => Ok(()),
        (Mode::ContractionOff, []) => Ok(()),
        (Mode::SubgroupsPerWorkgroup | Mode::SubgroupsPerWorkgroupId, &[count]) => {
            if count == 0 || u64::from(count) > subject.caps.limits.max_work_group_size {
                return fault(Rule::DeviceLimit, format!("the device has no work-groups of {count} sub-groups"));
            }
            kernel.required_sub_groups = Some(count);
            Ok(())
        }
        (
            Mode::LocalSize
            | Mode::LocalSizeId
            | Mode::LocalSizeHint
            | Mode::LocalSizeHintId
            | Mode::VecTypeHint
            | Mode::SubgroupSize
            | Mode::ContractionOff
            | Mode::MaxWorkgroupSizeINTEL
            | Mode::MaxWorkDimINTEL
            | Mode::NoGlobalOffsetINTEL
            | Mode::DenormPreserve
            | Mode::SignedZeroInfNanPreserve
            | Mode::RoundingModeRTE
            | Mode::SubgroupsPerWorkgroup
            | Mode::SubgroupsPerWorkgroupId,
            _,
        ) => fault(Rule::KernelMode, format!("{:?} has the wrong number of operands", mode.mode)),
        (other, _) => {
            fault(Rule::NotSupported, format!("the execution mode {other:?} is not supported by this device"))
        }
    }
}

/// The required work-group size of a kernel keeps what the kernel promises of its launches.
pub(crate) fn check_promises(kernel: &KernelSignature) -> Check {
    let Some(size) = kernel.required_work_group_size else { return Ok(()) };
    let most = kernel.launch.max_work_group_size.unwrap_or([u32::MAX; 3]);
    let dimensions = kernel.launch.max_dimensions.unwrap_or(3) as usize;
    let beyond = size.get(dimensions..).unwrap_or_default();
    if size.iter().zip(most).any(|(size, most)| *size > most) || beyond.iter().any(|size| *size != 1) {
        let detail = format!("the work-group size {size:?} is more than the kernel `{}` allows", kernel.name);
        return fault(Rule::KernelMode, detail);
    }
    Ok(())
}
