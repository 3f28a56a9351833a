"""Marks of minibatches: into libflyball where it can be loaded, else into the ring in plain Python;
and to whoever listens in this process (study.optimize)."""
from __future__ import annotations

import os
import struct
import sys
import time
from typing import Any, Callable, Dict, Generic, Iterable, Iterator, Optional, TypeVar

from . import _library, _numbers, _ring

Batch = TypeVar("Batch")
Number = TypeVar("Number", bound=Any)
Listener = Callable[[int, int, int], None]

_c = _library if _library.found else None
ring = None if _c else _ring.open_ring()
figures: Dict[str, float] = {}  # as they were reported
# Variables that Flyball itself reads (src/base/own_variables.h): the user's own, and no settings.
OWN_VARIABLES = frozenset("FLYBALL_" + name for name in (
    "BOARD", "BROKER", "DATA", "HELPER", "LIBRARY", "PROGRAM", "MACHINE", "MARKS", "MEASURED",
    "PYTHON", "RECORD", "REFERENCES", "SESSIONS", "STATE", "STORE", "TOKEN", "TREE_PROGRAMS",
    "TURN_LATENCY", "TURN_NAME", "TURN_SHARE"))
_listener: Optional[Listener] = None
_synchronize: Optional[Callable[[], Any]] = None
step_turn: Optional[Callable[[], Any]] = None  # what a step takes of a shared accelerator (_turn.py)


class _Stretch:
    """Time of the present minibatch between begins and ends; -1 when there were none. Of a stretch within
    one of the other kind the time is its own: no moment counts twice."""

    other: _Stretch

    def __init__(self) -> None:
        self.begin_ns, self.total_ns = 0, -1
        self.interrupts = False  # the other goes on at the end of this one

    def begin(self) -> None:
        self.interrupts = self.interrupts or self.other.begin_ns != 0
        self.other.stop()
        self.begin_ns = time.monotonic_ns()

    def end(self) -> None:
        self.stop()
        self.other.interrupts = False
        if self.interrupts:
            self.interrupts = False
            self.other.begin_ns = time.monotonic_ns()

    def stop(self) -> None:
        if self.begin_ns:
            self.total_ns = max(self.total_ns, 0) + time.monotonic_ns() - self.begin_ns
            self.begin_ns = 0

    def take(self) -> int:
        taken, self.total_ns = self.total_ns, -1
        return taken


_stall, _compute = _Stretch(), _Stretch()
_stall.other, _compute.other = _compute, _stall


def listen(listener: Optional[Listener]) -> Optional[Listener]:
    """Tells `listener` of each minibatch: its end (monotonic), stall and compute time in ns, those
    -1 where they are not marked. Returns the former one."""
    global _listener
    former, _listener = _listener, listener
    return former


def marked() -> bool:
    """True when Flyball reads the marks."""
    return bool(_c.marked()) if _c else ring is not None


def minibatch() -> None:
    """A minibatch has ended. Wait for the device before, e.g. by loss.item()."""
    if _c:
        _c.minibatch()
    if ring or _listener:
        stall_ns, compute_ns = _stall.take(), _compute.take()
        if ring:
            ring.write(_ring.MINIBATCH, stall_ns, compute_ns)
        if _listener:
            _listener(time.monotonic_ns(), stall_ns, compute_ns)


def set_synchronize(function: Optional[Callable[[], Any]]) -> None:
    """Called at the ends of compute() and window(), so that work which is only queued on a GPU is waited
    for. PyTorch's CUDA is without this; None: that alone."""
    global _synchronize
    _synchronize = function


def synchronize() -> bool:
    """Waits for what is queued on a device. False: no device is known of."""
    if _synchronize is not None:
        _synchronize()
        return True
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return False
    cuda.synchronize()
    return True


class stall:
    """`with flyball.stall():` the program waits for data."""

    def __enter__(self) -> None:
        if _c:
            _c.stall_begin()
        if ring or _listener:
            _stall.begin()

    def __exit__(self, *_: object) -> None:
        if _c:
            _c.stall_end()
        _stall.end()


class compute:
    """`with flyball.compute():` the program computes: in its turn, where a broker grants them
    (flyball.turn); the wait for it belongs to neither compute nor stall."""

    _turn: Any = None

    def __enter__(self) -> None:
        if step_turn:
            self._turn = step_turn()
            self._turn.__enter__()
        if _c:
            _c.compute_begin()
        if ring or _listener:
            _compute.begin()

    def __exit__(self, *_: object) -> None:
        if self._turn:
            self._turn.__exit__(None, None, None)
        if ring or _listener or marked():
            synchronize()
        if _c:
            _c.compute_end()
        _compute.end()


class mark(Generic[Batch]):
    """`for batch in flyball.mark(loader):` waiting for the loader is the stall, the body of the loop is
    a minibatch, whose compute time lasts until the body ends. It may be gone through once for each
    epoch, as the loader may, and has the loader's length and attributes."""

    def __init__(self, loader: Iterable[Batch]) -> None:
        self._loader = loader

    def __iter__(self) -> Iterator[Batch]:
        source = iter(self._loader)
        while True:
            with stall():
                try:
                    batch = next(source)
                except StopIteration:
                    return
            with compute():
                yield batch
            minibatch()

    def __len__(self) -> int:
        return len(self._loader)  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        return bool(self._loader)

    def __getattr__(self, name: str) -> Any:
        if name == "_loader":  # of one that is being copied or unpickled
            raise AttributeError(name)
        return getattr(self._loader, name)


batches = mark  # its older name


def setting(name: str, default: Number) -> Number:
    """What `flyball tune --axis NAME=…` wants in this trial, in the type of `default`:
    flyball.setting("batch_size", 16). Reading an axis this way tells Flyball that the program heeds
    it; one that it never reads cannot be tuned."""
    if _c:
        _c.read_setting(name)
    elif ring:
        ring.write(_ring.SETTING, name=name)
    variable = "FLYBALL_" + name.upper()
    value = None if variable in OWN_VARIABLES else os.environ.get(variable)
    if not value:
        return default
    wanted: Number = type(default)(float(value))
    return wanted


def report(name: str, value: float) -> None:
    """A figure of this trial, such as its accuracy; the last of each name counts. It is kept with the
    trial, and `flyball tune --at-least accuracy=0.7 -- …` holds the answer to it; one that is not
    finite fails a trial that it was wanted of."""
    value = _numbers.real('report("%s"): value' % name, value, 'such as report("accuracy", 0.72)')
    if value - value != 0:  # not finite: nothing to hold a limit to
        figures.pop(name, None)
    else:
        figures[name] = value
    if _c:
        _c.report(name, value)
    elif ring:
        ring.write(_ring.FIGURE, struct.unpack("q", struct.pack("d", value))[0], name=name)
