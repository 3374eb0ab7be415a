//! The one place that turns a table of names into Rust items and, at the same time, into the description that the
//! comparison with the C headers reads. So nothing is written twice, and nothing is left out of the comparison.

/// Declares what one area of the API has. Every section is optional, the order is fixed.
macro_rules! abi {
    (
        $(types { $($ty:ident = $base:ty;)* })?
        $(structs { $($st:ident { $($field:ident: $field_ty:ty,)* })* })?
        $(constants { $($ct:ident { $($name:ident = $value:expr;)* })* })?
        $(functions { $($fun:ident($($arg:ident: $arg_ty:ty),* $(,)?) $(-> $ret:ty)?;)* })?
        $(callbacks { $($cb:ident($($cb_arg:ident: $cb_ty:ty),* $(,)?) $(-> $cb_ret:ty)?;)* })?
    ) => {
        $($(pub type $ty = $base;)*)?
        $($(
            #[repr(C)]
            #[derive(Clone, Copy, Debug)]
            pub struct $st { $(pub $field: $field_ty,)* }
        )*)?
        $($($(pub const $name: $ct = $value;)*)*)?
        $($(pub type $fun = unsafe extern "C" fn($($arg: $arg_ty),*) $(-> $ret)?;)*)?
        $($(pub type $cb = Option<unsafe extern "C-unwind" fn($($cb_arg: $cb_ty),*) $(-> $cb_ret)?>;)*)?

        pub(crate) const AREA: $crate::describe::Area = $crate::describe::Area {
            module: module_path!(),
            types: &[$($($crate::describe::Type {
                name: stringify!($ty), size: size_of::<$ty>(), align: align_of::<$ty>(),
            },)*)?],
            structs: &[$($($crate::describe::Struct {
                name: stringify!($st), size: size_of::<$st>(), align: align_of::<$st>(),
                fields: &[$($crate::describe::Field {
                    name: stringify!($field), offset: core::mem::offset_of!($st, $field),
                    size: size_of::<$field_ty>(),
                },)*],
            },)*)?],
            constants: &[$($($($crate::describe::Constant {
                name: stringify!($name), value: $name as i128, size: size_of::<$ct>(),
            },)*)*)?],
            functions: &[$($($crate::describe::Function {
                name: stringify!($fun), result: concat!("", $(stringify!($ret))?),
                parameters: &[$(stringify!($arg_ty),)*],
            },)*)?],
            callbacks: &[$($($crate::describe::Function {
                name: stringify!($cb), result: concat!("", $(stringify!($cb_ret))?),
                parameters: &[$(stringify!($cb_ty),)*],
            },)*)?],
        };
    };
}

/// Declares floating-point constants.
macro_rules! float_limits {
    ($($ty:ident { $($name:ident = $value:expr;)* })*) => {
        $($(
            #[allow(clippy::excessive_precision, clippy::approx_constant, reason = "the digits are the specification's")]
            pub const $name: $ty = $value;
        )*)*
        pub(crate) const FLOATS: &[(&str, f64)] = &[$($((stringify!($name), $name as f64),)*)*];
    };
}

/// Type of a slot of the dispatch table.
macro_rules! slot_type {
    (call $function:ident) => { Option<$function> };
    (mark $function:ident) => { Icd2Slot<$function> };
    (unused $function:ident) => { Option<UnusedSlot> };
}

/// Null in a slot of the dispatch table.
macro_rules! slot_empty {
    (mark) => {
        Icd2Slot { tag: 0 }
    };
    ($other:ident) => {
        None
    };
}

/// Declares the dispatch table. `call` is a function, `mark` a function or the mark of `cl_khr_icd` 2.0, `unused` a
/// function that has no signature here.
macro_rules! dispatch_table {
    ($($kind:ident $slot:ident;)*) => {
        /// The table that the first word of every object points to, in the order that the loader relies on.
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub struct cl_icd_dispatch { $(pub $slot: slot_type!($kind $slot),)* }

        impl cl_icd_dispatch {
            /// Null in every slot.
            pub const EMPTY: Self = cl_icd_dispatch { $($slot: slot_empty!($kind),)* };
        }

        /// Names of the slots of [`cl_icd_dispatch`], in order.
        pub const DISPATCH_SLOTS: &[&str] = &[$(stringify!($slot),)*];

        /// Byte offsets of the slots of [`cl_icd_dispatch`], in order.
        pub const DISPATCH_OFFSETS: &[usize] = &[$(core::mem::offset_of!(cl_icd_dispatch, $slot),)*];
    };
}
