"""The program's commands as functions, over simulated boards."""
import contextlib
import io
import json
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import textwrap
import time
import unittest

import flyball
from support import InFolder, has, needs, source

TABLE = str(source / "examples/orin_agx_twin.csv")


def tune(**options):
    return flyball.tune("resnet18", device="twin:orin_nano", **{"quiet": True, **options})


class Tune(InFolder):
    def test_the_answer_is_that_of_the_program(self):
        answer = tune(power_budget="10W")
        self.assertIsInstance(answer, flyball.Tune)
        self.assertLessEqual(answer.choice.power_w, 10)
        self.assertEqual(answer.best, answer.choice)
        self.assertEqual(answer.choice["gpu_mhz"], answer["choice"]["config"]["gpu_mhz"])
        self.assertEqual(answer.choice.provenance, "simulated")
        self.assertEqual(len(answer.profiled), answer["trials"])
        self.assertIn("W", answer.comparison.text)
        self.assertGreater(len(answer.front), 1)
        self.assertEqual(len(answer.measured), answer["profiles"])
        self.assertIsNone(answer.infeasible)
        self.assertEqual(answer.run, 1)
        printed = subprocess.run(
            [os.environ.get("FLYBALL_PROGRAM", "flyball"), "tune", "resnet18", "--device",
             "twin:orin_nano", "--power-budget", "10W", "--json", "--no-store"],
            stdout=subprocess.PIPE, check=True).stdout
        known = json.loads(printed)
        for key in ("choice", "default", "front", "request"):
            self.assertEqual(answer.to_dict()[key], known[key])
        self.assertIs(type(answer.to_dict()), dict)
        json.dumps(answer)

    def test_it_is_shown_in_a_line(self):
        line = repr(tune(power_budget="10W"))
        self.assertRegex(line, r"<flyball.Tune resnet18 on orin_nano: .*gpu_mhz \d.* W \(simulated\)>")
        self.assertNotIn("\n", line)

    def test_no_is_an_answer(self):
        answer = tune(power_budget="1W")
        self.assertIsNone(answer.choice)
        self.assertEqual(answer.infeasible.code, "infeasible")
        self.assertRegex(answer.infeasible.hint, r'try power_budget="[\d.]+W"')
        self.assertEqual(answer.infeasible.easing[0]["flag"], "--power-budget")
        self.assertIn("no answer", repr(answer))
        self.assertIn("<iframe", answer._repr_html_())

    def test_axes_and_limits_as_dicts(self):
        answer = tune(axis={"batch_size": [8, 16]}, at_most={"slowdown": "20%"}, objective="energy")
        self.assertEqual({trial.config["batch_size"] for trial in answer.profiled}, {8, 16})
        self.assertAlmostEqual(answer["request"]["slowdown_limit_pct"], 20)

    def test_what_is_refused(self):
        def refused(**options):
            return self.refused(flyball.Error, tune, **options)

        self.assertIn("did you mean power_budget?", refused(power_bugdet="10W").hint)
        self.assertIn("tune() takes no keyword", refused(power_bugdet="10W").message)
        self.assertIn("bananas", refused(power_budget="10 bananas").message)
        self.assertIn("power_budget=: '10' has no unit", refused(power_budget=10).message)
        self.refused(flyball.Error, flyball.tune, "no_such_network", device="twin:orin_nano")
        self.refused(flyball.Error, flyball.tune, [], device="twin:orin_nano")
        refused(axis={"no_such_axis": [1]})

    def test_its_page(self):
        answer = tune(power_budget="10W", no_store=True)
        self.assertIsNone(answer.run)
        answer.report("one.html")
        shown = answer._repr_html_()
        self.assertIn('<iframe srcdoc="', shown)
        self.assertLess(len((self.folder / "one.html").read_text()), len(shown))
        tune(power_budget="10W", report="two.html")
        self.assertIn("<html", (self.folder / "two.html").read_text())

    def test_a_run_that_was_deleted_has_no_page(self):
        answer = tune(power_budget="10W")
        (self.folder / "store.db").unlink()
        self.assertIn("<table>", answer._repr_html_())
        self.refused(flyball.Error, answer.report, "page.html")

    def test_a_dry_run_measures_nothing(self):
        dry = tune(power_budget="10W", dry_run=True)
        self.assertIsInstance(dry, flyball.DryRun)
        self.assertGreaterEqual(dry.trials_at_most, 10)
        self.assertIn("at most", repr(dry))
        self.assertFalse((self.folder / "store.db").exists() and len(flyball.runs()))

    def test_it_can_be_kept(self):
        answer = tune(power_budget="10W")
        again = pickle.loads(pickle.dumps(answer))
        self.assertEqual(again, answer)
        self.assertEqual(again.choice, answer.choice)

    def test_without_a_program(self):
        os.environ["FLYBALL_PROGRAM"], former = "/no/such/flyball", os.environ.get("FLYBALL_PROGRAM")
        try:
            self.refused(flyball.Error, tune)
        finally:
            os.environ.pop("FLYBALL_PROGRAM")
            if former:
                os.environ["FLYBALL_PROGRAM"] = former

    def test_rows_of_a_part(self):
        answer = tune(power_budget="10W")
        for part in ("profiled", "measured", "front", "presets"):
            rows = answer.rows(part)
            self.assertEqual([row.get("minibatch_ms") for row in rows],
                             [one.get("minibatch_ms") for one in answer[part]], part)
        self.assertEqual(answer.rows(), answer.rows("profiled"))
        self.assertEqual(answer.rows("front")[0]["gpu_mhz"], answer.front[0]["gpu_mhz"])

    @needs("pandas")
    def test_frames(self):
        answer = tune(power_budget="10W")
        frame = answer.to_frame()
        self.assertEqual(len(frame), answer["trials"])
        for column in ("gpu_mhz", "minibatch_ms", "minibatch_ms_lo90", "power_w", "reason"):
            self.assertIn(column, frame.columns)
        self.assertEqual(len(answer.to_frame("front")), len(answer.front))
        self.assertEqual(len(answer.to_frame("presets")), len(answer.presets))

    @unittest.skipIf(has("pandas"), "pandas is there")
    def test_frames_want_pandas(self):
        self.assertIn("pandas", self.refused(flyball.Error, tune().to_frame).message)


