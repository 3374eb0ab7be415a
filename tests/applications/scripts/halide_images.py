"""Halide's pipelines for OpenCL against the same pipelines for the CPU."""

import halide as hl
import numpy as np

from lines import attempt, best, speed

x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
xo, yo, xi, yi = hl.Var("xo"), hl.Var("yo"), hl.Var("xi"), hl.Var("yi")
IMAGE = np.asfortranarray(np.random.default_rng(5).random((256, 192), dtype=np.float32))
TURNED = np.asfortranarray(IMAGE.T)
BYTES = np.asfortranarray((IMAGE * 255).astype(np.uint8))


def clamped(image):
    return hl.BoundaryConditions.repeat_edge(hl.Buffer(image))


def blur():
    source, across, result = clamped(IMAGE), hl.Func("across"), hl.Func("blur")
    across[x, y] = (source[x - 1, y] + source[x, y] + source[x + 1, y]) / 3
    result[x, y] = (across[x, y - 1] + across[x, y] + across[x, y + 1]) / 3
    return result


def median():
    source, result = clamped(BYTES), hl.Func("median")

    def middle(a, b, c):
        return hl.max(hl.min(a, b), hl.min(hl.max(a, b), c))

    rows = [middle(source[x - 1, y + d], source[x, y + d], source[x + 1, y + d]) for d in (-1, 0, 1)]
    result[x, y] = middle(*rows)
    return result


def functions():
    source, result = clamped(IMAGE), hl.Func("functions")
    result[x, y] = hl.sin(source[x, y]) + hl.exp(source[x, y]) * hl.sqrt(source[x, y] + 1) + hl.pow(source[x, y] + 0.5, 1.7)
    return result


def product():
    k, result = hl.RDom([(0, 192)]), hl.Func("product")
    one, two = hl.Buffer(IMAGE), hl.Buffer(TURNED)
    result[x, y] = hl.f32(0)
    result[x, y] += one[x, k.x] * two[k.x, y]
    return result


def integers():
    source, result = clamped(BYTES), hl.Func("integers")
    value = hl.u32(source[x, y])
    result[x, y] = ((value * hl.u32(2654435761)) >> hl.u32(7)) ^ ((value << hl.u32(3)) % hl.u32(251))
    return result


def histogram():
    source, result = hl.Buffer(BYTES), hl.Func("rows")
    k = hl.RDom([(0, 192)])
    result[x, y] = hl.sum(hl.select(source[k.x, y] / 16 == hl.u8(x & 15), hl.u32(1), hl.u32(0)))
    return result


def tiled(build, target):
    result = build()
    if target.has_gpu_feature():
        args = result.args()
        result.gpu_tile(args[0], args[1], xi, yi, 16, 8)
        if result.num_update_definitions():
            result.update(0).gpu_tile(args[0], args[1], xi, yi, 16, 8)
    return result


def compare(name, build, shape):
    host = hl.get_host_target()
    device = host.with_feature(hl.TargetFeature.OpenCL)
    expected = np.array(tiled(build, host).realize(list(shape), host))
    pipeline = tiled(build, device)
    pipeline.compile_jit(device)
    found = pipeline.realize(list(shape), device)
    found.copy_to_host()
    np.testing.assert_allclose(np.array(found), expected, rtol=1e-4, atol=1e-5)
    speed(name, best(lambda: pipeline.realize(list(shape), device).device_sync() or 0, 5))


for build, shape in [(blur, (256, 192)), (median, (256, 192)), (functions, (256, 192)), (product, (192, 192)), (integers, (256, 192)), (histogram, (16, 192))]:
    attempt(build.__name__, lambda: compare(build.__name__, build, shape))
