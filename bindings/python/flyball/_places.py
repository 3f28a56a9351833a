"""Where the rest of Flyball lies: the program and its C library, as seen from this package."""
from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Iterator, Optional

from ._error import Error

_package = Path(__file__).resolve().parent


def _prefixes() -> Iterator[Path]:
    """Folders that may hold bin/flyball and lib/libflyball.so."""
    if (_package / "bin" / "flyball").is_file():
        yield _package  # a wheel
    parents = list(_package.parents)
    if parents[0].name == "python":
        yield parents[1]  # the build tree: build/release/python/flyball
        if len(parents) > 3:
            yield parents[3]  # installed: PREFIX/lib/flyball/python/flyball
        if parents[1].name == "bindings":  # the sources, used in place
            yield parents[2] / "build" / "release"
    named = os.environ.get("FLYBALL_PROGRAM") or shutil.which("flyball")
    if named:
        yield Path(named).resolve().parents[1]


def program() -> Optional[str]:
    """The program: $FLYBALL_PROGRAM, else the one beside this package, else the one on PATH."""
    named = os.environ.get("FLYBALL_PROGRAM")
    if named:
        return named
    for prefix in _prefixes():
        place = prefix / "bin" / "flyball"
        if place.is_file() and os.access(place, os.X_OK):
            return str(place)
    return None


def required_program() -> str:
    """Raises Error where there is none."""
    place = program()
    if place is None:
        raise Error("the program `flyball` was not found",
                    "build it with scripts/build, put it into PATH, or name it in FLYBALL_PROGRAM")
    return place


def library_names() -> Iterator[str]:
    """Where libflyball may be: $FLYBALL_LIBRARY alone where it is set (empty: nowhere), else beside
    the program; the last entry leaves it to the system's loader."""
    named = os.environ.get("FLYBALL_LIBRARY")
    if named is not None:
        if named:
            yield named
        return
    name = "libflyball.so.0"
    for prefix in _prefixes():
        lib = prefix / "lib"
        for place in [lib / name] + sorted(lib.glob("*-linux-gnu*/" + name)):
            if place.is_file():
                yield str(place)
    yield name


def main() -> None:
    """The command `flyball` of a wheel: the program in it takes over this process."""
    place = str(_package / "bin" / "flyball")
    os.execv(place, [place] + sys.argv[1:])
