"""A study's refusals speak of the arguments of this package; what it takes for known, and when it ends."""
import multiprocessing
import subprocess
import sys
import time
from unittest import mock

import flyball
from flyball import _study
from support import InFolder

script = """import flyball
study = flyball.create_study({"size": [1, 2]}, name="mine", profiles=2)
trials = list(study.tell(trial, minibatch_ms=trial["size"]) for trial in study)
print(len(trials))
"""


class Known(InFolder):
    def trials(self, *command):
        done = subprocess.run([sys.executable, *command], stdout=subprocess.PIPE, check=True, text=True)
        return int(done.stdout)

    def test_other_arguments_are_another_program(self):
        (self.folder / "train.py").write_text(script)
        self.assertGreater(self.trials("train.py", "--model", "small"), 1)
        self.assertEqual(self.trials("train.py", "--model", "small"), 0)
        self.assertGreater(self.trials("train.py", "--model", "large"), 1)

    def test_without_a_script_nothing_is_known(self):
        for _ in range(2):
            self.assertGreater(self.trials("-c", script), 1)


class Iterates(InFolder):
    def test_a_trial_that_is_not_told_ends_the_loop(self):
        with flyball.create_study({"size": [1, 2, 3]}, keep=False) as study:
            seen = []

            def forgetful():
                for trial in study:
                    seen.append(trial.number)
                    self.assertEqual(len(seen), len(set(seen)), "the same trial again")
                    if trial.number == 1:
                        study.tell(trial, minibatch_ms=5)
            error = self.refused(flyball.Error, forgetful)
            self.assertEqual(error.message, "trial 2 was not told")
            self.assertIn("minibatch_ms=", error.hint)
            self.assertIn("failure=", error.hint)
            self.assertEqual(seen, [1, 2])

    def test_ask_gives_it_again(self):
        with flyball.create_study({"size": [1, 2, 3]}, keep=False) as study:
            first = study.ask()
            self.assertIs(study.ask(), first)
            for trial in study:  # that it was asked before does no harm, nor that a loop is left
                self.assertIs(trial, first)
                break
            for trial in study:
                study.tell(trial, minibatch_ms=trial["size"])
            self.assertEqual(study.best.config, {"size": 1})


class Ends(InFolder):
    def test_while_a_worker_lives(self):
        study = flyball.create_study({"size": [1, 2]}, keep=False)
        study.ask()
        worker = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,), daemon=True)
        worker.start()
        self.addCleanup(worker.kill)
        with mock.patch("flyball._program._grace_s", 30):  # it sees the end of its pipe
            began = time.monotonic()
            study.close()
            self.assertLess(time.monotonic() - began, 10)

    def test_a_worker_takes_nothing_from_its_parent(self):
        with flyball.create_study({"size": [1, 2]}, keep=False) as study:
            def child(queue):
                try:
                    study.ask()
                except flyball.Error as error:
                    queue.put(error.message)
            context = multiprocessing.get_context("fork")
            queue = context.Queue()
            worker = context.Process(target=child, args=(queue,))
            worker.start()
            self.assertEqual(queue.get(timeout=20), "the study is closed")
            worker.join()
            self.assertEqual(study.ask().number, 1)

    def test_interrupted_while_it_waits_for_an_answer(self):
        study = flyball.create_study({"size": [1, 2]}, keep=False)
        with mock.patch.object(study._program, "_process") as process:
            process.stdout.readline.side_effect = KeyboardInterrupt
            with self.assertRaises(KeyboardInterrupt):
                study.ask()
        self.assertEqual(self.refused(flyball.Error, study.ask).message, "the study is closed")


