// Turns day numbers into year, month, day and weekday, adds months, with the day cut to the length of the month, and
// gives the new day numbers.
//! kernel dates
//! global 1048576
//! arg days: buffer int 1048576 random -100000 100000
//! arg months: buffer char 1048576 random -100 100
//! arg civil: buffer short 4194304 zero
//! arg moved: buffer int 1048576 zero

constant uchar month_days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

static int3 to_civil(int z)
{
    z += 719468;
    const int era = (z >= 0 ? z : z - 146096) / 146097, doe = z - era * 146097;
    const int yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    const int doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    const int m = mp < 10 ? mp + 3 : mp - 9;
    return (int3)(yoe + era * 400 + (m <= 2), m, doy - (153 * mp + 2) / 5 + 1);
}

static int to_days(int y, int m, int d)
{
    y -= m <= 2;
    const int era = (y >= 0 ? y : y - 399) / 400, yoe = y - era * 400;
    const int doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
    return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

kernel void dates(global const int *days, global const char *months, global short4 *civil, global int *moved)
{
    const size_t i = get_global_id(0);
    int3 c = to_civil(days[i]);
    const int weekday = ((days[i] + 4) % 7 + 7) % 7;
    civil[i] = (short4)(c.x, c.y, c.z, weekday);
    int m = c.x * 12 + c.y - 1 + months[i];
    c.x = m / 12;
    c.y = m % 12;
    int last = month_days[c.y];
    if (c.y == 1 && (c.x % 4 == 0 && (c.x % 100 != 0 || c.x % 400 == 0)))
        last = 29;
    moved[i] = to_days(c.x, c.y + 1, min(c.z, last));
}
