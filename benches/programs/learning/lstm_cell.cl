// One step of an LSTM for a batch of 64: each work-item forms the four gates of one unit from the input and the
// previous state, then updates cell and output.
//! kernel lstm_cell
//! global 128 64
//! arg x: buffer float 4096 random -1 1
//! arg h_in: buffer float 8192 random -1 1
//! arg c_in: buffer float 8192 random -1 1
//! arg w: buffer float 98304 random -0.2 0.2
//! arg bias: buffer float 512 random -0.1 0.1
//! arg h_out: buffer float 8192 zero
//! arg c_out: buffer float 8192 zero

#define INPUTS 64
#define UNITS 128

inline float sigmoid(float v) { return 1.0f / (1.0f + exp(-v)); }

// Weights lie as [input or unit][unit] with a float4 of the gates i, f, g and o.
kernel void lstm_cell(global const float *x, global const float *h_in, global const float *c_in, global const float4 *w,
                      global const float4 *bias, global float *h_out, global float *c_out)
{
    const int u = get_global_id(0), b = get_global_id(1);
    float4 gates = bias[u];

    for (int i = 0; i < INPUTS; i++)
        gates += x[b * INPUTS + i] * w[i * UNITS + u];
    for (int i = 0; i < UNITS; i++)
        gates += h_in[b * UNITS + i] * w[(INPUTS + i) * UNITS + u];

    const float c = sigmoid(gates.y) * c_in[b * UNITS + u] + sigmoid(gates.x) * tanh(gates.z);
    c_out[b * UNITS + u] = c;
    h_out[b * UNITS + u] = sigmoid(gates.w) * tanh(c);
}
