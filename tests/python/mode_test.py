"""flyball.mode over the recorded tree of a Jetson AGX Orin."""
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import time

import flyball
from support import InFolder, orin_tree

GPU = "sys/devices/platform/17000000.gpu/devfreq/17000000.gpu/max_freq"


class Mode(InFolder):
    def setUp(self):
        super().setUp()
        os.environ["FLYBALL_STATE"] = str(self.folder / "state")
        self.addCleanup(os.environ.pop, "FLYBALL_STATE", None)
        self.root = orin_tree(self.folder)
        self.start = self.content()

    def content(self):
        return {str(file): file.read_text() for file in self.root.rglob("*") if file.is_file()}

    def gpu_mhz(self):
        return int((self.root / GPU).read_text()) / 1e6

    def hold(self, *mode, **options):
        return flyball.mode.hold(*mode, root=self.root, **options)

    def put_back(self, seconds=10):
        """Is the tree as it was, after a while?"""
        deadline = time.monotonic() + seconds
        while self.content() != self.start and time.monotonic() < deadline:
            time.sleep(0.02)
        return self.content() == self.start


class Here(InFolder):
    def test_cores_are_those_of_this_process_while_it_is_held(self):
        before = os.sched_getaffinity(0)
        if len(before) < 2:
            self.skipTest("this machine has one core")
        with flyball.mode.hold({"cpu_cores": 1}) as held:
            self.assertEqual(len(os.sched_getaffinity(0)), 1)
            self.assertEqual(held.mode["cpu_cores"], 1)
        self.assertEqual(os.sched_getaffinity(0), before)


class LookAndSet(Mode):
    def test_show_list_and_presets(self):
        shown = flyball.mode.show(root=self.root)
        self.assertEqual(shown.mode["cpu_cores"], 12)
        self.assertIsNone(shown.held_by)
        self.assertIn("gpu_mhz 1300.5", repr(shown))
        self.assertEqual(flyball.mode.list(root=self.root).axes["gpu_mhz"],
                         [306, 510, 612, 816, 1300.5])
        presets = flyball.mode.presets(root=self.root)
        self.assertEqual([preset["name"] for preset in presets.presets], ["MAXN", "15W", "30W"])
        self.assertIn("<td>15W</td>", presets._repr_html_())
        self.assertTrue(flyball.mode.presets(device="twin:orin_nano").presets)

    def test_set_and_restore(self):
        self.assertEqual(flyball.mode.set("15W", root=self.root)["preset"], "15W")
        self.assertEqual(self.gpu_mhz(), 408)
        flyball.mode.set({"cpu_cores": 8, "gpu_mhz": 612}, root=self.root)
        self.assertEqual(self.gpu_mhz(), 612)
        self.assertEqual(flyball.mode.set("gpu_mhz=816", root=self.root).mode["gpu_mhz"], 816)
        self.assertGreater(flyball.mode.restore(root=self.root), 0)
        self.assertEqual(self.content(), self.start)
        self.assertEqual(flyball.mode.restore(root=self.root), 0)

    def test_what_cannot_be(self):
        for mode in ("17W", {"gpu_mhz": -1}, {"colour": 3}, None):
            self.refused(flyball.Error, flyball.mode.set, mode, root=self.root)
            with self.assertRaises(flyball.Error) as caught:
                with self.hold(mode):
                    self.fail("it was entered")
            self.assertTrue(caught.exception.hint)
        self.refused(flyball.Error, flyball.mode.set, "15W", device="twin:orin_nano")
        self.assertEqual(self.content(), self.start)


class Hold(Mode):
    def test_it_puts_back(self):
        with self.hold("15W") as held:
            self.assertEqual(self.gpu_mhz(), held.mode["gpu_mhz"])
            self.assertEqual(self.gpu_mhz(), 408)
            self.assertIn("flyball mode hold", flyball.mode.show(root=self.root).held_by)
        self.assertEqual(self.content(), self.start)

    def test_it_puts_back_on_exceptions(self):
        for error in (ValueError, KeyboardInterrupt, SystemExit):
            with self.assertRaises(error):
                with self.hold({"gpu_mhz": 612}):
                    self.assertEqual(self.gpu_mhz(), 612)
                    raise error()
            self.assertEqual(self.content(), self.start)

    def test_one_holds_at_a_time(self):
        with self.hold("15W"):
            with self.assertRaises(flyball.Error) as caught:
                with self.hold("30W"):
                    self.fail("it was entered")
            self.assertTrue(caught.exception.hint)
            self.assertEqual(self.gpu_mhz(), 408)
        self.assertEqual(self.content(), self.start)

    def test_a_held_mode_can_be_held_again(self):
        held = self.hold("15W")
        for _ in range(2):
            with held:
                self.assertEqual(self.gpu_mhz(), 408)
            self.assertEqual(self.content(), self.start)

    def test_the_child_that_ends_early_is_told(self):
        with self.assertRaises(flyball.Error):
            with self.hold("15W") as held:
                os.kill(held._process.pid, signal.SIGTERM)
                held._process.wait(10)
        self.assertTrue(self.put_back())

    def python(self, body):
        """A Python that holds the mode, and says so, and goes on with the body."""
        text = textwrap.dedent("""
            import multiprocessing, os, sys, time, flyball
            with flyball.mode.hold("15W", root=%r):
                print("held", flush=True)
            """ % str(self.root)) + textwrap.indent(textwrap.dedent(body), "    ")
        (self.folder / "holds.py").write_text(text)
        process = subprocess.Popen([sys.executable, "holds.py"], stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), b"held\n")
        self.assertEqual(self.gpu_mhz(), 408)
        return process

    def test_it_puts_back_when_python_is_killed(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process = self.python("time.sleep(60)")
            process.send_signal(number)
            process.wait(10)
            self.assertTrue(self.put_back(), number)

    def test_workers_do_not_keep_it(self):
        """A forked worker has a copy of the pipe, and may live on."""
        fork = "multiprocessing.get_context('fork').Process(target=time.sleep, args=(60,))"
        process = self.python(f"worker = {fork}; worker.start(); print(worker.pid, flush=True); "
                              "time.sleep(60)")
        worker = int(process.stdout.readline())
        self.addCleanup(os.kill, worker, signal.SIGKILL)
        process.kill()
        process.wait(10)
        self.assertTrue(self.put_back())
        os.kill(worker, 0)  # it lives

    def test_a_worker_that_leaves_the_block_changes_nothing(self):
        worker = multiprocessing.get_context("fork")
        with self.hold("15W") as held:
            child = worker.Process(target=held.__exit__, args=(None, None, None))
            child.start()
            child.join(10)
            self.assertEqual((child.exitcode, self.gpu_mhz()), (0, 408))
        self.assertEqual(self.content(), self.start)
