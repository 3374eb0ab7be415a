"""clFFT's client transforms constants and looks whether the result is one number and zeros."""

from lines import check, last, run

SIZES = [(1024, 1, 1), (4096, 1, 1), (3000, 1, 1), (2401, 1, 1), (1331, 1, 1), (2197, 1, 1), (65536, 1, 1), (1 << 20, 1, 1),
         (256, 256, 1), (243, 125, 1), (1024, 512, 1), (64, 64, 64), (30, 49, 22)]
LAYOUTS = {"complex": ["--inLayout", 1, "--outLayout", 1], "planar": ["--inLayout", 2, "--outLayout", 2]}
WAYS = {"forward": [], "backward": ["--inv"], "out of place": ["-o"]}

for size in SIZES:
    for precision in ["single", "double"]:
        for layout, options in LAYOUTS.items():
            for way, more in WAYS.items():
                words = ["clFFT-client", "-x", size[0], "-y", size[1], "-z", size[2], *options, *more]
                status, output = run(*words, *(["--double"] if precision == "double" else []), limit=120)
                name = f"{'x'.join(str(n) for n in size if n > 1)} {precision} {layout} {way}"
                right = status == 0 and "Passed" in output and "Failed" not in output and "error" not in output.lower()
                check(name, right, last(output))
