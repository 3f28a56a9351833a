"""flyball.mark(), and what waits for a GPU."""
import os
import pathlib
import re
import sys
import time
import types
import unittest
import unittest.mock

import flyball
from flyball import _library, _marks, _ring


class Marks(unittest.TestCase):
    def setUp(self):
        self.seen = []
        former = _marks.listen(lambda end, stall, compute: self.seen.append((stall, compute)))
        self.addCleanup(_marks.listen, former)

    def test_each_batch_is_a_minibatch(self):
        def slow():
            for batch in "abc":
                time.sleep(0.01)
                yield batch
        got = []
        for batch in flyball.mark(slow()):
            time.sleep(0.02)
            got.append(batch)
        self.assertEqual(got, ["a", "b", "c"])
        self.assertEqual(len(self.seen), 3)
        for stall_ns, compute_ns in self.seen:
            self.assertGreaterEqual(stall_ns, 10e6)
            self.assertGreaterEqual(compute_ns, 20e6)
            self.assertLess(stall_ns, compute_ns)

    def test_a_stall_within_computing_is_no_computing(self):
        began = time.monotonic_ns()
        for _ in flyball.mark("a"):
            time.sleep(0.01)
            with flyball.stall():
                time.sleep(0.05)
            time.sleep(0.01)
        (stall_ns, compute_ns), = self.seen
        self.assertGreaterEqual(stall_ns, 50e6)
        self.assertGreaterEqual(compute_ns, 20e6)
        self.assertLessEqual(stall_ns + compute_ns, time.monotonic_ns() - began)

    def test_a_marked_loader_serves_every_epoch(self):
        class Loader(list):
            batch_size = 4
        loader = flyball.mark(Loader("ab"))
        for _ in range(3):
            self.assertEqual(list(loader), ["a", "b"])
        self.assertEqual(len(self.seen), 6)
        self.assertEqual((len(loader), loader.batch_size, bool(loader)), (2, 4, True))
        with self.assertRaises(AttributeError):
            loader.no_such_thing
        with self.assertRaises(TypeError):
            len(flyball.mark(iter("ab")))
        self.assertTrue(flyball.mark(iter("ab")))

    def test_a_batch_that_is_left_is_none(self):
        for batch in flyball.mark("abc"):
            if batch == "b":
                break
        self.assertEqual(len(self.seen), 1)

    def test_the_older_name(self):
        self.assertIs(flyball.batches, flyball.mark)


class Settings(unittest.TestCase):
    def test_variables_of_flyball_are_none(self):
        given = {"FLYBALL_STORE": "/a/store.db", "FLYBALL_DATA": "3", "FLYBALL_BATCH_SIZE": "64"}
        with unittest.mock.patch.dict(os.environ, given):
            self.assertEqual(flyball.setting("store", 5), 5)
            self.assertEqual(flyball.setting("data", 7), 7)
            self.assertEqual(flyball.setting("batch_size", 16), 64)

    def test_they_are_those_of_the_program(self):
        header = pathlib.Path(__file__).parents[2] / "src/base/own_variables.h"
        listed = re.findall(r'"(FLYBALL_\w+)"', header.read_text())
        self.assertEqual(sorted(_marks.OWN_VARIABLES), sorted(listed))


class Windows(unittest.TestCase):
    def test_both_ends_bear_the_number_of_their_window(self):
        written = []
        ring = types.SimpleNamespace(write=lambda kind, number=-1, name="": written.append(
            (kind, number)))
        with unittest.mock.patch.object(_marks, "ring", ring), \
                unittest.mock.patch.object(_library, "found", False):
            with flyball.window("epoch"):
                with flyball.window("epoch"):
                    pass
        kinds, numbers = zip(*written)
        self.assertEqual(kinds, (_ring.WINDOW_BEGIN, _ring.WINDOW_BEGIN, _ring.WINDOW_END,
                                 _ring.WINDOW_END))
        self.assertEqual(numbers[:2], numbers[:1:-1])
        self.assertEqual(len(set(numbers)), 2)
        self.assertGreaterEqual(min(numbers), 0)


class Synchronize(unittest.TestCase):
    def setUp(self):
        self.waits = []
        self.addCleanup(_marks.listen, _marks.listen(lambda *_: None))
        self.addCleanup(flyball.set_synchronize, None)
        self.addCleanup(sys.modules.__setitem__ if "torch" in sys.modules else sys.modules.pop,
                        "torch", sys.modules.get("torch"))

    def torch(self, initialized):
        torch = types.ModuleType("torch")
        torch.cuda = types.SimpleNamespace(is_initialized=lambda: initialized,
                                           synchronize=lambda: self.waits.append("cuda"))
        sys.modules["torch"] = torch

    def test_cuda_of_pytorch_is_waited_for(self):
        self.torch(True)
        with flyball.compute():
            self.assertEqual(self.waits, [])
        self.assertEqual(self.waits, ["cuda"])

    def test_what_uses_no_gpu_is_left_alone(self):
        self.torch(False)
        with flyball.compute():
            pass
        self.assertEqual(self.waits, [])

    def test_a_function_of_ones_own(self):
        self.torch(True)
        flyball.set_synchronize(lambda: self.waits.append("own"))
        with flyball.compute():
            pass
        self.assertEqual(self.waits, ["own"])
