"""A loop that is not ours, as its callbacks tell of it."""
from __future__ import annotations

import threading
from typing import Any, Mapping, Optional, Sequence, Union

from .. import _marks
from .._study import Trial

Figures = Union[Sequence[str], Mapping[str, str]]


class _Computing(threading.local):
    """The loop of this thread whose step has begun and not ended."""

    loop: Optional["Loop"] = None


_computing = _Computing()


class Loop:
    """Marks of a loop by its callbacks. Between two steps it waits for data; what else it does there
    (it evaluates, it saves) is no stall, and ends with wait()."""

    def __init__(self, trial: Optional[Trial], figures: Figures) -> None:
        self._trial = trial
        self._names = dict(figures) if isinstance(figures, Mapping) else \
            {name: name for name in figures}
        self._stall, self._compute = _marks.stall(), _marks.compute()

    def wait(self) -> None:
        """From now on it waits for the next minibatch."""
        self._stall.__enter__()

    def begin(self) -> None:
        """The minibatch is there."""
        self._stall.__exit__()
        if _computing.loop is not None:  # its step failed, so that nobody told of its end
            _computing.loop._leave()
        self._compute.__enter__()
        _computing.loop = self

    def _leave(self) -> None:
        """The step is over, and with it its turn (flyball.turn)."""
        _computing.loop = None
        self._compute.__exit__()

    def end(self) -> bool:
        """The minibatch has ended. Has the trial seen enough?"""
        if _computing.loop is self:
            self._leave()
        _marks.minibatch()
        self.wait()
        return self._trial is not None and self._trial.enough

    def report(self, metrics: Mapping[str, Any]) -> None:
        """Those figures that were asked for, as far as they are known."""
        for name, metric in self._names.items():
            if metric in metrics:
                _marks.report(name, metrics[metric])
