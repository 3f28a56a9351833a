"""What is a number of the user's, and what is none."""
import decimal
import fractions
import unittest

import flyball
from flyball import _marks, _numbers, _options, _turn
from flyball.integrations._loop import Loop
from support import needs


class Scalar:
    """As a tensor of one number."""

    def __init__(self, value):
        self._value = value

    def __float__(self):
        return float(self._value)

    def item(self):
        return self._value


class Numbers(unittest.TestCase):
    none = ["12", b"12", bytearray(b"12"), True, False, {"1": 2}, None, [12], 1j, object(), Scalar(True), Scalar("12")]

    def refusal(self, call, *operands, **options):
        with self.assertRaises(flyball.Error) as caught:
            call(*operands, **options)
        self.assertTrue(caught.exception.hint)
        return caught.exception

    def test_numbers_are_taken(self):
        for value in (12, 12.0, decimal.Decimal(12), fractions.Fraction(12), Scalar(12.0), Scalar(12)):
            with self.subTest(value=value):
                self.assertEqual(_numbers.number("power_w", value), 12)
                self.assertEqual(_numbers.numbers("minibatch_ms", (value, 3)), [12, 3])

    def test_what_is_none_is_named(self):
        for value in self.none:
            with self.subTest(value=value):
                error = self.refusal(_numbers.number, "power_w", value)
                self.assertRegex(error.message, "^power_w=.* is not a number, but of type %s$" % type(value).__name__)
                self.assertEqual(error.hint, "power_w=20.5, in watts")

    def test_what_is_no_list_is_none_of_numbers(self):
        for value in ("12", b"12", bytearray(b"12"), memoryview(b"12"), {"1": 2}, {1, 2}, True, 12):
            with self.subTest(value=value):
                error = self.refusal(_numbers.numbers, 'axes["size"]', value)
                self.assertIn('axes["size"]=', error.message)
                self.assertIn("is not a list of numbers, but of type " + type(value).__name__, error.message)
        self.assertIn("minibatch_ms[1]='2' is not a number",
                      self.refusal(_numbers.numbers, "minibatch_ms", [1, "2"]).message)

    def test_only_finite_numbers(self):
        for value in (float("nan"), float("inf"), 10 ** 400):
            self.assertIn("power_w is not a finite number", self.refusal(_numbers.number, "power_w", value).message)

    def test_whole_numbers_are_exact(self):
        self.assertEqual(_numbers.whole("seed", 2 ** 64 - 1), 2 ** 64 - 1)
        self.assertIsInstance(_numbers.whole("profiles", Scalar(5)), int)
        self.assertIsNone(_numbers.whole("samples", None))

    @needs("numpy")
    def test_those_of_numpy(self):
        import numpy
        for value in (numpy.float32(12), numpy.int64(12), numpy.array(12.0), numpy.array([12])):
            self.assertEqual(_numbers.number("power_w", value), 12)
        self.assertEqual(_numbers.numbers("minibatch_ms", numpy.array([1, 2.5], dtype="float32")), [1, 2.5])
        self.assertEqual(_numbers.whole("profiles", numpy.int64(5)), 5)
        for value in (numpy.bool_(True), numpy.array(True), numpy.str_("12"), numpy.array("12"), numpy.array([1, 2])):
            self.refusal(_numbers.number, "power_w", value)
        self.assertEqual(_options._values("axis", {"size": numpy.array([8, 16]), "rate": numpy.float32(0.1)}),
                         ["size=8,16", "rate=0.1"])

    def test_of_options(self):
        self.assertEqual(_options._values("axis", {"size": Scalar(8), "part": fractions.Fraction(1, 4)}),
                         ["size=8", "part=0.25"])
        for value in (b"12", True, {1, 2}, object(), Scalar(True)):
            self.assertIn("axis=", self.refusal(_options._values, "axis", {"size": [value]}).message)

    def test_of_reports(self):
        self.addCleanup(_marks.figures.clear)
        for value in self.none:
            with self.subTest(value=value):
                self.assertIn('report("accuracy")', self.refusal(flyball.report, "accuracy", value).message)
                loop = Loop(None, {"accuracy": "val"})
                self.assertIn('report("accuracy")', self.refusal(loop.report, {"val": value}).message)
        flyball.report("accuracy", Scalar(0.75))
        self.assertEqual(_marks.figures, {"accuracy": 0.75})
        flyball.report("accuracy", float("nan"))  # nothing to hold a limit to, whatever it was before
        self.assertEqual(_marks.figures, {})

    def test_of_turns(self):
        for share in (True, "2", b"2"):
            self.assertIn("share=", self.refusal(_turn._hello, "a", None, share).message)
        for latency in (True, b"12", [1]):
            self.assertIn("latency=", self.refusal(_turn._hello, "a", latency, None).message)
        self.assertEqual(_turn._hello("a", None, Scalar(2.0)), b"flyball-turn 1 training 2.0 a")

    def test_of_modes(self):
        for value in ("612", True, b"612"):
            self.assertIn('mode["gpu_mhz"]=', self.refusal(flyball.mode.set, {"gpu_mhz": value}).message)
