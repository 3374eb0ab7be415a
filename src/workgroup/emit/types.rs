//! LLVM's types for the types in recipes.

use oxicl_llvm::{Context, Type as LlvmType};

use crate::analyse::components::components_of;
use crate::failure::Result;
use crate::ir::{Scalar, Type};
use crate::recipe::Elements;

/// The type of a number or pointer.
pub(crate) fn scalar_type(context: &Context, scalar: Scalar) -> LlvmType<'_> {
    match scalar {
        Scalar::Int(bits) => context.int_type(bits),
        Scalar::Half => context.half_type(),
        Scalar::BFloat => context.bfloat_type(),
        Scalar::Float => context.float_type(),
        Scalar::Double => context.double_type(),
        Scalar::Pointer(space) => context.pointer_type(space),
    }
}

/// The type of the elements of an access.
pub(crate) fn elements_type(context: &Context, elements: Elements) -> LlvmType<'_> {
    let element = scalar_type(context, elements.element);
    if elements.is_vector { element.vector(elements.count) } else { element }
}

/// The vectors of lanes that hold a value of a type, one for each of its SoA components.
pub(crate) fn vectors_of<'m>(context: &'m Context, ty: &Type, lanes: u32) -> Result<Vec<LlvmType<'m>>> {
    Ok(components_of(ty)?.into_iter().map(|component| scalar_type(context, component).vector(lanes)).collect())
}
