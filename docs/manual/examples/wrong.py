"""A kernel with a mistake: its last work-item reads behind the end of its input."""
import numpy as np
import pyopencl as cl

SOURCE = """kernel void differences(global const float *x, global float *d)
{
    size_t i = get_global_id(0);
    d[i] = x[i + 1] - x[i];
}
"""

device = next(d for p in cl.get_platforms() for d in p.get_devices() if d.type & cl.device_type.CPU)
context = cl.Context([device])
queue = cl.CommandQueue(context)
x = np.arange(1024, dtype=np.float32)
source = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
target = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, x.nbytes)
program = cl.Program(context, SOURCE).build(["-g"])
event = program.differences(queue, x.shape, None, source, target)
event.wait()
d = np.empty_like(x)
cl.enqueue_copy(queue, d, target)
print(d)
