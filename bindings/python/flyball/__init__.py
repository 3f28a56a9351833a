"""Flyball in Python: its commands as functions, marks of minibatches, energy of a piece of code, and
studies for programs that own their loop.

    answer = flyball.tune(["python3", "train.py"], power_budget="15W")
    print(answer.choice)

    with flyball.mode.hold("15W"):
        for samples, labels in flyball.mark(loader):
            train(samples, labels)

    study = flyball.create_study({"batch_size": [16, 32, 64]}, power_budget="30W")
    for trial in study:
        study.tell(trial, minibatch_ms=…, power_w=…)
    print(study.best)

Without Flyball around the program, marks do nothing. Any Python from 3.8 on imports this package;
nothing of it is compiled, and nothing else is needed. docs/python.md is its reference.
"""
from . import mode
from ._answers import Comparison, Configuration, DryRun, ProfiledTrial
from ._doctor import Capability, Doctor, doctor
from ._document import Infeasible
from ._error import Error
from ._marks import (batches, compute, mark, marked, minibatch, report, set_synchronize, setting,
                     stall)
from ._plan import Choice, Plan, plan
from ._predict import Pareto, Prediction, pareto, predict
from ._profile import Epoch, Marked, Profile, profile
from ._runs import Run, Runs, runs
from ._study import Best, Study, Trial, create_study
from ._tune import Tune, tune
from ._turn import turn
from ._window import window

__version__ = "0.1.0"
__all__ = [
    "tune", "plan", "profile", "predict", "pareto", "doctor", "mode", "runs",
    "mark", "minibatch", "stall", "compute", "turn", "window", "setting", "set_synchronize", "marked",
    "batches", "report", "create_study", "Study", "Trial", "Best", "Error",
    "Tune", "Configuration", "ProfiledTrial", "Comparison", "Infeasible", "DryRun", "Plan", "Choice",
    "Profile", "Epoch", "Marked", "Prediction", "Pareto", "Doctor", "Capability", "Run", "Runs"]
