// Looks for eight telephone tones in frames of 205 samples by Goertzel's recursion and names the key.
//! kernel tones
//! global 8192
//! arg audio: buffer short 1048576 random -30000 30000
//! arg power: buffer float 65536 zero
//! arg key: buffer char 8192 zero
//! tolerance 1e-3

constant float coeff[8] = {1.706200f, 1.635585f, 1.562298f, 1.482867f, 1.163138f, 1.008835f, 0.790074f, 0.559454f};
constant char keys[4][4] = {{'1', '2', '3', 'A'}, {'4', '5', '6', 'B'}, {'7', '8', '9', 'C'}, {'*', '0', '#', 'D'}};

kernel void tones(global const short *audio, global float *power, global char *key)
{
    const int frame = get_global_id(0);
    global const short *x = audio + frame * 127;
    float s1[8], s2[8];
    for (int k = 0; k < 8; k++)
        s1[k] = s2[k] = 0.0f;
    for (int i = 0; i < 205; i++) {
        const float v = x[i] * (1.0f / 32768.0f);
        for (int k = 0; k < 8; k++) {
            const float s = v + coeff[k] * s1[k] - s2[k];
            s2[k] = s1[k];
            s1[k] = s;
        }
    }
    int low = 0, high = 4;
    for (int k = 0; k < 8; k++) {
        s1[k] = s1[k] * s1[k] + s2[k] * s2[k] - coeff[k] * s1[k] * s2[k];
        power[frame * 8 + k] = s1[k];
        if (k < 4 && s1[k] > s1[low] * 1.0001f)
            low = k;
        if (k > 4 && s1[k] > s1[high] * 1.0001f)
            high = k;
    }
    key[frame] = keys[low][high - 4];
}
