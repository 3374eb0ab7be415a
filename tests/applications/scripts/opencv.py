"""OpenCV's functions on images in OpenCL's memory (UMat), against its own code for CPUs, and how long they take."""

import cv2
import numpy as np

from lines import attempt, best, check, speed

cv2.setNumThreads(2)
random = np.random.default_rng(1)
GRAY = random.integers(0, 256, (480, 640), dtype=np.uint8)
COLOR = random.integers(0, 256, (480, 640, 3), dtype=np.uint8)
REAL = random.random((480, 640), dtype=np.float32)
BLOCK = np.ones((5, 5), np.uint8)
MEAN = np.full((5, 5), 1 / 25, np.float32)
MAP = [REAL * 600, np.roll(REAL, 7) * 400]
SQUARE = random.random((256, 256), dtype=np.float32)

# Each with the largest difference that rounding in another order may make.
CASES = {
    "add": (lambda a: cv2.add(a, a), GRAY, 0),
    "subtract": (lambda a: cv2.subtract(255.0, a), GRAY, 0),
    "multiply": (lambda a: cv2.multiply(a, a, scale=1 / 255), GRAY, 1),
    "absdiff": (lambda a: cv2.absdiff(a, 100.0), GRAY, 0),
    "bitwise_not": (cv2.bitwise_not, GRAY, 0),
    "addWeighted": (lambda a: cv2.addWeighted(a, 0.3, a, 0.5, 2), GRAY, 1),
    "threshold": (lambda a: cv2.threshold(a, 100, 255, cv2.THRESH_BINARY)[1], GRAY, 0),
    "inRange": (lambda a: cv2.inRange(a, 50, 200), GRAY, 0),
    "LUT": (lambda a: cv2.LUT(a, np.arange(256, dtype=np.uint8)[::-1].copy()), GRAY, 0),
    "blur": (lambda a: cv2.blur(a, (5, 5)), GRAY, 1),
    "boxFilter": (lambda a: cv2.boxFilter(a, -1, (7, 7)), REAL, 1e-5),
    "GaussianBlur": (lambda a: cv2.GaussianBlur(a, (5, 5), 1.2), GRAY, 1),
    "medianBlur 3": (lambda a: cv2.medianBlur(a, 3), GRAY, 0),
    "medianBlur 5": (lambda a: cv2.medianBlur(a, 5), GRAY, 0),
    "bilateralFilter": (lambda a: cv2.bilateralFilter(a, 5, 30, 30), GRAY, 1),
    "filter2D": (lambda a: cv2.filter2D(a, -1, MEAN), GRAY, 1),
    "sepFilter2D": (lambda a: cv2.sepFilter2D(a, -1, MEAN[0], MEAN[0]), REAL, 1e-5),
    "Sobel": (lambda a: cv2.Sobel(a, cv2.CV_16S, 1, 0), GRAY, 0),
    "Scharr": (lambda a: cv2.Scharr(a, cv2.CV_16S, 0, 1), GRAY, 0),
    "Laplacian": (lambda a: cv2.Laplacian(a, cv2.CV_16S, ksize=3), GRAY, 0),
    "Canny": (lambda a: cv2.Canny(a, 50, 150), cv2.GaussianBlur(GRAY, (7, 7), 3), 0),
    "erode": (lambda a: cv2.erode(a, BLOCK), GRAY, 0),
    "dilate": (lambda a: cv2.dilate(a, BLOCK), COLOR, 0),
    "morphologyEx": (lambda a: cv2.morphologyEx(a, cv2.MORPH_GRADIENT, BLOCK), GRAY, 0),
    "resize linear": (lambda a: cv2.resize(a, (320, 200)), GRAY, 1),
    "resize area": (lambda a: cv2.resize(a, (320, 240), interpolation=cv2.INTER_AREA), COLOR, 1),
    "resize cubic": (lambda a: cv2.resize(a, (800, 600), interpolation=cv2.INTER_CUBIC), REAL, 1e-4),
    "pyrDown": (cv2.pyrDown, GRAY, 1),
    "pyrUp": (cv2.pyrUp, GRAY, 1),
    "warpAffine": (lambda a: cv2.warpAffine(a, np.float32([[0.9, 0.1, 3], [-0.1, 0.9, 5]]), (640, 480)), REAL, 5e-2),
    "warpPerspective": (lambda a: cv2.warpPerspective(a, np.float32([[1, 0.1, 3], [0, 1, 5], [1e-5, 0, 1]]), (640, 480)), REAL, 5e-2),
    "remap": (lambda a: cv2.remap(a, MAP[0], MAP[1], cv2.INTER_LINEAR), REAL, 5e-2),
    "flip": (lambda a: cv2.flip(a, 1), COLOR, 0),
    "transpose": (cv2.transpose, COLOR, 0),
    "rotate": (lambda a: cv2.rotate(a, cv2.ROTATE_90_CLOCKWISE), GRAY, 0),
    "copyMakeBorder": (lambda a: cv2.copyMakeBorder(a, 3, 4, 5, 6, cv2.BORDER_REFLECT), GRAY, 0),
    "BGR to gray": (lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2GRAY), COLOR, 1),
    "BGR to HSV": (lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2HSV), COLOR, 1),
    "BGR to Lab": (lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2Lab), COLOR, 2),
    "BGR to YUV": (lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2YUV), COLOR, 1),
    "extractChannel": (lambda a: cv2.extractChannel(a, 1), COLOR, 0),
    "exp": (cv2.exp, REAL, 1e-5),
    "log": (cv2.log, REAL + 0.1, 1e-4),
    "sqrt": (cv2.sqrt, REAL, 1e-6),
    "pow": (lambda a: cv2.pow(a, 2.5), REAL, 1e-5),
    "magnitude": (lambda a: cv2.magnitude(a, a), REAL, 1e-5),
    "phase": (lambda a: cv2.phase(a, a), REAL, 1e-2),
    "integral": (lambda a: cv2.integral(a), GRAY, 0),
    "equalizeHist": (cv2.equalizeHist, GRAY, 0),
    "calcHist": (lambda a: cv2.calcHist([a], [0], None, [256], [0, 256]), GRAY, 0),
    "CLAHE": (lambda a: cv2.createCLAHE(2.0, (8, 8)).apply(a), GRAY, 1),
    "gemm": (lambda a: cv2.gemm(a, a, 1.0, None, 0.0), SQUARE, 1e-3),
    "dft": (lambda a: cv2.dft(a, flags=cv2.DFT_COMPLEX_OUTPUT), SQUARE, 2e-1),
    "norm": (lambda a: np.array(cv2.norm(a)), GRAY, 1e-3),
    "mean": (lambda a: np.array(cv2.mean(a)), COLOR, 1e-6),
    "minMaxLoc": (lambda a: np.array(cv2.minMaxLoc(a)[:2]), REAL, 0),
    "countNonZero": (lambda a: np.array(cv2.countNonZero(a)), GRAY, 0),
    "matchTemplate": (lambda a: cv2.matchTemplate(a, GRAY[:16, :16].copy(), cv2.TM_CCOEFF_NORMED), GRAY, 5e-3),
    "cornerHarris": (lambda a: cv2.cornerHarris(a, 2, 3, 0.04), GRAY, 1e-4),
    "accumulateWeighted": (lambda a: cv2.accumulateWeighted(a, a, 0.5), REAL, 1e-6),
}


def host(value):
    return np.asarray(value.get() if isinstance(value, cv2.UMat) else value, dtype=np.float64)


def compare(name, function, image, tolerance):
    cv2.ocl.setUseOpenCL(False)
    expected = host(function(image.copy()))
    cv2.ocl.setUseOpenCL(True)
    given = cv2.UMat(image)
    difference = np.abs(host(function(given)) - expected)
    # Where a value lies between two, a few pixels may go either way.
    wrong = np.count_nonzero(difference > tolerance)
    if wrong > 0.001 * difference.size:
        raise ValueError(f"{wrong} of {difference.size} differ, by up to {difference.max():g}")

    def measured():
        function(given)
        cv2.ocl.finish()

    if "accumulate" not in name:
        speed(name, best(measured))


check("OpenCL is in use", cv2.ocl.haveOpenCL() and cv2.ocl.Device.getDefault().name() != "")
for name, (function, image, tolerance) in CASES.items():
    attempt(name, lambda: compare(name, function, image, tolerance))