PROGRAM = """
import time, flyball
size = flyball.setting("batch_size", 16)
for batch in flyball.mark(range(2000)):
    time.sleep(0.0005 * size ** 0.5)
"""


class OwnPrograms(InFolder):
    def setUp(self):
        super().setUp()
        (self.folder / "train.py").write_text(PROGRAM)

    def test_a_program_is_a_list_of_words(self):
        answer = flyball.tune([sys.executable, pathlib.Path("train.py")], device="host",
                              axis={"batch_size": [4, 16]}, trial_time="0.5s", profiles=3, quiet=True,
                              force=True)
        self.assertEqual(answer.choice.config["batch_size"], 16)
        self.assertEqual(answer["per"], "sample")

    def test_profile(self):
        answer = flyball.profile([sys.executable, "train.py"], device="host", steps=40, quiet=True,
                                 force=True)
        self.assertGreater(answer.marked.minibatch_ms, 2)
        self.assertEqual(answer.rows()[0]["minibatches"], answer.marked.minibatches)
        self.assertIn("minibatches of", repr(answer))

    def test_a_failing_program_keeps_what_was_seen(self):
        error = self.refused(flyball.Error, flyball.profile,
                             [sys.executable, "-c", "raise SystemExit(3)"], force=True)
        self.assertEqual(error.document["exit_code"], 3)

    def test_ctrl_c_ends_it_in_order(self):
        (self.folder / "tune.py").write_text(textwrap.dedent("""
            import flyball, sys
            try:
                flyball.tune([sys.executable, "train.py"], device="host", trial_time="20s", force=True,
                             axis={"batch_size": [4, 16]})
            except KeyboardInterrupt:
                print("interrupted:", flyball.runs()[0].state)
            """))
        python = subprocess.Popen([sys.executable, "tune.py"], stdout=subprocess.PIPE)
        deadline = time.monotonic() + 30
        while not (self.folder / "store.db").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1.5)
        python.send_signal(signal.SIGINT)
        said = python.communicate(timeout=30)[0].decode()
        self.assertEqual(said, "interrupted: interrupted\n")


