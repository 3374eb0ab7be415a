"""ffmpeg's filters in OpenCL against its filters for CPUs, by the ratio of signal and noise between their pictures."""

import re

from lines import check, last, run, speed

SOURCE = "testsrc2=size=640x360:rate=10:duration=1"
# The filter, its counterpart on the CPU if there is one with the same meaning, and the least ratio in dB.
CASES = {
    "avgblur": ("avgblur_opencl=sizeX=3", "avgblur=sizeX=3", 35),
    "boxblur": ("boxblur_opencl=luma_radius=2:luma_power=1", "boxblur=luma_radius=2:luma_power=1", 35),
    "convolution": ("convolution_opencl=0m='1 2 1 2 4 2 1 2 1':0rdiv=0.0625", "convolution=0m='1 2 1 2 4 2 1 2 1':0rdiv=0.0625", 35),
    "dilation": ("dilation_opencl", "dilation", 35),
    "erosion": ("erosion_opencl", "erosion", 35),
    "sobel": ("sobel_opencl", "sobel", 25),
    "prewitt": ("prewitt_opencl", "prewitt", 25),
    "roberts": ("roberts_opencl", "roberts", 20),
    "unsharp": ("unsharp_opencl=lx=5:ly=5:la=1:cx=5:cy=5:ca=0", "unsharp=lx=5:ly=5:la=1:cx=5:cy=5:ca=0", 25),
    "transpose": ("transpose_opencl=dir=clock", "transpose=dir=clock", 60),
    "pad": ("pad_opencl=w=700:h=400:x=20:y=20", "pad=w=700:h=400:x=20:y=20", 60),
    "nlmeans": ("nlmeans_opencl=s=3:p=3:r=5", "nlmeans=s=3:p=3:r=5", 30),
}


def filtered(graph, limit=300):
    command = ["ffmpeg", "-hide_banner", "-nostdin", "-init_hw_device", "opencl=d:0.0", "-filter_hw_device", "d"]
    return run(*command, "-filter_complex", graph, "-map", "[out]", "-f", "null", "-", limit=limit)


for name, (device, host, least) in CASES.items():
    graph = (f"{SOURCE},format=yuv420p,split[a][b];[a]hwupload,{device},hwdownload,format=yuv420p[x];"
             f"[b]{host},format=yuv420p[y];[x][y]psnr[out]")
    status, output = filtered(graph)
    found = re.search(r"PSNR .*average:(inf|[\d.]+)", output)
    check(name, status == 0 and found and float(found[1]) >= least, found[0] if found else last(output))

for name, graph in {
    "overlay": f"{SOURCE},format=yuv420p,split[a][b];[b]scale=100:100,hwupload[s];[a]hwupload[m];[m][s]overlay_opencl=10:10,hwdownload,format=yuv420p[out]",
    "xfade": f"{SOURCE},format=yuv420p,hwupload[a];{SOURCE},negate,format=yuv420p,hwupload[b];[a][b]xfade_opencl=duration=0.5:offset=0.2,hwdownload,format=yuv420p[out]",
    "deshake": f"{SOURCE},format=yuv420p,hwupload,deshake_opencl,hwdownload,format=yuv420p[out]",
    "colorkey": f"{SOURCE},format=bgra,hwupload,colorkey_opencl=blue:0.2:0.1,hwdownload,format=bgra[out]",
    "tonemap": f"{SOURCE},setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc,format=p010,hwupload,tonemap_opencl=format=nv12,hwdownload,format=nv12[out]",
}.items():
    status, output = filtered(graph)
    check(f"{name} runs", status == 0 and re.search(r"frame= *1[0-9]", output), last(output))

for name in ["avgblur", "convolution", "sobel", "unsharp", "nlmeans"]:
    graph = f"testsrc2=size=640x360:rate=30:duration=4,format=yuv420p,hwupload,{CASES[name][0]},hwdownload,format=yuv420p[out]"
    status, output = filtered(graph)
    if found := re.search(r"speed=\s*([\d.]+)x", output.split("frame=")[-1]):
        speed(name, 1 / float(found[1]))
