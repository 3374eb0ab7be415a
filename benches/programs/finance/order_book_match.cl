// Matches a stream of limit orders against small order books, one book per work-item: resting quantities per price
// level sit in private arrays and an incoming order sweeps levels.
//! kernel match
//! global 1024
//! local 32
//! arg orders: buffer uint 131072 random 0 4294967295
//! arg volume: buffer int 1024 zero
//! arg cash: buffer long 1024 zero
//! arg rest: buffer int 65536 zero
//! arg per_book: int 128

#define LEVELS 32

typedef struct {
    int bid[LEVELS], ask[LEVELS];
    int best_bid, best_ask;
} Book;

int sweep(int *level, int *best, int limit, int dir, int qty, long *cash)
{
    while (qty > 0 && *best >= 0 && *best < LEVELS && dir * (limit - *best) >= 0) {
        int take = min(qty, level[*best]);
        level[*best] -= take;
        qty -= take;
        *cash += (long)take * (*best + 100);
        if (level[*best] == 0)
            *best += dir;
    }
    return qty;
}

kernel void match(global const uint *orders, global int *volume, global long *cash, global int *rest, int per_book)
{
    int id = get_global_id(0), n = get_global_size(0);
    Book b;
    for (int l = 0; l < LEVELS; l++)
        b.bid[l] = b.ask[l] = 0;
    b.best_bid = -1;
    b.best_ask = LEVELS;
    long money = 0;
    int traded = 0;

    for (int k = 0; k < per_book; k++) {
        uint o = orders[k * n + id];
        int price = (o >> 8) % LEVELS, qty = 1 + (o & 63);
        int left;
        if (o >> 31) {
            left = sweep(b.ask, &b.best_ask, price, 1, qty, &money);
            if (left > 0) {
                b.bid[price] += left;
                b.best_bid = max(b.best_bid, price);
            }
        } else {
            left = sweep(b.bid, &b.best_bid, price, -1, qty, &money);
            if (left > 0) {
                b.ask[price] += left;
                b.best_ask = min(b.best_ask, price);
            }
        }
        traded += qty - left;
    }
    volume[id] = traded;
    cash[id] = money;
    for (int l = 0; l < LEVELS; l++) {
        rest[l * n + id] = b.bid[l];
        rest[(LEVELS + l) * n + id] = -b.ask[l];
    }
}
