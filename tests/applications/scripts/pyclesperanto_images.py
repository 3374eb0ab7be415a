"""pyclesperanto's functions against NumPy's and SciPy's on the same volume."""

import numpy as np
import pyclesperanto as cle
import scipy.ndimage as nd

from lines import attempt, best, check, speed

device = cle.select_device("", "all")
check("there is a device", device is not None)
random = np.random.default_rng(2)
A = random.random((24, 40, 50), dtype=np.float32)
B = random.random((24, 40, 50), dtype=np.float32) + 0.1
BINARY = (nd.gaussian_filter(A, 2) > 0.5).astype(np.float32)

CASES = {
    "add_images_weighted": (lambda: cle.add_images_weighted(A, B, factor1=2, factor2=3), lambda: 2 * A + 3 * B),
    "multiply_images": (lambda: cle.multiply_images(A, B), lambda: A * B),
    "divide_images": (lambda: cle.divide_images(A, B), lambda: A / B),
    "maximum_images": (lambda: cle.maximum_images(A, B), lambda: np.maximum(A, B)),
    "power": (lambda: cle.power(A, scalar=2.5), lambda: A ** 2.5),
    "absolute": (lambda: cle.absolute(A - B), lambda: abs(A - B)),
    "greater_constant": (lambda: cle.greater_constant(A, scalar=0.5), lambda: A > 0.5),
    "binary_and": (lambda: cle.binary_and(A > 0.5, B > 0.5), lambda: (A > 0.5) & (B > 0.5)),
    "maximum_z_projection": (lambda: cle.maximum_z_projection(A), lambda: A.max(0)),
    "mean_z_projection": (lambda: cle.mean_z_projection(A), lambda: A.mean(0)),
    "sum_of_all_pixels": (lambda: np.float32(cle.sum_of_all_pixels(A)), lambda: A.sum(dtype=np.float64)),
    "maximum_of_all_pixels": (lambda: np.float32(cle.maximum_of_all_pixels(A)), lambda: A.max()),
    "transpose_xy": (lambda: cle.transpose_xy(A), lambda: A.transpose(0, 2, 1)),
    "flip": (lambda: cle.flip(A, flip_x=True, flip_y=False, flip_z=False), lambda: A[:, :, ::-1]),
    "gaussian_blur": (lambda: cle.gaussian_blur(A, sigma_x=1, sigma_y=1, sigma_z=1), lambda: nd.gaussian_filter(A, 1, mode="nearest")),
    "maximum_box": (lambda: cle.maximum_box(A, radius_x=2, radius_y=2, radius_z=1), lambda: nd.maximum_filter(A, (3, 5, 5), mode="nearest")),
    "minimum_box": (lambda: cle.minimum_box(A, radius_x=2, radius_y=2, radius_z=1), lambda: nd.minimum_filter(A, (3, 5, 5), mode="nearest")),
    "mean_box": (lambda: cle.mean_box(A, radius_x=1, radius_y=1, radius_z=1), lambda: nd.uniform_filter(A, 3, mode="nearest")),
    "median_box": (lambda: cle.median_box(A, radius_x=1, radius_y=1, radius_z=1), lambda: nd.median_filter(A, 3, mode="nearest")),
    "connected_components": (lambda: np.float32(np.asarray(cle.connected_component_labeling(BINARY, connectivity="box")).max()),
                             lambda: nd.label(BINARY, np.ones((3, 3, 3)))[1]),
}


def compare(name, found, expected):
    found, expected = np.asarray(found(), dtype=np.float64), np.asarray(expected(), dtype=np.float64)
    inner = tuple(slice(3, -3) for _ in expected.shape) if "box" in name or "blur" in name else ...
    np.testing.assert_allclose(found[inner], expected[inner], rtol=2e-3, atol=1e-4)


for name, (found, expected) in CASES.items():
    attempt(name, lambda: compare(name, found, expected))
image = cle.push(random.random((48, 128, 128), dtype=np.float32))
for name, function in {
    "gaussian_blur": lambda: cle.gaussian_blur(image, sigma_x=2, sigma_y=2, sigma_z=2),
    "median_box": lambda: cle.median_box(image, radius_x=1, radius_y=1, radius_z=1),
    "multiply_images": lambda: cle.multiply_images(image, image),
    "maximum_z_projection": lambda: cle.maximum_z_projection(image),
}.items():
    speed(name, best(lambda: cle.pull(function()), 4))
