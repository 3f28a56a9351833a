"""The examples of docs/python.md and README.md run as they are written, and so do those of examples/."""
import os
import pathlib
import re
import subprocess
import sys

import flyball
from support import InFolder, needs, orin_tree, source

STAND_INS = str(pathlib.Path(__file__).parent / "stand_ins")
TRAIN = """
import time, flyball
size = flyball.setting("batch_size", 16)
flyball.report("accuracy", 0.8)
for batch in flyball.mark(range(400)):
    time.sleep(0.0005 * size ** 0.5)
"""


def blocks(file):
    return re.findall(r"```python\n(.*?)```", (source / file).read_text(), re.S)


def the_block(file, start):
    found = [block for block in blocks(file) if block.startswith(start)]
    assert len(found) == 1, (start, len(found))
    return found[0]


class Docs(InFolder):
    def test_each_block_is_run_by_one_of_these(self):
        starts = ["import flyball\n\nanswer", "answer = flyball.tune(", "with flyball.mode.hold(",
                  "loader = flyball.mark(", "from flyball.integrations", "import flyball\n\nstudy",
                  "def train(trial)"]  # the last two: study_test.cc
        for block in blocks("docs/python.md"):
            self.assertTrue(any(block.startswith(start) for start in starts), block)

    def test_the_first_answer(self):
        names = {}
        exec(the_block("docs/python.md", "import flyball\n\nanswer"), names)
        self.assertTrue((self.folder / "answer.html").exists())
        text = the_block("docs/python.md", "import flyball\n\nanswer")
        shown = re.search(r"print\(answer.choice\) +# (.*)", text).group(1)
        self.assertEqual(re.sub(r"[\d.]+", "#", str(names["answer"].choice)), re.sub(r"[\d.]+", "#", shown))

    def test_a_program_of_ones_own(self):
        (self.folder / "train.py").write_text(TRAIN)
        text = the_block("docs/python.md", "answer = flyball.tune(")
        # This machine may have no power sensor, and another test may measure on it.
        text = text.replace('power_budget="15W"', 'device="host", force=True, trial_time="0.5s", profiles=2, quiet=True')
        names = {"flyball": flyball}
        exec(text, names)
        self.assertEqual(names["answer"].choice.figures["accuracy"], 0.8)

    def test_a_mode_is_held(self):
        root = orin_tree(self.folder)
        os.environ["FLYBALL_STATE"] = str(self.folder / "state")
        self.addCleanup(os.environ.pop, "FLYBALL_STATE")
        modes = []
        text = the_block("docs/python.md", "with flyball.mode.hold(").replace(
            'hold("15W")', f'hold("15W", root={str(root)!r})')
        exec(text, {"flyball": flyball, "train": lambda: modes.append(flyball.mode.show(root=root).mode)})
        self.assertEqual(modes[0]["gpu_mhz"], 408)

    def test_a_loop_is_marked(self):
        seen = []
        exec(the_block("docs/python.md", "loader = flyball.mark("),
             {"flyball": flyball, "loader": [(1, 2), (3, 4)], "train": lambda *pair: seen.append(pair)})
        self.assertEqual(seen, [(1, 2), (3, 4)])

    def test_callbacks(self):
        sys.path.insert(0, STAND_INS)
        self.addCleanup(sys.path.remove, STAND_INS)
        for text in the_block("docs/python.md", "from flyball.integrations").split("\n\n"):
            names = {"model": None}
            exec("from lightning.pytorch import Trainer\n" if "lightning" in text else
                 "from transformers import Trainer\n" if "huggingface" in text else
                 "from ultralytics import YOLO\n", names)
            exec(text, names)

    def test_readme(self):
        def measure(batch_size, workers):
            return 5 + batch_size / (1 + workers), 10 + batch_size / 4 + workers
        names = {"measure": measure}
        exec(the_block("README.md", "import flyball"), names)
        self.assertLessEqual(names["study"].best.power_w, 30)


class Examples(InFolder):
    def run_example(self, name):
        done = subprocess.run([sys.executable, str(source / "examples" / name)], stdout=subprocess.PIPE,
                              check=True)
        return done.stdout.decode()

    def test_a_study(self):
        self.assertIn("best: {'batch_size':", self.run_example("study.py"))

    @needs("optuna")
    def test_optuna(self):
        said = self.run_example("optuna_energy.py")
        self.assertRegex(said, r"\{'batch_size': \d+, 'rate': .*\}: error ")
        self.assertRegex(said, r"gpu_mhz .* W \(simulated\)")
