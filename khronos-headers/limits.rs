//! Limits of the scalar types, and mathematical constants.

use crate::scalar::{cl_char, cl_double, cl_float, cl_int, cl_long, cl_short, cl_uchar, cl_uint, cl_ulong, cl_ushort};

abi! {
    constants {
        cl_int {
            CL_CHAR_BIT = 8;
            CL_INT_MAX = 2147483647;
            CL_INT_MIN = -2147483647 - 1;
            CL_FLT_DIG = 6;
            CL_FLT_MANT_DIG = 24;
            CL_FLT_MAX_10_EXP = 38;
            CL_FLT_MAX_EXP = 128;
            CL_FLT_MIN_10_EXP = -37;
            CL_FLT_MIN_EXP = -125;
            CL_FLT_RADIX = 2;
            CL_DBL_DIG = 15;
            CL_DBL_MANT_DIG = 53;
            CL_DBL_MAX_10_EXP = 308;
            CL_DBL_MAX_EXP = 1024;
            CL_DBL_MIN_10_EXP = -307;
            CL_DBL_MIN_EXP = -1021;
            CL_DBL_RADIX = 2;
        }
        cl_char {
            CL_CHAR_MAX = CL_SCHAR_MAX;
            CL_CHAR_MIN = CL_SCHAR_MIN;
            CL_SCHAR_MAX = 127;
            CL_SCHAR_MIN = -127 - 1;
        }
        cl_uchar {
            CL_UCHAR_MAX = 255;
        }
        cl_short {
            CL_SHRT_MAX = 32767;
            CL_SHRT_MIN = -32767 - 1;
        }
        cl_ushort {
            CL_USHRT_MAX = 65535;
        }
        cl_uint {
            CL_UINT_MAX = 0xffffffff;
        }
        cl_long {
            CL_LONG_MAX = 0x7FFFFFFFFFFFFFFF;
            CL_LONG_MIN = -0x7FFFFFFFFFFFFFFF - 1;
        }
        cl_ulong {
            CL_ULONG_MAX = 0xFFFFFFFFFFFFFFFF;
        }
    }
}

float_limits! {
    cl_float {
        CL_FLT_MAX = 340282346638528859811704183484516925440.0;
        CL_FLT_MIN = 1.175494350822287507969e-38;
        CL_FLT_EPSILON = 1.1920928955078125e-7;
        CL_M_E_F = 2.718281828;
        CL_M_LOG2E_F = 1.442695041;
        CL_M_LOG10E_F = 0.434294482;
        CL_M_LN2_F = 0.693147181;
        CL_M_LN10_F = 2.302585093;
        CL_M_PI_F = 3.141592654;
        CL_M_PI_2_F = 1.570796327;
        CL_M_PI_4_F = 0.785398163;
        CL_M_1_PI_F = 0.318309886;
        CL_M_2_PI_F = 0.636619772;
        CL_M_2_SQRTPI_F = 1.128379167;
        CL_M_SQRT2_F = 1.414213562;
        CL_M_SQRT1_2_F = 0.707106781;
    }
    cl_double {
        CL_DBL_MAX = 1.7976931348623158e+308;
        CL_DBL_MIN = 2.225073858507201383090e-308;
        CL_DBL_EPSILON = 2.220446049250313080847e-16;
        CL_M_E = 2.7182818284590452354;
        CL_M_LOG2E = 1.4426950408889634074;
        CL_M_LOG10E = 0.43429448190325182765;
        CL_M_LN2 = 0.69314718055994530942;
        CL_M_LN10 = 2.30258509299404568402;
        CL_M_PI = 3.14159265358979323846;
        CL_M_PI_2 = 1.57079632679489661923;
        CL_M_PI_4 = 0.78539816339744830962;
        CL_M_1_PI = 0.31830988618379067154;
        CL_M_2_PI = 0.63661977236758134308;
        CL_M_2_SQRTPI = 1.12837916709551257390;
        CL_M_SQRT2 = 1.41421356237309504880;
        CL_M_SQRT1_2 = 0.70710678118654752440;
    }
}
