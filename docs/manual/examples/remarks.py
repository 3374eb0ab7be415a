"""Prints what the compiler says of the kernels of a file: remarks.py FILE.cl [OPTION...]"""
import pathlib
import sys

import pyopencl as cl

source = pathlib.Path(sys.argv[1]).read_text()
device = next(d for p in cl.get_platforms() for d in p.get_devices() if d.type & cl.device_type.CPU)
program = cl.Program(cl.Context([device]), source)
program.build(["-g", "-oxicl-remarks", *sys.argv[2:]])
print(program.get_build_info(device, cl.program_build_info.LOG))
