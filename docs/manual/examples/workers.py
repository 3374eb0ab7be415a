"""Dask workers that each have a part of the CPUs: every task runs a kernel there."""
import os

import numpy as np
from dask.distributed import Client, LocalCluster

WORKERS = 2
SOURCE = """
kernel void squares(global const double *x, global double *y)
{
    size_t i = get_global_id(0);
    y[i] = x[i] * x[i];
}
"""


def bind(cpus):
    """Gives a worker its CPUs, before anything there has asked OpenCL for devices: a device counts its CPUs once."""
    os.sched_setaffinity(0, cpus)


def squares(x):
    """One task. The first that builds the program leaves it in the cache for all others."""
    import pyopencl as cl

    device = next(d for p in cl.get_platforms() for d in p.get_devices() if d.type & cl.device_type.CPU)
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    source = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
    target = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, x.nbytes)
    cl.Program(context, SOURCE).build().squares(queue, x.shape, None, source, target)
    y = np.empty_like(x)
    cl.enqueue_copy(queue, y, target)
    return y.sum(), device.max_compute_units


if __name__ == "__main__":
    cpus = sorted(os.sched_getaffinity(0))
    parts = [cpus[i::WORKERS] or cpus for i in range(WORKERS)]
    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        for worker, part in zip(client.scheduler_info()["workers"], parts):
            client.run(bind, part, workers=[worker])
        chunks = np.array_split(np.arange(1_000_000, dtype=np.float64), 8)
        sums, units = zip(*client.gather(client.map(squares, chunks)))
    expected = np.square(np.arange(1_000_000, dtype=np.float64)).sum()
    print(f"sum {sum(sums):.0f}, compute units of the workers {sorted(set(units))}")
    assert abs(sum(sums) - expected) < 1e-9 * expected
    assert set(units) == {len(part) for part in parts}
