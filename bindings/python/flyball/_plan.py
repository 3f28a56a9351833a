"""flyball.plan(): advice for one problem: training, serving, both at once, changing rates."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Literal, Optional, Sequence, Union, overload

from . import _command
from ._answers import DryRun, SearchAnswer
from ._document import Row, answered, in_words, row, short
from ._error import Error
from ._options import Option

Problem = Literal["training", "inference", "concurrent", "two-inference", "dynamic"]
Problems = ("training", "inference", "concurrent", "two-inference", "dynamic")
Roles = Union[None, str, Sequence[str]]


@dataclass(frozen=True)
class Choice:
    """What a plan sets, for each role."""

    text: str  # in words
    value: float  # of the objective
    value_unit: str
    minibatch_ms: Optional[float]  # of the first role
    power_w: Optional[float]
    provenance: str
    roles: List[Dict[str, Any]] = field(repr=False)  # workload, phase, config, minibatch_ms

    @property
    def config(self) -> Dict[str, float]:
        """Of the first role."""
        config: Dict[str, float] = self.roles[0]["config"]
        return config


class Plan(SearchAnswer):
    """The answer of plan(): the document of `flyball plan --json`."""

    @property
    def choice(self) -> Optional[Choice]:
        """The answer; None where there is none (`infeasible` says why), and of a dynamic plan."""
        return self._one(Choice, "choice")

    @property
    def default(self) -> Optional[Choice]:
        """What one gets without tuning; None where it was not measured."""
        return self._one(Choice, "default")

    @property
    def front(self) -> List[Choice]:
        return self._each(Choice, "front")

    @property
    def limits(self) -> List[Dict[str, Any]]:
        """Of each limit how much is used, and whether it binds."""
        return list(self.get("limits") or [])

    @property
    def windows(self) -> List[Dict[str, Any]]:
        """Of a dynamic plan: a choice for each window of the arrival rate."""
        return list(self.get("windows") or [])

    def rows(self) -> List[Row]:
        """The windows of a dynamic plan, else every trial."""
        return [row(window) for window in self.windows] or super().rows()

    def summary(self) -> str:
        problem = self.get("problem", "plan")
        if self.windows:
            return "%s: %d windows, %s %s" % (problem, len(self.windows), short(self["value"]),
                                              self["value_unit"])
        if self.choice is None:
            return "%s: no answer: %s" % (
                problem, self.infeasible.reason if self.infeasible else "nothing was measured")
        choice = self.choice
        return "%s: %s: %s %s (%s)" % (problem, choice.text or in_words(choice.config),
                                       short(choice.value), choice.value_unit, choice.provenance)


@overload
def plan(problem: Problem, *, dry_run: Literal[True], **options: Any) -> DryRun: ...


@overload
def plan(problem: Problem, *, train: Roles = None, infer: Roles = None,
         rate: Union[None, float, Sequence[float]] = None,
         latency: Union[None, str, Sequence[str]] = None, device: Optional[str] = None,
         power_budget: Optional[str] = None, quiet: bool = False, dry_run: Literal[False] = False,
         **options: Option) -> Plan: ...


def plan(problem: Problem, *, train: Roles = None, infer: Roles = None,
         rate: Union[None, float, Sequence[float]] = None,
         latency: Union[None, str, Sequence[str]] = None, device: Optional[str] = None,
         power_budget: Optional[str] = None, quiet: bool = False, dry_run: bool = False,
         **options: Option) -> Union[Plan, DryRun]:
    """Advice for one problem.

    problem        "training", "inference", "concurrent", "two-inference" or "dynamic"
    train, infer   a table "FILE.csv" or a network; two services as a list
    rate, latency  requests per second, and at most "800ms" to the answer
    power_budget   "30W"

    Every other option of `flyball plan PROBLEM --help` is a keyword, too: arrivals="poisson:60",
    windows="30:10min,60:5min", apply=True. Otherwise as tune()."""
    if problem not in Problems:
        raise Error("plan() knows no problem %r" % (problem,), "one of: " + ", ".join(Problems))
    named: Dict[str, Option] = {"train": train, "infer": infer, "rate": rate, "latency": latency,
                                "device": device, "power_budget": power_budget,
                                "dry_run": dry_run or None}
    # Not every problem has all of these.
    given = {name: value for name, value in named.items() if value is not None}
    answer = _command.run(("plan", problem), options={**given, **options}, quiet=quiet,
                          called="plan")
    if dry_run:
        return answered(DryRun, answer)
    return answered(Plan, answer, options.get("store"))