class Stretches(InFolder):
    """Power of the minibatches alone, whatever comes behind them."""

    def measured(self, minibatches, tail_s, trial_s=2.0, minibatch_s=0.1):
        now, watts = [0.0], [30.0]

        class Window:
            def __init__(self, name):
                self.energy, self.seconds, self._began, self._joules = {}, None, 0.0, 0.0

            def __enter__(self):
                self._began = now[0]
                return self

            def __exit__(self, *_):
                self.seconds = now[0] - self._began
                behind = max(now[0] - max(busy[0], self._began), 0)
                joules = 30.0 * (self.seconds - behind) + 10.0 * behind
                self.energy = {"module": {"mean_w": joules / self.seconds if self.seconds else 0}}

            def cancel(self):
                pass

        busy = [minibatch_s * minibatches]
        with mock.patch.object(_study, "window", Window), \
                mock.patch("time.monotonic_ns", lambda: int(now[0] * 1e9)):
            times = _study._Minibatches(0.25, trial_s)
            for minibatch in range(minibatches):
                now[0] = minibatch_s * (minibatch + 1)
                times(int(now[0] * 1e9), 0, 0)
            now[0] += tail_s
            if times.stretches:
                times.cancel()
            else:
                times.end_stretch()
        return times, _study._mean_w(times.stretches, "module")

    def test_ends_with_enough(self):
        times, watts = self.measured(60, tail_s=10)
        self.assertTrue(times.enough())
        self.assertAlmostEqual(watts, 30)
        self.assertEqual((len(times.counted), len(times.stretches)), (20, 4))
        for one in times.counted:
            self.assertAlmostEqual(one, 100, 3)

    def test_the_minibatch_that_completes_the_trial_counts(self):
        for minibatch_s, counted in ((0.1, 20), (0.3, 7), (1.1, 2), (2.5, 1)):
            with self.subTest(minibatch_s=minibatch_s):
                times, watts = self.measured(60, tail_s=10, minibatch_s=minibatch_s)
                self.assertTrue(times.enough())
                self.assertIs(times.times(), times.counted)
                self.assertEqual(len(times.counted), counted)
                self.assertIsNone(times._stretch)
                self.assertAlmostEqual(sum(one.seconds for one in times.stretches),
                                       counted * minibatch_s, 3)
                self.assertAlmostEqual(watts, 30)

    def test_a_function_that_returns_early(self):
        times, watts = self.measured(14, tail_s=10)
        self.assertFalse(times.enough())
        self.assertAlmostEqual(watts, 30)

    def test_of_less_than_a_stretch_what_is_behind_counts(self):
        _, watts = self.measured(6, tail_s=10)
        self.assertLess(watts, 15)


