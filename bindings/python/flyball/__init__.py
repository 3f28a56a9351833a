"""Marks of minibatches for `flyball profile` and `flyball tune`, energy of a piece of code, and
studies for programs that own their loop.

    for samples, labels in loader:
        with flyball.compute():
            train(samples, labels)
        flyball.minibatch()

    study = flyball.create_study({"batch_size": [16, 32, 64]}, power_budget="30W")
    for trial in study:
        study.tell(trial, minibatch_ms=…, power_w=…)
    print(study.best)

Without Flyball around the program, marks do nothing. Any Python from 3.8 on imports this package;
nothing of it is compiled.
"""
from ._marks import batches, compute, marked, minibatch, report, set_synchronize, setting, stall
from ._program import Error
from ._study import Best, Study, Trial, create_study
from ._window import window

__version__ = "0.1.0"
__all__ = ["minibatch", "stall", "compute", "window", "setting", "set_synchronize", "marked",
           "batches", "report", "create_study", "Study", "Trial", "Best", "Error"]
