"""Marks of minibatches for `flyball profile` and `flyball tune`, and energy of a piece of code.

    for samples, labels in loader:
        with flyball.compute():
            train(samples, labels)
        flyball.minibatch()

Without Flyball around the program, marks do nothing. Any Python from 3.8 on imports this package;
nothing of it is compiled.
"""
from ._marks import batches, compute, marked, minibatch, set_synchronize, setting, stall
from ._window import window

__version__ = "0.1.0"
__all__ = ["minibatch", "stall", "compute", "window", "setting", "set_synchronize", "marked",
           "batches"]
