global int counter = 5;
global int *global ptr = &counter;
global float arr[10] = {1,2,3};
constant int tab[3] = {7,8,9};
struct P { global int *p; float f; char c; };
global struct P ps[2] = {{&counter, 1.5f, 'x'}, {&counter, 2.5f, 'y'}};
constant struct { constant int *t; int n; } ct = { tab + 1, 2};
global char *global q = (global char*)&arr[3] + 2;
kernel void g1(global int *o, local int *l, float3 v, struct P x, uchar c, double d) { local int loc[33]; local double ld; ld = d; loc[get_local_id(0)] = l[0]; barrier(1); o[0] = *ptr + counter + *ps[o[1]].p + ct.t[o[2]] + *q + loc[o[3]] + ld + x.f + v.x + c; arr[get_global_id(0)%10] += 1; counter++; }
