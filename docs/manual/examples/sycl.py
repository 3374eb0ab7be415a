"""Adds two vectors by a kernel in OpenCL C that the runtime of DPC++ launches, in shared memory of SYCL's."""
import dpctl
import dpctl.memory
import dpctl.program
import numpy as np

SOURCE = """
kernel void add(global const float *a, global const float *b, global float *sum)
{
    size_t i = get_global_id(0);
    sum[i] = a[i] + b[i];
}
"""

queue = dpctl.SyclQueue("opencl:cpu")
kernel = dpctl.program.create_program_from_source(queue, SOURCE).get_sycl_kernel("add")

a = np.arange(1 << 20, dtype=np.float32)
b = 2 * a
first, second, result = (dpctl.memory.MemoryUSMShared(a.nbytes, queue=queue) for _ in range(3))
first.copy_from_host(a.view(np.uint8))
second.copy_from_host(b.view(np.uint8))
queue.submit(kernel, [first, second, result], [a.size]).wait()

total = np.empty_like(a)
result.copy_to_host(total.view(np.uint8))
wrong = int((total != a + b).sum())
print(f"{queue.sycl_device.name}: {a.size} sums, {wrong} wrong")
raise SystemExit(wrong != 0)
