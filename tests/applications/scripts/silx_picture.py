"""A plugin of pytest that makes a picture for silx's tests, which SciPy would download."""

import numpy
import scipy.datasets


def ascent():
    y, x = numpy.mgrid[:512, :512]
    noise = numpy.random.default_rng(3).normal(0, 12, (512, 512))
    picture = 128 + 60 * numpy.sin(x / 17) * numpy.cos(y / 29) + 40 * ((x // 64 + y // 64) % 2) + noise
    return picture.clip(0, 255).astype(numpy.uint8)


scipy.datasets.ascent = ascent
