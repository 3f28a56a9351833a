"""flyball.runs(): what was measured before."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Union

from . import _command
from ._answers import SearchAnswer
from ._document import Row, Stored, answered, frame, row, table_html
from ._error import Error
from ._options import takes
from ._plan import Plan
from ._tune import Tune

Store = Union[None, str, "os.PathLike[str]"]


class Run(Stored):
    """A run of the store: an entry of `flyball runs list --json`."""

    @property
    def id(self) -> int:
        return int(self["id"])

    @property
    def run(self) -> Optional[int]:
        return self.id

    @property
    def command(self) -> str:
        return str(self["command"])

    @property
    def workload(self) -> str:
        return str(self["workload"])

    @property
    def state(self) -> str:
        """running, done, interrupted or failed."""
        return str(self["state"])

    @property
    def started_utc(self) -> str:
        return str(self["started_utc"])

    def show(self) -> "ShownRun":
        """The run with its trials, sources and answer (`flyball runs show`)."""
        return answered(ShownRun, _command.run(("runs", "show"), [str(self.id)], writes=(),
                                               options={"store": self._store}), self._store)

    @property
    def answer(self) -> Optional[SearchAnswer]:
        """What it answered: a Tune or a Plan; None where it has no answer of a search."""
        document = self.show().get("answer")
        if not isinstance(document, dict) or "profiled" not in document:
            return None
        answer = Plan(document) if "problem" in document else Tune(document)
        answer._store = self._store
        return answer

    def rows(self) -> List[Row]:
        """Its trials."""
        return self.show().rows()

    def summary(self) -> str:
        choice = self.get("choice")
        return "%d: %s of %s on %s, %s, %d measurements%s" % (
            self.id, self.command, self.workload, self["device"], self.state,
            self["measurements"], ": %s" % choice if choice else "")


class ShownRun(Run):
    """A run as `flyball runs show --json` has it: with its trials, sources and answer."""

    def show(self) -> "ShownRun":
        return self

    def rows(self) -> List[Row]:
        """Its trials."""
        return [row(trial) for trial in self.get("trials") or []]


class Runs(List[Run]):
    """All runs of a store, latest first."""

    store: str = ""  # the file

    def find(self, number: int) -> Run:
        """The run of this number."""
        for run in self:
            if run.id == number:
                return run
        raise Error("there is no run %d in %s" % (number, self.store),
                    "runs: " + (", ".join(str(run.id) for run in self) or "none"))

    def to_dict(self) -> Dict[str, Any]:
        """The document of `flyball runs list --json`."""
        return {"store": self.store, "runs": [run.to_dict() for run in self]}

    def rows(self) -> List[Row]:
        return [row({key: value for key, value in run.items() if key != "conditions"})
                for run in self]

    def to_frame(self) -> Any:
        """One row for each run, as a pandas.DataFrame."""
        return frame(self.rows())

    def __repr__(self) -> str:
        return "<flyball.Runs %s: %d run%s%s>" % (
            self.store, len(self), "" if len(self) == 1 else "s",
            ", latest " + self[0].summary() if self else "")

    def _repr_html_(self) -> str:
        return table_html(self.rows())


@takes("runs")
def runs(store: Store = None) -> Runs:
    """What was measured before, latest first; `store` is a file, else the usual one."""
    document = _command.run(("runs", "list"), options={"store": store}).document
    found = Runs()
    found.store = document["store"]
    for entry in document["runs"]:
        run = Run(entry)
        run._store = document["store"]
        found.append(run)
    return found
