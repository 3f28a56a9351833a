"""The one exception of this package."""
from __future__ import annotations

from typing import Any, Dict, Iterable, NamedTuple, Optional


class Error(Exception):
    """What Flyball refuses, or why it cannot go on; `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message + (" (HINT: %s)" % hint if hint else ""))
        self.message, self.hint = message, hint
        self.document: Optional[Dict[str, Any]] = None  # what was seen before it failed, if anything


def cannot_start(program: str, error: OSError) -> Error:
    return Error("cannot start %s: %s" % (program, error.strerror),
                 "FLYBALL_PROGRAM names another one")


_error, _hint = "flyball: ", "HINT: "
_not_errors = ("note: ", "ATTENTION: ", "waiting for ")


def may_be_error(line: str) -> bool:
    """Is it the error with which the program ends, or a hint, unless another line follows?"""
    return line.startswith(_hint) or (line.startswith(_error) and
                                      not line.startswith(_not_errors, len(_error)))


class Said(NamedTuple):
    """With what the program ended; "" where it did not say."""

    why: str
    hint: str


def last_error(lines: Iterable[str]) -> Said:
    """Of what the program said on stderr: its error is the last line, but for a hint behind it. What
    stands before, such as that a board was put back, is none."""
    why = hint = ""
    for line in lines:
        if line.startswith(_hint):
            hint = line[len(_hint):]
        elif line.strip():
            why, hint = line[len(_error):] if line.startswith(_error) else line, ""
    return Said(why, hint)
