"""flyball.profile(): where the time and energy of a training run go."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Union

from . import _command
from ._command import Word
from ._document import Document, Row, answered, row, short
from ._options import Option


@dataclass(frozen=True)
class Epoch:
    """An epoch, or the means over several: e2e_s = stall_s + compute_s + overhead_s."""

    epoch: Optional[int]  # None: means
    e2e_s: float
    stall_s: float
    compute_s: float
    overhead_s: float
    minibatch_ms: Optional[float]
    loss: Optional[float]
    energy: Optional[Dict[str, Any]] = field(repr=False)  # None: power is not available


@dataclass(frozen=True)
class Marked:
    """The minibatches that a program marked, of all of it or of one of its windows."""

    name: str  # "": all but the first one
    minibatches: int
    e2e_s: float
    stall_s: Optional[float]
    compute_s: Optional[float]
    overhead_s: Optional[float]  # None where it does not mark them
    minibatch_ms: Optional[float]
    energy: Optional[Dict[str, Any]] = field(repr=False)


class Profile(Document):
    """The answer of profile(): the document of `flyball profile --json`, of a network (`epochs`,
    `later`) or of a program (`marked`, `windows`)."""

    @property
    def epochs(self) -> List[Epoch]:
        return self._each(Epoch, "epochs")

    @property
    def later(self) -> Optional[Epoch]:
        """Means over the epochs after the first of the run."""
        return self._one(Epoch, "later")

    @property
    def marked(self) -> Optional[Marked]:
        """All marked minibatches but the first; None without marks."""
        return self._one(Marked, "marked")

    @property
    def windows(self) -> List[Marked]:
        return self._each(Marked, "windows")

    def rows(self) -> List[Row]:
        """The epochs, or the marked minibatches and each window."""
        marked = [self["marked"]] if self.get("marked") else []
        records = self.get("epochs") or marked + list(self.get("windows") or [])
        return [{**row(one), **_energy(one)} for one in records]

    def summary(self) -> str:
        if "command" in self:
            marked = self.marked
            return "%s: exit code %s, %s s%s" % (
                " ".join(self["command"]), self["exit_code"], short(self["wall_s"]),
                ", %d minibatches of %s ms" % (marked.minibatches, short(marked.minibatch_ms))
                if marked else "")
        if self.infeasible:
            return self.infeasible.reason
        request, mean = self["request"], self.later or self.epochs[0]
        return "%s on %s: %s s an epoch, %s ms a minibatch (%s)" % (
            request["workload"], request["device"], short(mean.e2e_s), short(mean.minibatch_ms),
            self["provenance"])


def _energy(record: Dict[str, Any]) -> Row:
    energy = record.get("energy") or {}
    return {"energy_j": energy.get("energy_j"), "mean_w": energy.get("mean_w")}


def profile(workload: Union[None, str, Sequence[Word]] = None, *, device: Optional[str] = None,
            epochs: Optional[int] = None, batch_size: Optional[int] = None,
            quiet: bool = False, **options: Option) -> Profile:
    """Where the time and energy of a training run go, of a network ("lenet5") or of a program as a
    list of words (["python3", "train.py"]). Every other option of `flyball profile --help` is a
    keyword, too: workers=2, trace="trace.json". Raises Error also where the program fails; its
    `document` is then what was seen until then."""
    operands, program = _command.split(workload)
    given: Dict[str, Option] = {"device": device, "epochs": epochs, "batch_size": batch_size}
    answer = _command.run(("profile",), operands, options={**given, **options}, program=program,
                          quiet=quiet)
    return answered(Profile, answer)
