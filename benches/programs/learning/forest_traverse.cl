// A forest of 24 decision trees votes on samples of sixteen features: each work-item goes down every tree until it
// meets a leaf, at a depth that the data decides.
//! kernel forest
//! global 20000
//! arg nodes: buffer int 49056 random 0 99999
//! arg samples: buffer int 320000 random 0 1000
//! arg votes: buffer uchar 20000 zero
//! arg trees: int 24
//! prepare 24: nodes

#define NODES 511
#define FEATURES 16

typedef struct {
    int feature;
    int threshold;
    short left, right;
    int label;
} node_t;

kernel void prepare(global int *nodes)
{
    global int *n = nodes + get_global_id(0) * NODES * 4;
    for (int i = 0; i < NODES; i++) {
        global node_t *node = (global node_t *)(n + i * 4);
        int a = n[i * 4], b = n[i * 4 + 1], c = n[i * 4 + 2];
        bool leaf = 2 * i + 2 >= NODES || (i > 14 && c % 4 == 0);
        node->feature = leaf ? -1 : a % FEATURES;
        node->threshold = 200 + b % 600;
        node->left = (short)(2 * i + 1);
        node->right = (short)(2 * i + 2);
        node->label = c % 5;
    }
}

kernel void forest(global const node_t *nodes, global const int *samples, global uchar *votes, int trees)
{
    global const int *x = samples + get_global_id(0) * FEATURES;
    int count[5] = {0, 0, 0, 0, 0};

    for (int t = 0; t < trees; t++) {
        global const node_t *tree = nodes + t * NODES;
        int at = 0;
        while (tree[at].feature >= 0)
            at = x[tree[at].feature] < tree[at].threshold ? tree[at].left : tree[at].right;
        count[tree[at].label]++;
    }
    int best = 0;
    for (int c = 1; c < 5; c++)
        if (count[c] > count[best])
            best = c;
    votes[get_global_id(0)] = (uchar)(best * 32 + min(count[best], 31));
}
