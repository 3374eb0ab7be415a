"""sasmodels' own tests of the models that are named, on OpenCL only."""

import sys
import unittest

from sasmodels.model_test import make_suite

from lines import failed, passed, skipped


class Lines(unittest.TestResult):
    def addSuccess(self, test):
        passed(test.test_name if hasattr(test, "test_name") else test.id().split(".")[-1])

    def addFailure(self, test, error):
        failed(test.id().split(".")[-1], error[1])

    def addError(self, test, error):
        failed(test.id().split(".")[-1], error[1])

    def addSkip(self, test, reason):
        skipped(test.id().split(".")[-1])


for model in sys.argv[1:]:
    make_suite(["opencl"], [model]).run(Lines())
