"""tinygrad on OpenCL against NumPy: operations, and steps of training a small network for digits."""

import numpy as np
from tinygrad import Context, Device, Tensor, dtypes, nn

from lines import attempt, best, check, speed

check("the device is OpenCL's", Device.DEFAULT == "CL", Device.DEFAULT)
random = np.random.default_rng(8)
A, B = random.random((45, 65), dtype=np.float32), random.random((65, 33), dtype=np.float32)
IMAGE, FILTER = random.random((2, 4, 12, 12), dtype=np.float32), random.random((6, 4, 3, 3), dtype=np.float32)


def convolved():
    out = np.zeros((2, 6, 10, 10), np.float32)
    for y in range(3):
        for x in range(3):
            out += np.einsum("nchw,kc->nkhw", IMAGE[:, :, y:y + 10, x:x + 10], FILTER[:, :, y, x])
    return out


def softmax(values):
    powers = np.exp(values - values.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


CASES = {
    "add and multiply": (lambda: Tensor(A) * 2 + Tensor(A), lambda: A * 3),
    "matmul": (lambda: Tensor(A) @ Tensor(B), lambda: A @ B),
    "half matmul": (lambda: (Tensor(A).half() @ Tensor(B).half()).float(), lambda: A @ B),
    "double": (lambda: Tensor(A.astype(np.float64)).exp(), lambda: np.exp(A.astype(np.float64))),
    "sum": (lambda: Tensor(A).sum(0), lambda: A.sum(0)),
    "max": (lambda: Tensor(A).max(1), lambda: A.max(1)),
    "mean": (lambda: Tensor(A).mean(), lambda: A.mean()),
    "std": (lambda: Tensor(A).std(0), lambda: A.std(0, ddof=1)),
    "argmax": (lambda: Tensor(A).argmax(1), lambda: A.argmax(1)),
    "softmax": (lambda: Tensor(A).softmax(1), lambda: softmax(A)),
    "log and sqrt": (lambda: (Tensor(A) + 1).log().sqrt(), lambda: np.sqrt(np.log(A + 1))),
    "sin": (lambda: (Tensor(A) * 30).sin(), lambda: np.sin(A * 30)),
    "sigmoid": (lambda: Tensor(A).sigmoid(), lambda: 1 / (1 + np.exp(-A))),
    "where": (lambda: (Tensor(A) > 0.5).where(Tensor(A), 0), lambda: np.where(A > 0.5, A, 0)),
    "transpose": (lambda: Tensor(A).T.contiguous(), lambda: A.T),
    "pad": (lambda: Tensor(A).pad(((1, 2), (3, 4))), lambda: np.pad(A, ((1, 2), (3, 4)))),
    "cumsum": (lambda: Tensor(A).cumsum(1), lambda: A.cumsum(1)),
    "gather": (lambda: Tensor(A)[Tensor([3, 1, 2])], lambda: A[[3, 1, 2]]),
    "sort": (lambda: Tensor(A[:2]).sort(1)[0], lambda: np.sort(A[:2], 1)),
    "integers": (lambda: (Tensor(np.arange(100, dtype=np.int32)) * 7) // 3 % 11, lambda: np.arange(100) * 7 // 3 % 11),
    "shift and xor": (lambda: (Tensor(np.arange(99, dtype=np.uint32)) << 3) ^ 5, lambda: (np.arange(99) << 3) ^ 5),
    "convolution": (lambda: Tensor(IMAGE).conv2d(Tensor(FILTER)), convolved),
    "maximum pool": (lambda: Tensor(IMAGE).max_pool2d(2), lambda: IMAGE.reshape(2, 4, 6, 2, 6, 2).max((3, 5))),
    "cast": (lambda: (Tensor(A) * 100).cast(dtypes.int8), lambda: (A * 100).astype(np.int8)),
}


def compare(found, expected):
    tolerance = 2e-2 if "half" in name else 2e-4
    np.testing.assert_allclose(found().numpy(), expected(), rtol=tolerance, atol=tolerance)


for name, (found, expected) in CASES.items():
    attempt(name, lambda: compare(found, expected))


class Net:
    def __init__(self):
        self.first, self.second, self.last = nn.Conv2d(1, 8, 5), nn.Conv2d(8, 16, 3), nn.Linear(16 * 25, 10)

    def __call__(self, x):
        x = self.first(x).relu().max_pool2d(2)
        return self.last(self.second(x).relu().max_pool2d(2).flatten(1))


def train():
    Tensor.manual_seed(0)
    net = Net()
    digits = random.integers(0, 10, 32)
    images = random.random((32, 1, 28, 28), dtype=np.float32) * 0.1
    for image, digit in zip(images, digits):
        image[0, 2 * digit:2 * digit + 6, 5:20] += 1
    x, y = Tensor(images), Tensor(digits.astype(np.int32))
    optimizer = nn.optim.SGD(nn.state.get_parameters(net), lr=0.05)

    @Context(TRAINING=1)
    def step():
        optimizer.zero_grad()
        loss = net(x).sparse_categorical_crossentropy(y).backward()
        optimizer.step()
        return loss.item()

    losses = [step() for _ in range(12)]
    if not losses[-1] < 0.85 * losses[0]:
        raise ValueError(f"it does not learn: {losses}")
    speed("step of training", best(step, 3))


attempt("training", train)
big = Tensor(random.random((256, 256), dtype=np.float32)).realize()
speed("matmul 256", best(lambda: (big @ big).realize().numpy(), 5))
