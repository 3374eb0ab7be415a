// Tracks many targets with constant-velocity Kalman filters of four states: small matrices in private arrays, loops
// over their indices, two measurements a step.
//! kernel kalman
//! global 20480
//! local 64
//! arg meas: buffer float 1310720 random -2 2
//! arg state: buffer float 81920 zero
//! arg cov: buffer float 327680 zero
//! arg steps: int 32
//! tolerance 1e-3

void predict(float *x, float p[4][4], float dt, float q)
{
    x[0] += dt * x[2];
    x[1] += dt * x[3];
    for (int j = 0; j < 4; j++) {
        p[0][j] += dt * p[2][j];
        p[1][j] += dt * p[3][j];
    }
    for (int i = 0; i < 4; i++) {
        p[i][0] += dt * p[i][2];
        p[i][1] += dt * p[i][3];
    }
    for (int i = 0; i < 4; i++)
        p[i][i] += i < 2 ? 0.25f * q : q;
}

kernel void kalman(global const float2 *meas, global float *state, global float *cov, int steps)
{
    int id = get_global_id(0), n = get_global_size(0);
    float x[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    float p[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            p[i][j] = i == j ? 2.0f : 0.0f;

    for (int s = 0; s < steps; s++) {
        predict(x, p, 0.1f, 0.02f);
        float2 z = meas[s * n + id];
        for (int d = 0; d < 2; d++) {
            float inv = 1.0f / (p[d][d] + 0.5f);
            float gain[4], row[4];
            for (int i = 0; i < 4; i++) {
                gain[i] = p[i][d] * inv;
                row[i] = p[d][i];
            }
            float innov = (d == 0 ? z.x : z.y) - x[d];
            for (int i = 0; i < 4; i++) {
                x[i] += gain[i] * innov;
                for (int j = 0; j < 4; j++)
                    p[i][j] -= gain[i] * row[j];
            }
        }
    }
    for (int i = 0; i < 4; i++) {
        state[i * n + id] = x[i];
        for (int j = 0; j < 4; j++)
            cov[(i * 4 + j) * n + id] = p[i][j];
    }
}
