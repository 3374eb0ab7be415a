//! LLVM's types of what recipes speak of.

use oxicl_llvm::{Context, Type};

use crate::ir::Scalar;
use crate::recipe::Elements;

/// The type of a number or pointer.
pub(crate) fn scalar_type(context: &Context, scalar: Scalar) -> Type<'_> {
    match scalar {
        Scalar::Int(bits) => context.int_type(bits),
        Scalar::Half => context.half_type(),
        Scalar::BFloat => context.bfloat_type(),
        Scalar::Float => context.float_type(),
        Scalar::Double => context.double_type(),
        Scalar::Pointer(space) => context.pointer_type(space),
    }
}

/// The type of what is accessed.
pub(crate) fn elements_type(context: &Context, elements: Elements) -> Type<'_> {
    let element = scalar_type(context, elements.element);
    if elements.is_vector { element.vector(elements.count) } else { element }
}
