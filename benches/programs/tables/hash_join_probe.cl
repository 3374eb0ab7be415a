// Probe side of a hash join with chained buckets: heads and next pointers from `prepare`; work-items sum the payloads
// of all matches and count them.
//! kernel probe
//! global 131072
//! local 64
//! arg build_keys: buffer uint 16384 random 1 20000
//! arg heads: buffer int 8192 zero
//! arg chain: buffer int 16384 zero
//! arg probe_keys: buffer uint 131072 random 1 20000
//! arg matches: buffer uchar 131072 zero
//! arg payload: buffer long 131072 zero
//! arg rows: uint 16384
//! prepare 1: build_keys heads chain

#define BUCKET(k) (((k) * 2654435761u) >> 19)

kernel void prepare(global const uint *build_keys, global int *heads, global int *chain)
{
    for (int i = 0; i < 16384; i++) {
        const uint b = BUCKET(build_keys[i]);
        chain[i] = heads[b];
        heads[b] = i + 1;
    }
}

kernel void probe(global const uint *build_keys, global const int *heads, global const int *chain,
                  global const uint *probe_keys, global uchar *matches, global long *payload, uint rows)
{
    const size_t i = get_global_id(0);
    const uint key = probe_keys[i];
    int n = 0;
    long sum = 0;
    for (int at = heads[BUCKET(key)]; at != 0; at = chain[at - 1]) {
        if ((uint)at > rows)
            break;
        if (build_keys[at - 1] == key) {
            n++;
            sum += (long)at * key;
        }
    }
    matches[i] = n;
    payload[i] = sum;
}
