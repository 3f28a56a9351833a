"""What a type checker says of a caller: the right one passes, each wrong line is named."""
import pathlib
import re
import subprocess
import sys

import flyball
from support import InFolder, needs, source

RIGHT = """
import flyball
from typing import List, Optional

answer = flyball.tune(["python3", "train.py"], power_budget="30W", axis={"batch_size": [8, 16]},
                      at_least={"accuracy": 0.7}, strategy="exact", fresh=True)
watts: Optional[float] = answer.choice.power_w if answer.choice else None
names: List[str] = [trial.reason for trial in answer.profiled]
trials: int = flyball.tune("resnet18", device="twin:orin_nano", dry_run=True).trials_at_most
words: str = flyball.plan("training", train="a.csv").limits[0]["constraint"]
seconds: float = flyball.profile("lenet5", epochs=2).epochs[0].e2e_s
board: str = flyball.doctor(root="/").board["id"]
run: flyball.Run = flyball.runs()[0]
with flyball.mode.hold({"gpu_mhz": 612}) as held:
    mhz: float = held.mode["gpu_mhz"]
for text in flyball.mark(["a", "b"]):
    text.upper()
best: Optional[flyball.Best] = flyball.create_study({"size": [1, 2]}).optimize(print, force=True)
"""
WRONG = """
import flyball

flyball.tune("resnet18", power_budget=30)
flyball.tune("resnet18").choice.power_w
flyball.plan("trainig")
flyball.predict("resnet18")
for text in flyball.mark([1, 2]):
    text.upper()
flyball.mode.hold(15)
"""


@needs("mypy")
class Types(InFolder):
    def check(self, text):
        """The lines that mypy names."""
        (self.folder / "caller.py").write_text(text)
        words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", "caller.py"]
        package = pathlib.Path(flyball.__file__).parents[1]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              env={"MYPYPATH": str(package), "PATH": "/usr/bin:/bin"})
        said = done.stdout.decode()
        return sorted({int(line) for line in re.findall(r"^caller.py:(\d+): error", said, re.M)}), said

    def test_right(self):
        lines, said = self.check(RIGHT)
        self.assertEqual(lines, [], said)
        self.assertIn("Success", said)

    def test_wrong(self):
        lines, said = self.check(WRONG)
        self.assertEqual(lines, [4, 5, 6, 7, 9, 10], said)

    def test_examples(self):
        text = (source / "examples/study.py").read_text()
        self.assertEqual(self.check(text)[0], [])
