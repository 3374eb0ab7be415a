// More than a few instructions, so that the baseline tier comes first: as many turns as it is told, with what is rounded once or
// twice.
kernel void victim(global float *out, global const float *in, uint turns)
{
    size_t i = get_global_id(0);
    float x = in[i], sum = 0.0f;
    for (uint turn = 0; turn < turns; ++turn) {
        float next = x * 1.0009765625f + 0.25f;
        if (next > 1024.0f)
            next -= 1024.0f * x;
        sum += next * x;
        x = sum > 1.0e6f ? fabs(next) * 0.5f : next;
        sum = sum > 1.0e6f ? sum * 1.0e-6f + x : sum;
    }
    out[i] = sum + x * in[i];
}
