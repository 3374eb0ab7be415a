"""Adds two vectors on the first CPU device that any platform has."""
import numpy as np
import pyopencl as cl

SOURCE = """
kernel void add(global const float *a, global const float *b, global float *sum)
{
    size_t i = get_global_id(0);
    sum[i] = a[i] + b[i];
}
"""

device = next(
    device
    for platform in cl.get_platforms()
    for device in platform.get_devices()
    if device.type & cl.device_type.CPU
)
context = cl.Context([device])
queue = cl.CommandQueue(context)

a = np.arange(1 << 20, dtype=np.float32)
b = 2 * a
flags = cl.mem_flags
first = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=a)
second = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=b)
result = cl.Buffer(context, flags.WRITE_ONLY, a.nbytes)

program = cl.Program(context, SOURCE).build()
program.add(queue, a.shape, None, first, second, result)

total = np.empty_like(a)
cl.enqueue_copy(queue, total, result)
wrong = int((total != a + b).sum())
print(f"{device.name}: {a.size} sums, {wrong} wrong")
raise SystemExit(wrong != 0)
