"""pyvkfft's transforms in OpenCL against NumPy's."""

import numpy as np
import pyopencl as cl
import pyopencl.array as cla
import scipy.fft
from pyvkfft.fft import dctn, fftn, ifftn, irfftn, rfftn
from pyvkfft.opencl import VkFFTApp

from lines import attempt, best, speed

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
random = np.random.default_rng(3)


def close(found, expected, precise):
    error = abs(found - expected).max() / abs(expected).max()
    if not error < (1e-10 if precise else 1e-4):
        raise ValueError(f"off by {error}")


def transform(shape, precise):
    kind = np.complex128 if precise else np.complex64
    values = (random.random(shape) + 1j * random.random(shape)).astype(kind)
    given = cla.to_device(queue, values)
    close(fftn(given).get(), np.fft.fftn(values), precise)
    close(ifftn(fftn(given)).get(), values, precise)


def real(shape):
    values = random.random(shape).astype(np.float32)
    given = cla.to_device(queue, values)
    close(rfftn(given).get(), np.fft.rfftn(values), False)
    close(irfftn(rfftn(given)).get(), values, False)


def cosine(shape):
    values = random.random(shape).astype(np.float32)
    close(dctn(cla.to_device(queue, values), dct_type=2).get(), scipy.fft.dctn(values, 2), False)


for shape in [(64,), (1000,), (97,), (1 << 16,), (64, 64), (30, 49), (16, 16, 16), (13, 11, 7)]:
    for precise in [False, True]:
        attempt(f"{'x'.join(map(str, shape))} {'double' if precise else 'single'}", lambda: transform(shape, precise))
for shape in [(64,), (1000,), (64, 48), (16, 20, 24)]:
    attempt(f"real {'x'.join(map(str, shape))}", lambda: real(shape))
for shape in [(64,), (32, 32)]:
    attempt(f"cosine {'x'.join(map(str, shape))}", lambda: cosine(shape))
for shape in [(1 << 18,), (512, 512), (64, 64, 64)]:
    given = cla.zeros(queue, shape, np.complex64)
    plan = VkFFTApp(shape, np.complex64, queue)

    def run():
        plan.fft(given)
        queue.finish()

    speed("x".join(map(str, shape)), best(run))
