"""Keyword arguments as options of the program: power_budget="30W" is --power-budget=30W.

Which options a command has, it says itself (`--help`): a new one needs no change here."""
from __future__ import annotations

import difflib
import inspect
import json
import os
import re
import subprocess
from functools import lru_cache, wraps
from typing import (Any, Callable, Dict, List, Mapping, Sequence, Tuple, TypeVar, Union, cast)

from . import _numbers
from ._error import Error, cannot_start, last_error

Option = Union[None, bool, int, float, str, "os.PathLike[str]", Sequence[Any], Mapping[str, Any]]

_decimal = re.compile(r"-?[0-9.]+(?:[eE][-+]?[0-9]+)?")
_line = re.compile(r"^  ((?:--?[\w-]+,?)+)(?: (\S+))?")
# What other functions of this package call so, or what Python cannot call so.
_other_names = {"keep": "no_store=True keeps nothing", "anyway": "it is force=True",
                "json": "the answer is an object; its to_dict() is the document"}
_ours = {"json", "help", "quiet"}  # that this package gives itself, or takes by name


@lru_cache(maxsize=None)
def options_of(program: str, command: Tuple[str, ...]) -> Dict[str, str]:
    """Each option without its dashes, and what its help says that it takes: "" for a flag."""
    try:
        shown = subprocess.run([program, *command, "--help"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    except OSError as error:
        raise cannot_start(program, error) from error
    if shown.returncode != 0:  # such as a configuration file with a wrong line
        said = last_error(shown.stderr.decode(errors="replace").splitlines())
        raise Error(said.why or "%s --help failed" % program, said.hint)
    return read_help(shown.stdout.decode(errors="replace"))


@lru_cache(maxsize=None)
def store_is_configured(program: str, command: Tuple[str, ...]) -> bool:
    """Does a configuration file say where this command keeps what it measures, or that it does not?"""
    shown = subprocess.run([program, "config", "show", *command, "--json"], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False)
    if shown.returncode != 0:
        return False
    return any(one["option"] in ("--store", "--no-store") and ":" in one["from"]
               for one in json.loads(shown.stdout)["defaults"])


def read_help(text: str) -> Dict[str, str]:
    found: Dict[str, str] = {}
    for line in text.splitlines():
        option = _line.match(line)
        for name in option[1].split(",") if option else []:
            if option and name.startswith("--"):
                # "=true" behind a flag is what a configuration file sets.
                found[name[2:]] = "" if (option[2] or "").startswith("=") else option[2] or ""
    return found


def _values(name: str, value: Option) -> List[str]:
    """A mapping is NAME=VALUE,VALUE for each of its entries; a list is several values."""
    if isinstance(value, Mapping):
        return ["%s=%s" % (key, ",".join(_values(name, one))) for key, one in value.items()]
    if isinstance(value, (str, os.PathLike)):
        return [os.fspath(value)]
    each = _numbers.several(value)
    if each is not None:
        return [text for one in each for text in _values(name, one)]
    return [_written(name, value)]


def _written(name: str, value: Any) -> str:
    """A number in digits: in its own, as numpy's 0.1 of 32 bits has them, else in all of them."""
    number = _numbers.real(name, value, "give a text or a number", "not a value")
    own = "" if isinstance(value, float) else str(value)
    return own if _decimal.fullmatch(own) else "%.17g" % number


def as_words(function: str, known: Mapping[str, str], given: Mapping[str, Option]) -> List[str]:
    """The options as the program takes them; None and False leave one out. Raises Error for one
    that the command does not have."""
    words: List[str] = []
    for keyword, value in given.items():
        name = keyword.rstrip("_").replace("_", "-")  # from_="FILE": `from` is Python's own word
        if name not in known or name in _ours:
            raise _unknown(function, keyword, known)
        if value is None or value is False:
            continue
        if not known[name]:
            if value is not True:
                raise Error("%s=%r: it takes True or False" % (keyword, value), "%s=True" % keyword)
            words.append("--" + name)
        else:
            texts = _values(keyword, value)
            # LIST: one option takes them all; otherwise it is given once for each.
            texts = [",".join(texts)] if known[name] == "LIST" else texts
            words += ["--%s=%s" % (name, text) for text in texts]
    return words


Function = TypeVar("Function", bound=Callable[..., Any])


def takes(called: str) -> Callable[[Function], Function]:
    """Says of a keyword that a function does not take what is said of an option that a command does
    not have: an Error, in place of a TypeError of what lies within."""
    def decorate(function: Function) -> Function:
        known = inspect.signature(function).parameters

        @wraps(function)
        def checked(*values: Any, **keywords: Any) -> Any:
            for keyword in keywords:
                if keyword not in known or keyword == "self":
                    raise _unknown(called, keyword, {name.replace("_", "-"): "" for name in known
                                                     if name != "self"})
            return function(*values, **keywords)

        return cast(Function, checked)

    return decorate


def _unknown(function: str, keyword: str, known: Mapping[str, str]) -> Error:
    names = sorted(name.replace("-", "_") for name in known if name not in _ours)
    alike = difflib.get_close_matches(keyword, names, 1)
    hint = _other_names.get(keyword) or (
        "did you mean %s?" % alike[0] if alike else "it takes: " + ", ".join(names))
    return Error("%s() takes no keyword '%s'" % (function, keyword), hint)


# Options in running text, with what is plainly their value: it has a digit or an =, or is a
# placeholder in capitals. What stands in backticks is typed into a shell, and stays.
_mentioned = re.compile(r"(`[^`]*`)|--([a-z][a-z-]*[a-z])"
                        r"(?:[ =]((?=[^\s,;:]*[\d=])[^\s,;:]+(?:,[^\s,;:]+)*|[A-Z]{2,}\b))?")
_after_dashes = [("name the program after --", "give the program as a list of words"),
                 ("a program after --", "a program as a list of words"),
                 ("for a program of your own, after --", "for a program of your own"),
                 ("put it after --, e.g. -- python3 train.py", 'such as ["python3", "train.py"]')]


def in_python(text: str, known: Mapping[str, str]) -> str:
    """What the program says of options, said of keyword arguments."""
    for typed, python in _after_dashes:
        text = text.replace(typed, python)

    def keyword(found: "re.Match[str]") -> str:
        if found[1]:
            return found[1]
        name = found[2].replace("-", "_") + ("_" if found[2] in ("from", "for") else "")
        if found[3]:
            return '%s="%s"' % (name, found[3])
        return name + ("=True" if known.get(found[2]) == "" else "=")

    return _mentioned.sub(keyword, text)
