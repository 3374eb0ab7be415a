// What a work-group costs that cannot be left out or run together with others: one work-item, local memory, a barrier.
kernel void group_of_one(global uint *out, local uint *word)
{
    word[get_local_id(0)] = get_group_id(0) * 3u;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_group_id(0)] = word[0];
}
