global int counter = 5;
global int *global ptr = &counter;
global float arr[10] = {1,2,3};
kernel void g1(global int *o) { o[0] = *ptr + counter; arr[get_global_id(0)%10] += 1; counter++; }
kernel void vec(global char16 *a, global short8 *b, global ulong2 *c, global half *h, global double2 *d) {
  size_t i = get_global_id(0);
  char16 x = a[i]; a[i] = x.sfedcba9876543210 * (char16)(3); b[i] = convert_short8_sat(x.lo) >> (short8)2;
  c[i] = (ulong2)(mul_hi(c[i].x, 3UL), rotate(c[i].y, 5UL)); d[i] = fma(d[i], d[i], (double2)(1.0)); 
  vstore_half4((float4)(1,2,3,4), i, h); float4 f = vload_half4(i, h); d[i] += (double2)(f.x, f.y); d[i] = select(d[i], -d[i], c[i] > 4UL);
}
kernel void generic_pointers(global int *g, local int *l) { int p[4]; p[g[0]&3]=1; int *q = g[1] ? (int*)p : (g[2] ? (int*)g : (int*)l); *q = 4; g[5] = p[1] + *q; }
kernel void loops(global uint *o, uint n) {
  uint s = 0;
  for (uint i = 0; i < n; ++i) { for (uint j = i; j < n; j += 3) { if ((i ^ j) & 1) { s += j; if (s > 1000) goto out; } else { s ^= i; } } while (s & 4) { s >>= 1; barrier(CLK_LOCAL_MEM_FENCE); } }
out:
  o[get_global_id(0)] = popcount(s) + clz(s);
}
kernel void at(global atomic_int *a, local atomic_uint *b, global float *f) {
  atomic_fetch_add_explicit(a, 3, memory_order_relaxed, memory_scope_device);
  atomic_store(b, 1u); f[0] = atomic_load_explicit(b, memory_order_acquire, memory_scope_work_group);
  int e = 3; atomic_compare_exchange_strong(a, &e, 4);
  work_group_barrier(CLK_GLOBAL_MEM_FENCE|CLK_LOCAL_MEM_FENCE, memory_scope_device);
}
struct N { int a[3]; struct { float f; char4 c; } in[2]; };
kernel void nested(global struct N *n, int i) { struct N l = n[i]; l.in[i&1].f += 1; l.a[i%3] = 7; n[i+1] = l; union { float f; uint u; } u; u.f = n[i].in[0].f; n[i].a[0] = u.u; }
kernel void ids(global ulong *o) { o[0]=get_global_size(0)+get_global_offset(1)+get_num_groups(2)+get_group_id(0)+get_local_size(1)+get_enqueued_local_size(0)+get_global_linear_id()+get_local_linear_id()+get_work_dim(); uint d = o[1]; o[2]=get_global_id(d); }
kernel void math(global float4 *a) { float4 x=a[0]; float4 i; x = fmin(x, 1) + mix(x, x, 0.5f) + clamp(x,0.0f,1.0f) + native_sin(x) + pow(x, x) + modf(x, &i) + i; a[1] = x; a[2] = (float4)(dot(x,x), length(x), isnan(x.x), 0); a[3] = as_float4(as_int4(x) & 0x7fffffff); a[4]=cross(x,i); a[5] = shuffle(x, (uint4)(3,2,1,0)); }
kernel void conv(global uchar4 *u, global float4 *f, global int *n) { f[0] = convert_float4(u[0]); u[1] = convert_uchar4_sat_rte(f[0]); n[0]=convert_int_rtp(f[0].x); n[1] = (int)f[0].y; n[2] = (uint)f[0].z; n[3]=convert_char_sat(n[1]); }
