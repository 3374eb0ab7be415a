"""Each MPI rank sums its part of 1/k**2 on the CPUs it is bound to; rank 0 prints what they are together."""
import os

import numpy as np
import pyopencl as cl
from mpi4py import MPI

SOURCE = """
kernel void term(global double *terms, ulong first)
{
    double k = (double)(first + get_global_id(0));
    terms[get_global_id(0)] = 1.0 / (k * k);
}
"""

ranks = MPI.COMM_WORLD
device = next(d for p in cl.get_platforms() for d in p.get_devices() if d.type & cl.device_type.CPU)
context = cl.Context([device])
queue = cl.CommandQueue(context)

count = 1 << 20
terms = np.empty(count)
buffer = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, terms.nbytes)
program = cl.Program(context, SOURCE).build()
program.term(queue, (count,), None, buffer, np.uint64(1 + ranks.rank * count))
cl.enqueue_copy(queue, terms, buffer)

total = ranks.reduce(terms.sum())
units = ranks.gather((sorted(os.sched_getaffinity(0)), device.max_compute_units))
if ranks.rank == 0:
    for rank, (cpus, compute_units) in enumerate(units):
        print(f"rank {rank}: CPUs {cpus}, {compute_units} compute units")
    print(f"sum {total:.6f}, limit {np.pi**2 / 6:.6f}")
    assert abs(total - np.pi**2 / 6) < 2 / (count * ranks.size)
    assert all(len(cpus) == compute_units for cpus, compute_units in units)