class Refusals(InFolder):
    def refusal(self, call, *operands, **options):
        error = self.refused(flyball.Error, call, *operands, **options)
        self.assertNotRegex(str(error), r'"do"|minibatches_ms|an object|anyway')
        return error

    def test_create(self):
        create, axes = flyball.create_study, {"size": [1, 2]}
        self.assertEqual(self.refusal(create, {}).message, "axes= is empty")
        self.assertIn('axes["size"]', self.refusal(create, {"size": ["small"]}).message)
        self.assertIn('objective="energy"', self.refusal(create, axes, objective="beauty").hint)
        self.assertIn("force=True", self.refusal(create, axes, wait=True, force=True).message)
        self.assertIn("force=True", self.refusal(create, axes, wait=True, anyway=True).message)
        self.assertIn("default={", self.refusal(create, axes, at_most={"slowdown": "5%"}).hint)
        self.assertIn("profiles=10", self.refusal(create, axes, profiles=0).hint)
        self.assertIn('at_least["accuracy"]',
                      self.refusal(create, axes, at_least={"accuracy": "much"}).message)

    def test_numbers_of_create(self):
        axes = {"size": [1, 2]}
        for said, given in [('axes["size"][1]=', {"axes": {"size": [1, True]}}),
                            ('axes["size"][0]=', {"axes": {"size": [b"1"]}}),
                            ('axes["size"][0] is not a finite', {"axes": {"size": [float("nan")]}}),
                            ('axes["size"]=', {"axes": {"size": 5}}), ('axes["size"]=', {"axes": {"size": "12"}}),
                            ('axes["size"]=', {"axes": {"size": {1: 2}}}), ("axes=", {"axes": [1, 2]}),
                            ("axes=", {"axes": {1: [1, 2]}}), ("profiles=", {"profiles": "5"}),
                            ("profiles=", {"profiles": True}), ("profiles=", {"profiles": 5.5}),
                            ("seed=", {"seed": b"1"}), ("samples=", {"samples": "100"}),
                            ('default["size"]', {"default": {"size": b"1"}}), ("default=", {"default": 5}),
                            ('at_least["x"]', {"at_least": {"x": True}}), ('at_least["x"]', {"at_least": {"x": "1"}}),
                            ("at_least=", {"at_least": [1]}), ('at_most["x"]', {"at_most": {"x": b"1"}})]:
            with self.subTest(given=given):
                self.assertIn(said, self.refusal(flyball.create_study, **{"axes": axes, "keep": False, **given}).message)

    def test_numbers_of_optimize(self):
        with flyball.create_study({"size": [1, 2]}, keep=False) as study:
            for given in ({"profiles": "5"}, {"trial_time": "1"}, {"warm_up": True}):
                self.assertIn(*given, self.refusal(study.optimize, lambda trial: None, **given).message)

    def test_values_of_an_iterator_keep_their_type(self):
        with flyball.create_study({"size": (value for value in (3, 4))}, keep=False) as study:
            self.assertIsInstance(study.ask()["size"], int)

    def test_tell(self):
        with flyball.create_study({"size": [1, 2]}, power_budget="15W", keep=False) as study:
            trial = study.ask()
            error = self.refusal(study.tell, trial, minibatch_ms=5)
            self.assertIn("power_w= is missing", error.message)
            self.assertIn("power_w=20.5", error.hint)
            self.assertIn("one of minibatch_ms= and failure=", self.refusal(study.tell, trial).message)
            for wrong, said in [({"power_w": float("nan")}, "power_w is not a finite number"),
                                ({"power_w": "much"}, "power_w='much' is not a number"),
                                ({"figures": {"accuracy": None}}, 'figures["accuracy"]'),
                                ({"minibatch_ms": -1}, "minibatch_ms= is not a number above zero"),
                                ({"minibatch_ms": []}, "minibatch_ms= is not a list of numbers"),
                                ({"minibatch_ms": [1, float("inf")]}, "minibatch_ms[1] is not a finite"),
                                ({"minibatch_ms": "12"}, "minibatch_ms='12' is neither a number nor a list"),
                                ({"minibatch_ms": b"12"}, "minibatch_ms=b'12' is neither"),
                                ({"minibatch_ms": True}, "minibatch_ms=True is neither"),
                                ({"minibatch_ms": {"1": 2}}, "minibatch_ms={'1': 2} is neither"),
                                ({"minibatch_ms": ["12"]}, "minibatch_ms[0]='12' is not a number"),
                                ({"power_w": "20"}, "power_w='20' is not a number, but of type str"),
                                ({"power_w": True}, "power_w=True is not a number"),
                                ({"figures": {"accuracy": "high"}},
                                 "figures[\"accuracy\"]='high' is not a number"),
                                ({"figures": [0.7]}, "figures=[0.7] is not a dict of names and numbers")]:
                given = {"minibatch_ms": 5, "power_w": 10, **wrong}
                self.assertIn(said, self.refusal(study.tell, trial, **given).message)
            study.tell(trial, minibatch_ms=(value for value in (5.0, 5.1, 5.2)), power_w=10)

    def test_a_failure_is_told_whatever_its_words(self):
        words = "\x1b[31mout of memory\x1b[0m:\ntried 2 GB\x00 \udcff"
        with flyball.create_study({"size": [1, 2]}, keep=False, profiles=2) as study:
            study.tell(study.ask(), failure=RuntimeError(words))
            self.assertIsNone(study.optimize(mock.Mock(side_effect=RuntimeError(words))))
            failures = {trial["failure"] for trial in study.answer["profiled"]}
        self.assertEqual(failures, {"[31mout of memory [0m: tried 2 GB",
                                    "RuntimeError: [31mout of memory [0m: tried 2 GB"})

    def test_another_session(self):
        first = flyball.create_study({"size": [1, 2]}, keep=False)
        second = flyball.create_study({"size": [1, 2]}, keep=False)
        with first, second:
            first.ask()
            self.assertIn("force=True", self.refusal(second.ask).hint)
        for older in ({"force": True}, {"anyway": True}):
            with flyball.create_study({"size": [1, 2]}, keep=False) as first:
                first.ask()
                beside = flyball.create_study({"size": [1, 2]}, keep=False)
                self.assertIsNotNone(beside.optimize(lambda trial: None, **older))
                self.assertTrue(all(trial["disturbed"] for trial in beside.answer["profiled"]))

    def test_the_answer_is_a_tune(self):
        study = flyball.create_study({"size": [2, 1]})
        for trial in study:
            study.tell(trial, minibatch_ms=trial["size"] * 10)
        self.assertIsInstance(study.answer, flyball.Tune)
        self.assertEqual(study.answer.choice.config, {"size": 1})
        study.answer.report("page.html")
        self.assertIn("<html", (self.folder / "page.html").read_text())
