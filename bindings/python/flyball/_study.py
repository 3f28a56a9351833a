"""Ask and tell for programs that own their loop, and optimize() over it."""
from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass, field
from typing import (Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Type,
                    Union)

from . import _library, _marks, _numbers
from ._error import Error
from ._options import takes
from ._program import Program
from ._tune import Tune
from ._window import window

Number = Union[int, float]
Config = Dict[str, Number]


@dataclass
class Trial:
    """One configuration to measure: trial["batch_size"]."""

    number: int
    config: Config
    reason: str  # why it is asked for
    repeat: bool  # it was measured before
    _enough: Callable[[], bool] = field(default=lambda: False, repr=False, compare=False)

    def __getitem__(self, name: str) -> Number:
        return self.config[name]

    @property
    def enough(self) -> bool:
        """In optimize(): enough minibatches were seen, the function may return."""
        return self._enough()


@dataclass(frozen=True)
class Best:
    """The best configuration that was told, within the budgets."""

    config: Config
    minibatch_ms: float
    power_w: Optional[float]
    minibatch_j: Optional[float]


def _plain(text: str) -> str:
    """One line, without the control characters of a terminal."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _times(minibatch_ms: Any) -> Dict[str, Any]:
    """One time, or those of several minibatches."""
    values = _numbers.several(minibatch_ms)
    if values is None:
        return {"minibatch_ms": _numbers.number("minibatch_ms", minibatch_ms,
                                                wanted="neither a number nor a list of numbers")}
    return {"minibatches_ms": _numbers.numbers("minibatch_ms", values)}


class _Minibatches:
    """Times of the marked minibatches of one trial, and their power. The first one and those of the
    warm-up are left out where there are others; power is counted from the first that counts, stretch
    by stretch, so that what the function does behind its minibatches (it validates, it saves) is none
    of theirs."""

    _stretches = 4  # of a trial

    def __init__(self, warm_up_s: float, trial_s: float) -> None:
        self._warm_up_s, self._trial_s = warm_up_s, trial_s
        self._first_ns = self._last_ns = self._counted_ns = self._stretch_ns = 0
        self.early: List[float] = []
        self.counted: List[float] = []
        self.stretches: List[window] = []  # that have ended
        self._stretch: Optional[window] = None

    def __call__(self, end_ns: int, stall_ns: int, compute_ns: int) -> None:
        if self.enough():
            return
        last, self._last_ns = self._last_ns, end_ns
        if not self._first_ns:
            self._first_ns = end_ns
        elif self._stretch is not None:
            self.counted.append((end_ns - last) / 1e6)
            if self.enough() or end_ns - self._stretch_ns >= self._trial_s * 1e9 / self._stretches:
                self.end_stretch()
                if not self.enough():
                    self._begin_stretch()
        else:
            self.early.append((end_ns - last) / 1e6)
            if end_ns - self._first_ns >= self._warm_up_s * 1e9:
                self._begin_stretch()
                self._counted_ns = self._last_ns

    def _begin_stretch(self) -> None:
        self._stretch = window("counted").__enter__()
        self._stretch_ns = self._last_ns = time.monotonic_ns()

    def end_stretch(self) -> None:
        if self._stretch is not None:
            self._stretch.__exit__(None, None, None)
            self.stretches.append(self._stretch)
        self._stretch = None

    def cancel(self) -> None:
        """Of a stretch that has begun; those before it count."""
        if self._stretch is not None:
            self._stretch.cancel()
        self._stretch = None

    def enough(self) -> bool:
        return bool(self.counted) and self._last_ns - self._counted_ns >= self._trial_s * 1e9

    def times(self) -> List[float]:
        return self.counted if len(self.counted) >= 2 or self.enough() else self.early


def _mean_w(windows: Sequence[window], total: str) -> Optional[float]:
    """Of all of them together; None where one of them has no such total."""
    energies = [one.energy.get(total) for one in windows]
    joules = seconds = 0.0
    for energy, one in zip(energies, windows):
        if energy is None or one.seconds is None:
            return None
        joules += energy["mean_w"] * one.seconds
        seconds += one.seconds
    return joules / seconds if seconds else None


class Study:
    """A search for the best configuration; create_study() makes one. Use it from one thread."""

    def __init__(self, create: Dict[str, Any], axes: Mapping[str, Sequence[Number]],
                 store: Optional[str], keep: bool) -> None:
        self._create, self._store, self._keep = create, store, keep
        self.trials: List[Trial] = []  # those that were told, in their order
        self.stopped = ""  # why the search has ended; "" while it goes on
        self.run: Optional[int] = None  # its number in the store, once it has ended
        self._asked: Optional[Trial] = None
        self._untold: Optional[int] = None  # the number of the trial that was asked and not told
        self._start()
        # Values come back in the type in which they were given.
        self._values = {name: {_numbers.number(name, value): value for value in values}
                        for name, values in axes.items()}

    def _start(self) -> None:
        self._program = Program(self._store, self._keep)
        self._created: Dict[str, Any] = self._program.say(self._create)["created"]

    def _change(self, wanted: Mapping[str, Union[None, int, float]]) -> None:
        """Another request, while nothing was asked."""
        now = {"profiles": self._created["profiles"], "wait": False, "force": False, **self._create}
        new = {key: value for key, value in wanted.items()
               if value is not None and value != now[key]}
        if not new:
            return
        if self._asked is not None:
            raise Error("%s cannot change once a trial was asked" % " and ".join(new),
                        "give create_study() " +
                        ", ".join("%s=%r" % change for change in new.items()))
        self.close()
        self._create.update(new)
        self._start()

    def _config(self, config: Mapping[str, float]) -> Config:
        return {name: self._values[name].get(value, value) for name, value in config.items()}

    def ask(self) -> Optional[Trial]:
        """The next trial; None when the search has ended. Asking twice gives the same trial."""
        answer = self._program.say({"do": "ask"})
        if "finished" in answer:
            self.stopped, self.run = answer["finished"]["reason"], answer["finished"]["run"]
            return None
        asked = answer["trial"]
        if self._asked is None or self._asked.number != asked["number"]:
            self._asked = Trial(asked["number"], self._config(asked["config"]), asked["reason"],
                                asked["repeat"])
        self._untold = asked["number"]
        return self._asked

    def __iter__(self) -> Iterator[Trial]:
        """Asks until the search has ended: `for trial in study:`. Each must be told before the next
        one; else Error is raised, as ask() would give the same trial for ever."""
        while True:
            trial = self.ask()
            if trial is None:
                return
            yield trial
            if self._untold == trial.number:
                raise Error("trial %d was not told" % trial.number,
                            'tell(trial, minibatch_ms=12.5), or failure="…", before the next one')

    def tell(self, trial: Trial, minibatch_ms: Union[None, float, Sequence[float]] = None,
             power_w: Optional[float] = None, failure: Union[None, str, BaseException] = None,
             figures: Optional[Mapping[str, float]] = None) -> None:
        """What came of a trial: the time of a minibatch (or of each of several: their median and
        its noise are taken), mean power and other figures ({"accuracy": 0.7}), or why it failed. On
        disk when this returns."""
        message: Dict[str, Any] = {"do": "tell", "trial": trial.number}
        if minibatch_ms is not None:
            message.update(_times(minibatch_ms))
        if power_w is not None:
            message["power_w"] = _numbers.number("power_w", power_w)
        if figures is not None:
            message["figures"] = _numbers.named("figures", figures)
        if failure is not None:
            message["failure"] = _plain(str(failure)) or "it failed"
        self._program.say(message)
        if self._untold == trial.number:
            self._untold = None
        self.trials.append(trial)

    @property
    def best(self) -> Optional[Best]:
        """The best so far within the budgets; None while there is none."""
        best = self._program.say({"do": "best"})["best"]
        if best is None:
            return None
        return Best(self._config(best["config"]), best["minibatch_ms"], best["power_w"],
                    best["minibatch_j"])

    @property
    def answer(self) -> Tune:
        """The whole answer, predictions included: what tune() returns, the document of `flyball tune
        --json` (docs/json.md). Raises Error while the search goes on."""
        answer = Tune(self._program.say({"do": "answer"})["answer"])
        answer._store = self._store
        return answer

    def optimize(self, function: Callable[[Trial], Any], profiles: Optional[int] = None,
                 trial_time: float = 2.0, warm_up: float = 0.5,
                 catch: Tuple[Type[BaseException], ...] = (MemoryError, RuntimeError),
                 wait: Optional[bool] = None, force: Optional[bool] = None,
                 anyway: Optional[bool] = None) -> Optional[Best]:
        """Runs `function` for each trial to the end of the search, measures its minibatches (as
        flyball.mark() and flyball.minibatch() mark them; without marks its whole run) and their
        power, and returns the best. It may run as long as it likes, or return when `trial.enough`:
        after `warm_up` and `trial_time` seconds. What it raises of `catch` is a failed trial.
        `wait` and `force` are as in create_study(); `anyway` is an older name of `force`, until 1.0."""
        trial_time = _numbers.real("trial_time", trial_time)
        warm_up = _numbers.real("warm_up", warm_up)
        self._change({"profiles": _numbers.whole("profiles", profiles), "wait": wait,
                      "force": anyway if force is None else force})
        gap = self._created["power_gap"]
        if gap is None and not _library.found:
            gap = "windows of energy need libflyball, which cannot be loaded: %s" % _library.missing
        if gap is not None and self._needs_power():
            raise Error("power is not available on this machine: %s" % gap,
                        "measure it yourself and tell() it, or ask for time without such budgets")
        for trial in self:
            self._measure(function, trial, _Minibatches(warm_up, trial_time), catch)
        return self.best

    def _needs_power(self) -> bool:
        return self._create.get("objective", "time") != "time" or \
            "power_budget" in self._create or "energy_budget" in self._create

    def _measure(self, function: Callable[[Trial], Any], trial: Trial, minibatches: _Minibatches,
                 catch: Tuple[Type[BaseException], ...]) -> None:
        trial._enough = minibatches.enough
        whole = window("trial").__enter__()
        former = _marks.listen(minibatches)
        _marks.figures.clear()
        began = time.monotonic()
        try:
            function(trial)
        except BaseException as error:
            whole.cancel()
            minibatches.cancel()
            if not isinstance(error, catch):
                raise
            return self.tell(trial, failure="%s: %s" % (type(error).__name__, error))
        finally:
            _marks.listen(former)
        seconds = time.monotonic() - began
        if minibatches.stretches:
            minibatches.cancel()  # nobody knows where in it the last minibatch ended
        else:
            minibatches.end_stretch()
        whole.__exit__(None, None, None)
        times = minibatches.times() or [seconds * 1e3]
        counted = minibatches.stretches if minibatches.times() is minibatches.counted else [whole]
        power_w = _mean_w(counted, self._created["power_total"] or "")
        if power_w is None and self._needs_power():
            raise Error("power of trial %d was not measured: %s" % (
                trial.number, next((one.gap for one in counted if one.gap), "no sensor of '%s' answered"
                                   % self._created["power_total"])),
                "measure it yourself and tell() it, or ask for time without such budgets")
        self.tell(trial, times, power_w=power_w, figures=dict(_marks.figures))

    def close(self) -> None:
        """Ends the program behind it; before the search has ended, the run is kept as interrupted."""
        self._program.close()

    def __enter__(self) -> "Study":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _script() -> Optional[str]:
    """None in a notebook or at a prompt, where no file says what a trial does."""
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    return os.path.abspath(file) if file and os.path.isfile(file) else None


_own_script = _script()  # before the working folder changes


def _own_command() -> List[str]:
    """The interpreter, this script and its arguments: what the trials' conditions are read from."""
    if _own_script is None:
        return []
    return [sys.executable or "python3", _own_script] + sys.argv[1:]


