"""The callbacks, over stand-ins of their libraries (stand_ins/): those cannot be installed here, so that
what is tested is the interface that they document, not they themselves."""
import importlib
import pathlib
import subprocess
import sys
import time
import unittest

import flyball
from flyball import _marks
from support import source

STAND_INS = str(pathlib.Path(__file__).parent / "stand_ins")


class SlowLoader:
    def __iter__(self):
        for batch in range(4):
            time.sleep(0.005)
            yield batch


class Callbacks(unittest.TestCase):
    def setUp(self):
        sys.path.insert(0, STAND_INS)
        self.addCleanup(sys.path.remove, STAND_INS)
        self.seen = []
        self.addCleanup(_marks.listen, _marks.listen(lambda *mark: self.seen.append(mark[1:])))
        _marks.figures.clear()

    loader = SlowLoader()

    def check(self, minibatches, computes_s):
        """Stall is the loader's time alone: neither validation nor saving, which take longer."""
        self.assertEqual(len(self.seen), minibatches)
        for stall_ns, compute_ns in self.seen:
            self.assertGreaterEqual(stall_ns, 5e6)
            self.assertLess(stall_ns, 150e6)
            self.assertGreaterEqual(compute_ns, computes_s * 1e9)

    def trial(self, enough_after):
        return flyball.Trial(1, {}, "", False, lambda: len(self.seen) >= enough_after)


class Lightning(Callbacks):
    def trainer(self, callback, **more):
        from lightning.pytorch import Trainer
        return Trainer(callbacks=[callback], **more)

    def callback(self, **more):
        from flyball.integrations.lightning import MarkCallback
        return MarkCallback(**more)

    def test_each_batch_is_marked(self):
        self.trainer(self.callback(figures={"accuracy": "val_acc"}), max_epochs=2).fit(None, self.loader)
        self.check(8, 0.002)
        self.assertEqual(_marks.figures, {"accuracy": 0.75})

    def test_it_stops_when_enough_was_seen(self):
        self.trainer(self.callback(trial=self.trial(3)), max_epochs=2).fit(None, self.loader)
        self.assertEqual(len(self.seen), 3)

    def test_process_0_marks(self):
        self.trainer(self.callback(), max_epochs=1, global_rank=1).fit(None, self.loader)
        self.assertEqual(self.seen, [])

    def test_it_is_a_callback_of_the_library(self):
        from lightning.pytorch.callbacks import Callback
        self.assertIsInstance(self.callback(), Callback)


class HuggingFace(Callbacks):
    def trainer(self, callback, epochs, **more):
        from transformers import Trainer, TrainingArguments
        return Trainer(args=TrainingArguments("out", num_train_epochs=epochs, **more),
                       train_dataset=self.loader, callbacks=[callback])

    def callback(self, **more):
        from flyball.integrations.huggingface import MarkCallback
        return MarkCallback(**more)

    def test_each_step_is_marked(self):
        self.trainer(self.callback(figures=["eval_accuracy"]), epochs=2).train()
        self.check(8, 0.002)
        self.assertEqual(_marks.figures, {"eval_accuracy": 0.75})

    def test_accumulated_gradients_are_one_step(self):
        self.trainer(self.callback(), epochs=1, gradient_accumulation_steps=2).train()
        self.assertEqual(len(self.seen), 2)

    def test_it_stops_when_enough_was_seen(self):
        self.trainer(self.callback(trial=self.trial(3)), epochs=2).train()
        self.assertEqual(len(self.seen), 3)

    def test_process_0_marks(self):
        trainer = self.trainer(self.callback(), epochs=1)
        trainer.state.is_world_process_zero = False
        trainer.train()
        self.assertEqual(self.seen, [])


class Ultralytics(Callbacks):
    def model(self, **more):
        from ultralytics import YOLO
        from flyball.integrations.ultralytics import add_callbacks
        return add_callbacks(YOLO("yolov8n.yaml"), **more)

    def test_each_batch_is_marked(self):
        self.model(figures={"map50": "metrics/mAP50(B)"}).train(data=self.loader, epochs=2)
        self.check(8, 0.002)
        self.assertEqual(_marks.figures, {"map50": 0.5})

    def test_it_stops_at_the_end_of_an_epoch(self):
        self.model(trial=self.trial(2)).train(data=self.loader, epochs=3)
        self.assertEqual(len(self.seen), 4)


class Missing(unittest.TestCase):
    def test_what_is_not_installed_is_said(self):
        for name, library in (("lightning", "lightning"), ("huggingface", "transformers")):
            if importlib.util.find_spec(library):
                continue
            sys.modules.pop("flyball.integrations." + name, None)
            with self.assertRaises(flyball.Error) as caught:
                importlib.import_module("flyball.integrations." + name)
            self.assertIn("pip install", caught.exception.hint)


class Example(unittest.TestCase):
    def test_the_example_runs_over_the_stand_ins(self):
        script = ("import sys; sys.path[:0] = [%r, %r]; import callbacks; "
                  "import flyball; seen = []; flyball._marks.listen(lambda *_: seen.append(1)); "
                  "callbacks.with_lightning(None, range(4)); a = len(seen); "
                  "callbacks.with_hugging_face(None, range(4)); b = len(seen); "
                  "callbacks.with_ultralytics(); print(a, b - a, len(seen) - b)")
        done = subprocess.run([sys.executable, "-c", script % (STAND_INS, str(source / "examples"))],
                              stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout.split(), [b"8", b"8", b"8"])
