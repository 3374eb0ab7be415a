typedef struct { float x, y; char c; double d; } S;
constant float table[4] = {1,2,3,4};
__constant int3 vecs[2] = {{1,2,3},{4,5,6}};
float helper(float a, global const float *p, int n) { float s = a; for (int i = 0; i < n; ++i) { if (p[i] < 0) continue; s += p[i] * table[i & 3]; } return s; }
kernel void k1(global float *out, global const float *in, int n, float4 v, local float *tmp) {
  size_t i = get_global_id(0);
  local float shared_[64];
  tmp[get_local_id(0)] = in[i];
  shared_[get_local_id(0) & 63] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  switch (n) { case 0: out[i] = 1; break; case 5: out[i] = helper(v.x, in, n); break; case -1: return; default: out[i] = sqrt(v.y) + exp(v.z) + tmp[0] + shared_[1]; }
}
kernel void k2(global S *s, S byval, global int3 *v3, long l) {
  size_t i = get_global_id(0);
  s[i].x = byval.y; s[i].d = byval.d; v3[i] = vecs[i&1] + (int3)(l);
  switch (l) { case 1: s[i].c = 'a'; break; case 0x123456789abcL: s[i].c='b'; break; }
}
kernel __attribute__((reqd_work_group_size(8,4,1))) void k3(global int *h, volatile global uint *c) {
  atomic_add(&h[get_local_id(0)], 1); c+=4;
  atomic_cmpxchg(c, 1u, 2u);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
}
