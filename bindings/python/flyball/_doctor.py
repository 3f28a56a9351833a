"""flyball.doctor(): which board this is, what can be measured and set here."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from . import _command
from ._document import Document, Row, answered, views
from ._options import Option


@dataclass(frozen=True)
class Capability:
    """Something that can be measured or set, or not."""

    name: str
    purpose: str
    state: str  # available, missing or no permission
    value: Optional[str]
    remedy: str


class Doctor(Document):
    """The answer of doctor(): the document of `flyball doctor --json`."""

    @property
    def board(self) -> Dict[str, Any]:
        """Its id, name, JetPack and release."""
        board: Dict[str, Any] = self["board"]
        return board

    @property
    def power_measurable(self) -> bool:
        return bool(self["power_measurable"])

    @property
    def capabilities(self) -> List[Capability]:
        return views(Capability, self["capabilities"])

    @property
    def problems(self) -> List[Dict[str, str]]:
        """What is missing, broken or refused, each with its remedy."""
        return list(self["problems"])

    @property
    def axes(self) -> List[Dict[str, Any]]:
        return list(self["axes"])

    def rows(self) -> List[Row]:
        return [dict(one) for one in self["capabilities"]]

    def summary(self) -> str:
        return "%s: power %s, %d problem%s" % (
            self.board["name"], "can be measured" if self.power_measurable else "cannot be measured",
            len(self.problems), "" if len(self.problems) == 1 else "s")


def doctor(**options: Option) -> Doctor:
    """Which board this is, what can be measured and set here, with the remedy where it cannot.
    device="twin:orin_nano" and root="FOLDER" look at another one."""
    return answered(Doctor, _command.run(("doctor",), options=options))
