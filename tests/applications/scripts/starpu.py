"""StarPU's examples that have OpenCL code, with all tasks on OpenCL; each checks its own result."""

import pathlib

from lines import check, last, run, skipped

HOME = pathlib.Path("/usr/lib/x86_64-linux-gnu/starpu/examples")
EXAMPLES = ["vector_scal", "variable", "incrementer", "mult", "axpy", "dot_product", "block", "fvector", "fblock", "fmatrix", "shadow", "shadow2d",
            "shadow3d", "complex", "multiformat", "custom_mf_filter", "spmv"]

for name in EXAMPLES:
    if not (HOME / name).exists():
        skipped(name)
        continue
    status, output = run(HOME / name, limit=60)
    if status == 77:
        skipped(name)
    else:
        check(name, status == 0, f"status {status}: {last(output)}")
