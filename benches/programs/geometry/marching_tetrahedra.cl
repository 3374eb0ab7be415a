// Classifies the cells of a scalar field for isosurface extraction: every cell is cut into six tetrahedra, a table
// gives their triangles, and vertices are interpolated for the area.
//! kernel surface
//! global 63 63 63
//! local 8 4 2
//! arg field: buffer float 262144 random -1 1
//! arg smooth: buffer float 262144 zero
//! arg triangles: buffer uchar 250047 zero
//! arg area: buffer float 250047 zero
//! options -cl-std=CL3.0
//! prepare 64 64 64: field smooth
//! tolerance 1e-3

#define N 64

kernel void prepare(global const float *field, global float *smooth)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int dx = x - 32, dy = y - 32, dz = z - 32;
    smooth[(z * N + y) * N + x] = (float)(dx * dx + dy * dy + dz * dz - 625) * 0.015625f +
                                  field[(z * N + y) * N + x];
}

// Corners of the six tetrahedra and, for each case of inside corners, the cut edges.
constant uchar tets[6][4] = {{0, 5, 1, 7}, {0, 1, 3, 7}, {0, 3, 2, 7},
                             {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}};
constant char cuts[8][7] = {{-1}, {1, 2, 3, -1}, {1, 4, 5, -1}, {2, 3, 5, 2, 5, 4, -1},
                            {2, 4, 6, -1}, {1, 3, 6, 1, 6, 4, -1}, {1, 2, 6, 1, 6, 5, -1}, {3, 5, 6, -1}};
constant uchar ends[7][2] = {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

kernel void surface(global const float *field, global const float *smooth, global uchar *triangles, global float *area)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int cell = (z * (N - 1) + y) * (N - 1) + x;
    float v[8];
    int mask = 0;
    for (int c = 0; c < 8; c++) {
        v[c] = smooth[((z + (c >> 2)) * N + y + ((c >> 1) & 1)) * N + x + (c & 1)];
        mask |= (v[c] < 0.0f) << c;
    }
    if (mask == 0 || mask == 255) {
        triangles[cell] = 0;
        area[cell] = 0.0f;
        return;
    }
    int count = 0;
    float sum = 0.0f;
    for (int t = 0; t < 6; t++) {
        int m = 0;
        for (int k = 0; k < 4; k++)
            m |= ((mask >> tets[t][k]) & 1) << k;
        if (m > 7)
            m = 15 - m;
        for (int k = 0; cuts[m][k] >= 0; k += 3) {
            float3 p[3];
            for (int e = 0; e < 3; e++) {
                int edge = cuts[m][k + e];
                int a = tets[t][ends[edge][0]], b = tets[t][ends[edge][1]];
                float w = v[a] / (v[a] - v[b]);
                float3 pa = (float3)(a & 1, (a >> 1) & 1, a >> 2);
                float3 pb = (float3)(b & 1, (b >> 1) & 1, b >> 2);
                p[e] = mix(pa, pb, w);
            }
            sum += 0.5f * length(cross(p[1] - p[0], p[2] - p[0]));
            count++;
        }
    }
    triangles[cell] = (uchar)count;
    area[cell] = sum;
}