def _limits(name: str, given: Mapping[str, Union[float, str]]) -> Dict[str, Union[float, str]]:
    """A text is that of a slowdown, or what the program refuses."""
    return {figure: limit if isinstance(limit, str) else
            _numbers.number('%s["%s"]' % (name, figure), limit)
            for figure, limit in _numbers.by_name(name, given).items()}


@takes("create_study")
def create_study(axes: Mapping[str, Sequence[Number]], *, objective: str = "time",
                 power_budget: Optional[str] = None, time_budget: Optional[str] = None,
                 energy_budget: Optional[str] = None,
                 at_most: Optional[Mapping[str, Union[float, str]]] = None,
                 at_least: Optional[Mapping[str, float]] = None, default: Optional[Mapping[str, Number]] = None,
                 profiles: int = 10, samples: Optional[int] = None, name: Optional[str] = None,
                 fresh: bool = False, phase: str = "train", strategy: Optional[str] = None,
                 predictor: Optional[str] = None, seed: int = 1, store: Optional[str] = None,
                 keep: bool = True, wait: bool = False, force: bool = False,
                 anyway: bool = False) -> Study:
    """A study over these axes, each a name with its values: {"batch_size": [16, 8, 32]}.

    objective      "time" (of a minibatch; of a sample where batch_size is an axis), "energy", "power"
    ..._budget     with their unit: "30W", "90s" and "2kJ" (of an epoch of `samples`, else a minibatch)
    at_most, at_least  limits on figures that are told, or reported in optimize() by
                   flyball.report("accuracy", x): at_least={"accuracy": 0.7}; at_most={"slowdown": "5%"}
                   is so much more time than the default
    default        what the program does today, measured first; else the first value of each axis
    profiles       configurations to measure, about
    name           trials are kept under it: the same study, of an unchanged script with the same
                   arguments in the same environment on the same machine, asks only for what it does
                   not know; fresh=True asks for all. A study without a name asks for everything, and
                   so does one in a notebook or at a prompt, where no script says what it measures
    store, keep    where trials are kept, as `flyball runs list` shows them; keep=False: nowhere
    wait, force    one session measures on a machine at a time, a study from its first ask() to its end.
                   Where another one measures, ask() raises Error, which names it; wait=True waits for it
                   to end; force=True measures beside it, and marks the trials as disturbed
                   (`anyway` is an older name of it, until 1.0)

    Raises Error for what cannot be."""
    axes = {axis: _numbers.listed('axes["%s"]' % axis, values)
            for axis, values in _numbers.by_name("axes", axes, "lists of numbers").items()}
    wanted: Dict[str, Any] = {
        "axes": {axis: _numbers.numbers('axes["%s"]' % axis, values) for axis, values in axes.items()},
        "objective": objective,
        "power_budget": power_budget, "time_budget": time_budget, "energy_budget": energy_budget,
        "at_most": None if at_most is None else _limits("at_most", at_most) or None,
        "at_least": None if at_least is None else _limits("at_least", at_least) or None,
        "default": None if default is None else _numbers.named("default", default) or None,
        "profiles": _numbers.whole("profiles", profiles),
        "samples": _numbers.whole("samples", samples),
        "name": name, "fresh": fresh, "phase": phase, "strategy": strategy, "predictor": predictor,
        "seed": _numbers.whole("seed", seed), "program": _own_command(), "wait": wait or None,
        "force": force or anyway or None}
    create = {key: value for key, value in wanted.items() if value is not None}
    create["fresh"] = fresh or not create["program"]  # what did trials measure that no script made?
    create["do"] = "create"
    return Study(create, axes, store, keep)
