// What a kernel may print.

kernel void conversions(int i, long l, float f, double d)
{
    printf("%d|%5d|%-5d|%05d|%+d|% d|%i|%.3d|%u\n", i, i, i, i, i, i, -i, i, (uint)-i);
    printf("%o %#o %x %#x %X %#X %hhd %hu %ld %lx\n", i, i, i, i, i, i, 511, -1, l, -l);
    printf("%f %.2f %e %E %g %G %a %A %F\n", f, d, f, d, f, d, f, d, d);
    printf("%f %F %e %G %f %+g\n", INFINITY, INFINITY, -INFINITY, NAN, fabs(nan(0u)), INFINITY);
    printf("%c%c%5c|%s|%8.3s|%-6s|%%|%p|\n", 'o', 'k', '!', "text", "cut off", "left", (global void *)l);
    printf("%a %g %g\n", 0x1p-149f, 0x1p-149f, 4.9406564584124654e-324);
}

kernel void vectors(float4 f, char16 c, short8 s, int3 i, long2 l, double2 d)
{
    printf("%2.2v4hlf\n", f);
    printf("%v16hhd %#v16hhx\n", c, c);
    printf("%v8hd|%3v8hu\n", s, s);
    printf("%v3hld %v2ld %v2lg\n", i, l, d);
    printf("%v2hlf %v4hlx\n", f.lo, as_int4(f));
}

kernel void strings(constant char *c, global char *g, local char *l)
{
    private char p[8] = "private";
    for (int at = 0; at < 6; ++at)
        l[at] = "local"[at];
    printf("%s %s %s %s %.3s\n", c, g, l, p, g);
}

// Not inlined: a function that prints keeps what it was called with.
__attribute__((noinline)) int line(size_t item, int number)
{
    return printf("item %d line %d of %d\n", (int)item, number, (int)get_global_size(0));
}

kernel void many(global int *results)
{
    size_t item = get_global_id(0);
    int result = 0;
    for (int number = 0; number < 5; ++number) {
        result |= line(item, number);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    results[item] = result;
}

kernel void wrong(global int *results, int number)
{
    results[0] = printf("fine\n");
    results[1] = printf("%f never\n", number);
    results[2] = printf("%d %d never\n", number);
    results[3] = printf("%q never\n", number);
    results[4] = printf("%3000000d never\n", number);
    results[5] = printf("%d more than needed\n", number, number, 1.0f);
    results[6] = printf("");
}