class Others(InFolder):
    def test_plan(self):
        answer = flyball.plan("training", train=TABLE, accept="simulated", power_budget="30W",
                              quiet=True)
        self.assertLessEqual(answer.choice.power_w, 30)
        self.assertEqual(answer["choice"]["roles"][0]["config"], answer.choice.config)
        self.assertRegex(repr(answer), r"<flyball.Plan training: cpu_cores .* ms/minibatch \(simulated\)>")
        self.assertIn("<iframe", answer._repr_html_())
        dynamic = flyball.plan("dynamic", infer="mobilenet_v3", device="twin:orin_nano",
                               windows="30:10min,60:5min", latency="300ms", quiet=True)
        self.assertEqual(len(dynamic.windows), 2)
        self.assertEqual(len(dynamic.rows()), 2)
        self.assertIn("2 windows", repr(dynamic))
        self.assertIn("one of: training", self.refused(flyball.Error, flyball.plan, "trainig").hint)
        self.assertIn("rate", self.refused(flyball.Error, flyball.plan, "training", train=TABLE,
                                           rate=60).message)

    def test_plan_of_two_services(self):
        answer = flyball.plan("two-inference", infer=["mobilenet_v3", "resnet18"], rate=[20, 10],
                              latency="500ms", device="twin:orin_nano", quiet=True)
        self.assertEqual(len(answer.choice.roles), 2)
        self.assertEqual([role["rate_hz"] for role in answer["request"]["roles"]], [20, 10])

    def test_profile_of_a_network(self):
        answer = flyball.profile("resnet18", device="twin:orin_nano", epochs=3, quiet=True)
        self.assertEqual([epoch.epoch for epoch in answer.epochs], [0, 1, 2])
        self.assertIsNone(answer.later.epoch)
        self.assertAlmostEqual(answer.later.e2e_s, answer["later"]["e2e_s"])
        self.assertEqual(len(answer.rows()), 3)
        self.assertGreater(answer.rows()[1]["energy_j"], 0)
        self.assertIn("s an epoch", repr(answer))
        self.assertIn("<iframe", answer._repr_html_())

    def test_predict(self):
        answer = flyball.predict("resnet18", device="twin:orin_nano")
        rows = answer.rows()
        self.assertEqual(len(rows), answer["configurations"])
        self.assertIsInstance(rows[0]["minibatch_ms"], float)
        self.assertLess(rows[0]["minibatch_ms_lo90"], rows[0]["minibatch_ms"])
        self.assertIsNone(answer.to_dict()["out"])
        answer.write("modes.csv")
        self.assertEqual(flyball.pareto("modes.csv")["workloads"][0]["workload"], "resnet18")
        flyball.predict("resnet18", device="twin:orin_nano", out="named.csv")
        self.assertEqual((self.folder / "named.csv").read_text(), (self.folder / "modes.csv").read_text())
        self.assertIn("configurations predicted", repr(answer))
        self.assertIn("rows more", answer._repr_html_())

    def test_pareto(self):
        answer = flyball.pareto(pathlib.Path(TABLE))
        watts = [point["power_w"] for point in answer.power_front]
        self.assertEqual(watts, sorted(watts))
        self.assertEqual(len(answer.rows()), len(answer.power_front) + len(answer.energy_front))
        self.assertIn("on the front", repr(answer))

    def test_doctor(self):
        answer = flyball.doctor(device="twin:orin_nano")
        self.assertEqual(answer.board["id"], "orin_nano")
        self.assertTrue(answer.power_measurable)
        self.assertEqual(len(answer.rows()), len(answer.capabilities))
        self.assertIn("<table>", answer._repr_html_())

    def test_runs(self):
        self.assertEqual(len(tune(power_budget="10W").profiled), len(flyball.runs()[0].rows()))
        flyball.plan("training", train="resnet18", device="twin:orin_nano", quiet=True)
        found = flyball.runs()
        self.assertEqual([run.id for run in found], [2, 1])
        self.assertIs(found.find(1), found[1])
        self.assertIn("1", self.refused(flyball.Error, found.find, 7).hint)
        self.assertEqual((found[1].workload, found[1].state), ("resnet18", "done"))
        self.assertIsInstance(found[0].answer, flyball.Plan)
        answer = found[1].answer
        self.assertIsInstance(answer, flyball.Tune)
        self.assertLessEqual(answer.choice.power_w, 10)
        answer.report("answer.html")
        found[1].report("run.html")
        pages = [re.sub(r"\d\d:\d\d:\d\dZ", "", (self.folder / name).read_text())  # when it was made
                 for name in ("answer.html", "run.html")]
        self.assertEqual(*pages)
        self.assertNotIn("--report", found[1].command)
        self.assertIn("latest 2: ", repr(found))
        self.assertIn("<td>resnet18</td>", found._repr_html_())
        other = str(self.folder / "other.db")
        tune(store=other)
        self.assertEqual(flyball.runs(store=other).store, other)
        self.assertEqual(len(flyball.runs(store=other)), 1)
        flyball.runs(store=other)[0].report("other.html")

    def test_a_run_as_it_is_shown(self):
        number = tune(power_budget="10W").run
        shown = flyball.runs().find(number).show()
        self.assertRegex(repr(shown), r"^<flyball\.ShownRun %d: .*measurements: .*>$" % number)
        self.assertEqual(len(shown.rows()), shown["measurements"])

    def test_keywords_that_no_function_takes(self):
        for call, name in ((flyball.runs, "runs"), (flyball.mode.hold, "mode.hold"),
                           (flyball.mode.presets, "mode.presets"),
                           (flyball.create_study, "create_study")):
            for keyword in ("stor", "devise"):
                error = self.refused(flyball.Error, call, **{keyword: "x"})
                self.assertEqual(error.message, "%s() takes no keyword '%s'" % (name, keyword))
        self.assertEqual(self.refused(flyball.Error, flyball.runs, stor="x").hint, "did you mean store?")
        self.assertEqual(self.refused(flyball.Error, flyball.mode.hold, devise="x").hint,
                         "did you mean device?")

    def test_progress_is_passed_on_unless_quiet(self):
        for quiet in (True, False):
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                tune(quiet=quiet, no_store=True)
            self.assertEqual("measuring resnet18" in said.getvalue(), not quiet, said.getvalue())
