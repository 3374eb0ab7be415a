//! Validation Rules and Supported Types: image types. They hold whether or not the device has images.

use oxicl_spirv::Type;
use oxicl_spirv::grammar::Dim;

use crate::at::Subject;
use crate::rule::Rule;
use crate::violation::{Check, fault};

/// OpTypeImage is one that an OpenCL environment has.
pub(crate) fn image_type(subject: Subject<'_>, ty: &Type) -> Check {
    let Type::Image { sampled, operands } = ty else { return Ok(()) };
    let refuse = |detail: String| fault(Rule::ImageType, detail);
    let &[dim, depth, arrayed, multisampled, usage, format, ref access @ ..] = operands.as_slice() else {
        return refuse("an image type lacks operands".to_owned());
    };
    if subject.declaration(*sampled) != Some(&Type::Void) {
        return refuse(format!("the sampled type of an image is {}, not void", subject.describe(*sampled)));
    }
    if usage != 0 {
        return refuse(format!("the operand Sampled of an image type is {usage}, not 0"));
    }
    if multisampled != 0 {
        return refuse("an image type is multi-sampled, which needs an extension".to_owned());
    }
    if format != 0 {
        return refuse("an image type has a format, which is Unknown in OpenCL".to_owned());
    }
    if access.is_empty() {
        return refuse("an image type has no access qualifier".to_owned());
    }
    let dim = Dim::from_u32(dim);
    if arrayed > 0 && !matches!(dim, Some(Dim::Dim1D | Dim::Dim2D)) {
        return refuse("an image type is arrayed, but of neither one nor two dimensions".to_owned());
    }
    match (dim, depth, arrayed) {
        (Some(Dim::Dim1D), 0, 0 | 1) | (Some(Dim::Dim2D), 0 | 1, 0 | 1) => Ok(()),
        (Some(Dim::Dim3D | Dim::DimBuffer), 0, 0) => Ok(()),
        _ => refuse(format!("there are no images of {dim:?}, depth {depth}, arrayed {arrayed} in OpenCL")),
    }
}
