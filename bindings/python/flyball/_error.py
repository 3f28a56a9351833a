"""The one exception of this package."""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Tuple


class Error(Exception):
    """What Flyball refuses, or why it cannot go on; `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message + (" (HINT: %s)" % hint if hint else ""))
        self.message, self.hint = message, hint
        self.document: Optional[Dict[str, Any]] = None  # what was seen before it failed, if anything


def cannot_start(program: str, error: OSError) -> Error:
    return Error("cannot start %s: %s" % (program, error.strerror),
                 "FLYBALL_PROGRAM names another one")


def split_errors(lines: Iterable[str]) -> Tuple[List[str], List[str], List[str]]:
    """What the program said on stderr: its errors, their hints, and all else."""
    errors, hints, rest = [], [], []
    for line in lines:
        if line.startswith("flyball: "):
            errors.append(line[len("flyball: "):])
        elif line.startswith("HINT: "):
            hints.append(line[len("HINT: "):])
        else:
            rest.append(line)
    return errors, hints, rest
