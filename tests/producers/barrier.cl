// clang 22 gives the barrier's memory scope as its execution scope, too.
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void k(global int *p, global float *q) {
    local int box[4];
    int l = get_local_id(0);
    box[l] = p[l];
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_device);
    p[l] = box[3 - l] + box[(l + 1) & 3];
    q[l] = p[l];
}
