//! The entry macro: one definition per entry point makes the C function with its guard, the slot in the dispatch table
//! and the look-up by name.
//!
//! ```ignore
//! entries! {
//!     slots {
//!         status fn clFlush(call, queue: cl_command_queue) { Ok(()) }          // -> cl_int
//!         create fn clCreateX(call, x: cl_uint) -> cl_x { Err(InvalidValue) }  // `errcode_ret` is appended
//!         value fn clSVMAlloc(call, size: usize) -> *mut c_void { null_mut() } // anything else; null after a panic
//!     }
//!     others {}                                // functions that have no slot
//!     aliases { clFlushKHR = clFlush; }        // other names of a function
//! }
//! ```
//! `call` is the [`Call`](crate::call::Call) through which the body follows the application's pointers; bodies need no
//! unsafe code.

macro_rules! entries {
    (
        slots { $($slot_kind:ident fn $slot:ident($slot_call:ident $(, $slot_arg:ident : $slot_ty:ty)* $(,)?)
            $(-> $slot_ret:ty)? $slot_body:block)* }
        others { $($kind:ident fn $name:ident($call:ident $(, $arg:ident : $ty:ty)* $(,)?)
            $(-> $ret:ty)? $body:block)* }
        aliases { $($alias:ident = $target:ident;)* }
    ) => {
        $($crate::entry::entry!($slot_kind $slot($slot_call $(, $slot_arg : $slot_ty)*) $($slot_ret)? $slot_body);)*
        $($crate::entry::entry!($kind $name($call $(, $arg : $ty)*) $($ret)? $body);)*

        /// Puts these functions into their slots.
        pub(crate) const fn fill(table: &mut khronos_headers::cl_icd_dispatch) {
            let _ = &table;
            $(table.$slot = Some($slot);)*
        }

        /// The address of a function by name.
        pub(crate) fn find(name: &str) -> Option<*mut std::ffi::c_void> {
            match name {
                $(stringify!($slot) => Some($slot as *mut std::ffi::c_void),)*
                $(stringify!($name) => Some($name as *mut std::ffi::c_void),)*
                $(stringify!($alias) => Some($target as *mut std::ffi::c_void),)*
                _ => None,
            }
        }

        /// The names that `find` knows.
        #[cfg(test)]
        pub(crate) const NAMES: &[&str] = &[$(stringify!($slot),)* $(stringify!($name),)* $(stringify!($alias),)*];
    };
}

macro_rules! entry {
    (status $name:ident($call:ident $(, $arg:ident : $ty:ty)*) $body:block) => {
        #[allow(non_snake_case, unsafe_code, reason = "a C function; its body is safe code")]
        pub(crate) unsafe extern "C" fn $name($($arg: $ty),*) -> khronos_headers::cl_int {
            $crate::guard::status(stringify!($name), $crate::entry::list!($($arg)*), |$call| $body)
        }
    };
    (create $name:ident($call:ident $(, $arg:ident : $ty:ty)*) $ret:ty $body:block) => {
        #[allow(non_snake_case, unsafe_code, reason = "a C function; its body is safe code")]
        pub(crate) unsafe extern "C" fn $name(
            $($arg: $ty,)* errcode_ret: *mut khronos_headers::cl_int,
        ) -> $ret {
            $crate::guard::create(
                stringify!($name),
                $crate::entry::list!($($arg)*),
                errcode_ret,
                |$call| -> Result<$ret, oxicl_objects::ApiError> { $body },
            )
        }
    };
    (value $name:ident($call:ident $(, $arg:ident : $ty:ty)*) $($ret:ty)? $body:block) => {
        #[allow(non_snake_case, unsafe_code, reason = "a C function; its body is safe code")]
        pub(crate) unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? {
            $crate::guard::value(stringify!($name), $crate::entry::list!($($arg)*), |$call| $body)
        }
    };
}

/// The arguments of a call by name. A closure that copies them, so that nothing is done about them unless the call fails.
macro_rules! list {
    ($($arg:ident)*) => {
        move |_arguments: &mut $crate::guard::Arguments| { $(_arguments.add(stringify!($arg), &$arg);)* }
    };
}

pub(crate) use {entries, entry, list};
