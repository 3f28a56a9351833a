"""Marks of minibatches for `flyball profile` and `flyball tune`, and energy of a piece of code.

    for samples, labels in loader:
        with flyball.compute():
            train(samples, labels)
        flyball.minibatch()

Without Flyball around the program, marks do nothing.
"""
from . import _flyball

__all__ = ["minibatch", "stall", "compute", "window", "setting", "set_synchronize", "marked",
           "batches"]


def minibatch():
    """A minibatch has ended. Wait for the device before, e.g. by loss.item()."""
    _flyball.minibatch()


def marked():
    """True when Flyball reads the marks."""
    return _flyball.marked()


def set_synchronize(function):
    """Called at the ends of compute() and window(), e.g. torch.cuda.synchronize; None for none."""
    _flyball.set_synchronize(function)


class stall:
    """`with flyball.stall():` the program waits for data."""

    def __enter__(self):
        _flyball.stall_begin()

    def __exit__(self, *_):
        _flyball.stall_end()


class compute:
    """`with flyball.compute():` the program computes."""

    def __enter__(self):
        _flyball.compute_begin()

    def __exit__(self, *_):
        _flyball.compute_end()


def batches(loader):
    """Yields what the loader yields; waiting for it is the stall, the body of the loop is a
    minibatch whose compute time lasts until the body ends."""
    source = iter(loader)
    while True:
        _flyball.stall_begin()
        try:
            batch = next(source)
        except StopIteration:
            return
        finally:
            _flyball.stall_end()
        _flyball.compute_begin()
        yield batch
        _flyball.compute_end()
        _flyball.minibatch()


class window:
    """`with flyball.window("epoch") as epoch:` measures energy; afterwards `epoch.energy` maps each
    total ("package", "gpu", "module") to energy_j, mean_w and gap_s (seconds not measured),
    `epoch.seconds` is its length, and `epoch.gap` says why there is no energy. Windows nest; one
    that an exception leaves is cancelled."""

    def __init__(self, name):
        self.name = name
        self.seconds = None
        self.energy = {}
        self.gap = ""

    def __enter__(self):
        self._window = _flyball.Window(self.name)
        self.name = self._window.name()
        return self

    def cancel(self):
        """Forgets the window."""
        self._window.cancel()
        self._window = None

    def __exit__(self, kind, *_):
        if self._window is None:
            return
        if kind is not None:
            self.cancel()
            return
        self.seconds, self.energy, self.gap = self._window.end()


def setting(name, default):
    """What `flyball tune --axis NAME=…` wants in this trial, in the type of `default`:
    flyball.setting("batch_size", 16). Reading an axis this way tells Flyball that the program heeds
    it; one that it never reads cannot be tuned."""
    return type(default)(_flyball.setting(name, float(default)))
