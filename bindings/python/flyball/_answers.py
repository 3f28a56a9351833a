"""What the answers of a search have in common: configurations, trials, why there is none."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from ._document import Document, Row, Stored, in_words, row, short

Numbers = Dict[str, float]


@dataclass(frozen=True)
class Configuration:
    """A configuration with what is known of it: configuration["batch_size"]."""

    config: Numbers
    minibatch_ms: Optional[float]
    minibatch_ms_90: Optional[List[float]] = field(repr=False)  # its 90 % interval
    power_w: Optional[float]
    power_w_90: Optional[List[float]] = field(repr=False)
    minibatch_j: Optional[float]
    sample_ms: Optional[float] = field(repr=False)
    sample_j: Optional[float] = field(repr=False)
    epoch_s: Optional[float] = field(repr=False)
    epoch_j: Optional[float] = field(repr=False)
    provenance: str  # measured, table, simulated or predicted
    figures: Optional[Numbers] = field(repr=False)

    def __getitem__(self, axis: str) -> float:
        return self.config[axis]

    def __str__(self) -> str:
        figures = ["%s %s" % (short(value), unit) for value, unit in
                   ((self.minibatch_ms, "ms"), (self.power_w, "W")) if value is not None]
        return "%s: %s (%s)" % (in_words(self.config), ", ".join(figures), self.provenance)


@dataclass(frozen=True)
class ProfiledTrial:
    """A trial of a search, in the order in which they were made."""

    workload: str
    config: Numbers
    minibatch_ms: Optional[float]  # None: it failed
    minibatch_ms_90: Optional[List[float]] = field(repr=False)
    power_w: Optional[float]
    power_w_90: Optional[List[float]] = field(repr=False)
    provenance: str
    reason: str  # why it was asked for
    failure: Optional[str]
    repeat: bool = field(repr=False)  # it was measured before
    verification: bool = field(repr=False)  # the answer or the default, measured once more
    from_store: bool = field(repr=False)  # an earlier run measured it
    figures: Optional[Numbers] = field(repr=False)


@dataclass(frozen=True)
class Comparison:
    """The choice against the default."""

    text: str
    per: str  # minibatch, sample or run
    established: bool  # a difference that the readings show
    doubt: Optional[str]  # why not
    time: Optional[Dict[str, Any]] = field(repr=False)
    power: Optional[Dict[str, Any]] = field(repr=False)
    energy: Optional[Dict[str, Any]] = field(repr=False)


class SearchAnswer(Stored):
    """What tune(), plan() and a study answer. The answer may be no: then `choice` is None, and
    `infeasible` says why."""

    @property
    def profiled(self) -> List[ProfiledTrial]:
        """Every trial in its order."""
        return self._each(ProfiledTrial, "profiled")

    @property
    def notes(self) -> List[str]:
        return list(self.get("notes") or [])

    def rows(self) -> List[Row]:
        return [row(trial) for trial in self.get("profiled") or []]


class DryRun(Document):
    """What a search would measure and set, and what it would take (dry_run=True)."""

    @property
    def trials_at_most(self) -> int:
        return int(self["trials_at_most"])

    @property
    def seconds(self) -> Optional[float]:
        """None where it is not known."""
        value: Optional[float] = self["seconds"]["value"]
        return value

    @property
    def joules(self) -> Optional[float]:
        value: Optional[float] = self["joules"]["value"]
        return value

    def rows(self) -> List[Row]:
        return [dict(axis, values=", ".join(map(short, axis["values"]))) for axis in self["axes"]]

    def summary(self) -> str:
        return "%s: at most %d trials, %s" % (
            self["device"]["name"], self.trials_at_most,
            "about %s s" % short(self.seconds) if self.seconds is not None else
            "of unknown length")
