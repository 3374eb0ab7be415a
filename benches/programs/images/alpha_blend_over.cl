// Porter-Duff "over" of two RGBA byte images with straight alpha, four pixels to a work-item and exact division by 255.
//! kernel blend_over
//! global 300000
//! arg top: buffer uchar 4799952 random 0 255
//! arg bottom: buffer uchar 4799952 random 0 255
//! arg result: buffer uchar 4799952 zero
//! arg pixels: int 1199988

inline ushort4 div255(ushort4 v)
{
    v += (ushort4)(128);
    return (v + (v >> (ushort4)(8))) >> (ushort4)(8);
}

kernel void blend_over(global const uchar4 *top, global const uchar4 *bottom, global uchar4 *result, int pixels)
{
    int first = get_global_id(0) * 4;
    int end = min(first + 4, pixels);
    for (int i = first; i < end; i++) {
        ushort4 t = convert_ushort4(top[i]);
        ushort4 b = convert_ushort4(bottom[i]);
        ushort a = t.w;
        ushort4 mixed = div255(t * (ushort4)(a) + b * (ushort4)(255 - a));
        mixed.w = 255 - div255((ushort4)((255 - a) * (255 - b.w))).x;
        result[i] = convert_uchar4_sat(mixed);
    }
}
