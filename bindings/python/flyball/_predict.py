"""flyball.predict() and flyball.pareto(): every mode of a board, and the front of a table."""
from __future__ import annotations

import csv
import os
from typing import Any, Dict, List, Optional, Union

from . import _command
from ._document import Document, Row, answered, row, short
from ._options import Option

Path = Union[str, "os.PathLike[str]"]


class Prediction(Document):
    """The answer of predict(): the document of `flyball predict --json`, with the whole table."""

    _table: str = ""

    @property
    def notes(self) -> List[str]:
        return list(self.get("notes") or [])

    def rows(self) -> List[Row]:
        """One for each configuration: its axes, figures with 90 % intervals, and provenance."""
        return [{name: _number(text) for name, text in line.items()}
                for line in csv.DictReader(self._table.splitlines())]

    def write(self, path: Path) -> None:
        """The table as CSV."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self._table)

    def summary(self) -> str:
        if self.infeasible:
            return self.infeasible.reason
        times = self.get("minibatch_ms") or {}
        return "%s on %s: %d configurations predicted by %s from %d%s" % (
            self["workload"], self["device"], self["predicted"], self["predictor"],
            self["profiled"],
            ", 90 %% intervals of the time ± %s %%" % short(times["interval90_pct"])
            if times.get("interval90_pct") is not None else "")


def _number(text: str) -> Union[None, int, float, str]:
    try:
        number = float(text)
    except ValueError:
        return text or None
    return int(text) if text.lstrip("-").isdigit() else number


def predict(workload: Optional[str] = None, *, device: str, quiet: bool = False,
            **options: Option) -> Prediction:
    """Time and power of every mode of a board from a few measured ones, with 90 % intervals.

    workload       as its measurements name it
    device         "twin:orin_agx", "table:FILE", or what else `flyball predict --help` says
    from_          measured tables; else those of the store (`from` is a word of Python's own)
    quiet          no progress and notes on stderr

    Every other option is a keyword, too: predictor="gp", accept="simulated"."""
    given: Dict[str, Option] = {"device": device}
    answer = _command.run(("predict",), [workload] if workload else [],
                          options={**given, **options}, quiet=quiet, writes=("out",))
    prediction = answered(Prediction, answer, options.get("store"))
    prediction._table = answer.files.get("out", "")  # none where the answer is no
    prediction["out"] = options.get("out")
    return prediction


class Pareto(Document):
    """The answer of pareto(): the document of `flyball pareto --json`."""

    @property
    def power_front(self) -> List[Dict[str, Any]]:
        """What nothing beats in time and power; of the first workload where there are several."""
        return list(self["workloads"][0]["power_front"] or [])

    @property
    def energy_front(self) -> List[Dict[str, Any]]:
        return list(self["workloads"][0]["energy_front"] or [])

    def rows(self) -> List[Row]:
        return [{"workload": one["workload"], "phase": one["phase"], "front": front, **row(point)}
                for one in self["workloads"] for front in ("power", "energy")
                for point in one[front + "_front"] or []]

    def summary(self) -> str:
        return "%s: %s" % (self["file"], ", ".join(
            "%s %s: %d of %d configurations on the front of time and power" % (
                one["workload"], one["phase"], len(one["power_front"] or []),
                one["configurations"]) for one in self["workloads"]))


def pareto(table: Path, *, workload: Optional[str] = None, phase: Optional[str] = None,
           quiet: bool = False, **options: Option) -> Pareto:
    """What nothing in a table, measured or predicted, beats in time and power, or energy."""
    given: Dict[str, Option] = {"workload": workload, "phase": phase}
    return answered(Pareto, _command.run(("pareto",), [os.fspath(table)],
                                         options={**given, **options}, quiet=quiet))
