//! The scalar types that everything else is made of.

abi! {
    types {
        cl_char = i8;
        cl_uchar = u8;
        cl_short = i16;
        cl_ushort = u16;
        cl_int = i32;
        cl_uint = u32;
        cl_long = i64;
        cl_ulong = u64;
        cl_half = u16;
        cl_float = f32;
        cl_double = f64;
        cl_bool = cl_uint;
        cl_bitfield = cl_ulong;
        cl_properties = cl_ulong;
    }
    constants {
        cl_bool {
            CL_FALSE = 0;
            CL_TRUE = 1;
            CL_NON_BLOCKING = CL_FALSE;
            CL_BLOCKING = CL_TRUE;
        }
    }
}
