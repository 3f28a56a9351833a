"""flyball.tune(): the best configuration within budgets, with few profiled ones."""
from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Union, overload

from . import _command
from ._answers import Comparison, Configuration, DryRun, SearchAnswer
from ._command import Word
from ._document import Row, answered, frame, row
from ._options import Option

Workload = Union[None, str, Sequence[Word]]
Limits = Union[None, str, Sequence[str], Mapping[str, Union[float, str]]]
Axes = Union[None, str, Sequence[str], Mapping[str, Union[str, float, Sequence[float]]]]


class Tune(SearchAnswer):
    """The answer of tune(), and of a study: the document of `flyball tune --json`."""

    @property
    def choice(self) -> Optional[Configuration]:
        """The answer; None where no configuration keeps the limits (`infeasible` says why)."""
        return self._one(Configuration, "choice")

    @property
    def best(self) -> Optional[Configuration]:
        """The same as `choice`, under the name that a study has for it."""
        return self.choice

    @property
    def default(self) -> Optional[Configuration]:
        """What one gets without tuning."""
        return self._one(Configuration, "default")

    @property
    def comparison(self) -> Optional[Comparison]:
        return self._one(Comparison, "comparison")

    @property
    def front(self) -> List[Configuration]:
        """The Pareto front over time and power, measured and predicted."""
        return self._each(Configuration, "front")

    @property
    def measured(self) -> List[Configuration]:
        """Each profiled configuration once, with what all its readings come to."""
        return self._each(Configuration, "measured")

    @property
    def presets(self) -> List[Dict[str, Any]]:
        """Preset power modes of the board beside the answer."""
        return list(self.get("presets") or [])

    def rows(self, which: str = "profiled") -> List[Row]:
        """Those of "profiled" (every trial), "measured" (every configuration once), "front" or
        "presets"."""
        return [row(record) for record in self.get(which) or []]

    def to_frame(self, which: str = "profiled") -> Any:
        """The same rows as a pandas.DataFrame."""
        return frame(self.rows(which))

    def summary(self) -> str:
        request = self.get("request") or {}
        asked = "%s on %s" % (request.get("workload", "?"), request.get("device", "?"))
        if self.choice is None:
            return "%s: no answer: %s" % (
                asked, self.infeasible.reason if self.infeasible else "nothing was measured")
        return "%s: %s" % (asked, self.choice)


@overload
def tune(workload: Workload = None, *, dry_run: Literal[True], **options: Any) -> DryRun: ...


@overload
def tune(workload: Workload = None, *, device: Optional[str] = None,
         objective: Optional[str] = None, power_budget: Optional[str] = None,
         time_budget: Optional[str] = None, energy_budget: Optional[str] = None,
         at_most: Limits = None, at_least: Limits = None, axis: Axes = None,
         profiles: Optional[int] = None, quiet: bool = False, dry_run: Literal[False] = False,
         **options: Option) -> Tune: ...


def tune(workload: Workload = None, *, device: Optional[str] = None,
         objective: Optional[str] = None, power_budget: Optional[str] = None,
         time_budget: Optional[str] = None, energy_budget: Optional[str] = None,
         at_most: Limits = None, at_least: Limits = None, axis: Axes = None,
         profiles: Optional[int] = None, quiet: bool = False, dry_run: bool = False,
         **options: Option) -> Union[Tune, DryRun]:
    """The best configuration of a workload within budgets, with few profiled ones.

    workload       a network ("resnet18"), or a program as a list of words: ["python3", "train.py"];
                   None over a table that holds one workload
    device         "twin:orin_nano", "table:FILE", "cuda"; else what this machine is
    objective      "time", "energy" or "power"
    ..._budget     with their unit: "30W", "90s" and "2kJ" (of an epoch where its samples are known)
    at_most, at_least  {"slowdown": "5%"}, {"memory": "2GB"}, {"accuracy": 0.7} as the program reports
    axis           opens or narrows an axis: {"batch_size": [8, 16, 32], "gpu_mhz": "600..1300"}
    profiles       configurations to measure, at most
    quiet          no progress on stderr
    dry_run        says what would be measured and set, and does nothing

    Every other option of `flyball tune --help` is a keyword, too, with _ for -: strategy="exact",
    fresh=True, report="page.html". Raises Error for what cannot be; an answer that is no is returned
    (`choice` is None). Ctrl-C ends the search in order: the board is put back, trials are kept."""
    operands, program = _command.split(workload)
    named: Dict[str, Option] = {
        "device": device, "objective": objective, "power_budget": power_budget,
        "time_budget": time_budget, "energy_budget": energy_budget, "at_most": at_most,
        "at_least": at_least, "axis": axis, "profiles": profiles, "dry_run": dry_run}
    answer = _command.run(("tune",), operands, options={**named, **options}, program=program,
                          quiet=quiet)
    if dry_run:
        return answered(DryRun, answer)
    return answered(Tune, answer, options.get("store"))
