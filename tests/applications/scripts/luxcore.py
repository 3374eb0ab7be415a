"""LuxCore renders a room with its path tracer for OpenCL and with that for CPUs; the pictures have to look the same."""

import math
import time

import numpy
import pyluxcore

from lines import attempt, check, speed

WIDTH, HEIGHT, SAMPLES = 64, 48, 96
MATERIALS = {
    "white": {"type": "matte", "kd": [0.7, 0.7, 0.7]},
    "red": {"type": "matte", "kd": [0.7, 0.1, 0.1]},
    "mirror": {"type": "mirror", "kr": [0.8, 0.7, 0.5]},
    "plastic": {"type": "glossy2", "kd": [0.1, 0.3, 0.6], "ks": [0.05, 0.05, 0.05], "uroughness": 0.2, "vroughness": 0.2},
    "glass": {"type": "glass", "kr": [1, 1, 1], "kt": [1, 1, 1], "interiorior": 1.5},
    "lamp": {"type": "matte", "kd": [0, 0, 0], "emission": [18, 16, 13]},
}


def ball(middle, radius, rings=12):
    """A sphere of triangles."""
    points, faces = [], []
    for ring in range(rings + 1):
        for step in range(2 * rings):
            polar, around = math.pi * ring / rings, math.pi * step / rings
            away = [math.sin(polar) * math.cos(around), math.sin(polar) * math.sin(around), math.cos(polar)]
            points.append([place + radius * part for place, part in zip(middle, away)])
    for ring in range(rings):
        for step in range(2 * rings):
            a, b = ring * 2 * rings + step, ring * 2 * rings + (step + 1) % (2 * rings)
            faces += [[a, a + 2 * rings, b], [b, a + 2 * rings, b + 2 * rings]]
    return points, faces


def quad(*corners):
    return [list(corner) for corner in corners], [[0, 1, 2], [0, 2, 3]]


SHAPES = {
    "floor": ("white", quad((-4, -4, 0), (4, -4, 0), (4, 4, 0), (-4, 4, 0))),
    "wall": ("red", quad((-4, 4, 0), (4, 4, 0), (4, 4, 6), (-4, 4, 6))),
    "light": ("lamp", quad((-1, -1, 5.5), (-1, 1, 5.5), (1, 1, 5.5), (1, -1, 5.5))),
    "first": ("mirror", ball((-2, 0.5, 1), 1)),
    "second": ("plastic", ball((0.3, 1, 1), 1)),
    "third": ("glass", ball((2.2, -0.5, 0.8), 0.8)),
}


def scene():
    made = pyluxcore.Scene()
    text = pyluxcore.Properties()
    text.Set(pyluxcore.Property("scene.camera.lookat.orig", [0.0, -9.0, 4.0]))
    text.Set(pyluxcore.Property("scene.camera.lookat.target", [0.0, 0.0, 1.2]))
    text.Set(pyluxcore.Property("scene.camera.fieldofview", 40.0))
    for name, values in MATERIALS.items():
        for key, value in values.items():
            text.Set(pyluxcore.Property(f"scene.materials.{name}.{key}", value))
    made.Parse(text)
    for name, (material, (points, faces)) in SHAPES.items():
        made.DefineMesh(name, [tuple(point) for point in points], [tuple(face) for face in faces], None, None, None, None)
        shape = pyluxcore.Properties()
        shape.Set(pyluxcore.Property(f"scene.objects.{name}.shape", name))
        shape.Set(pyluxcore.Property(f"scene.objects.{name}.material", material))
        made.Parse(shape)
    return made


def render(engine):
    """The picture's light, and the seconds from the first sample to the last."""
    text = pyluxcore.Properties()
    settings = {
        "renderengine.type": engine, "sampler.type": "SOBOL", "film.width": WIDTH, "film.height": HEIGHT, "batch.haltspp": SAMPLES,
        "opencl.cpu.use": True, "opencl.gpu.use": False, "opencl.native.threads.count": 0,
        "film.imagepipelines.0.0.type": "NOP", "path.pathdepth.total": 5, "renderengine.seed": 3,
    }
    for key, value in settings.items():
        text.Set(pyluxcore.Property(key, value))
    session = pyluxcore.RenderSession(pyluxcore.RenderConfig(text, scene()))
    session.Start()
    start = time.perf_counter()
    while not session.HasDone():
        time.sleep(0.2)
        session.UpdateStats()
    seconds = time.perf_counter() - start
    session.Stop()
    picture = numpy.zeros((HEIGHT, WIDTH, 3), numpy.float32)
    session.GetFilm().GetOutputFloat(pyluxcore.FilmOutputType.RGB, picture)
    return picture, seconds


def compare():
    host, _ = render("PATHCPU")
    found, seconds = render("PATHOCL")
    speed("rendering", seconds)
    numpy.testing.assert_allclose(found.mean((0, 1)), host.mean((0, 1)), rtol=0.04)
    # Both are noisy: what they say of an eighth of the picture's width is compared.
    parts = [picture.reshape(6, HEIGHT // 6, 8, WIDTH // 8, 3).mean((1, 3)) for picture in (found, host)]
    numpy.testing.assert_allclose(parts[0], parts[1], rtol=0.25, atol=0.05)
    if host.std() < 0.1:
        raise ValueError("the picture is empty")


pyluxcore.Init()
devices = pyluxcore.GetOpenCLDeviceList()
check("a device is seen", any(device[1] == "OPENCL_CPU" for device in devices), devices)
attempt("a room", compare)
