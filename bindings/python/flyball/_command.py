"""Runs `flyball COMMAND … --json`: what a command prints becomes a document, what it refuses an Error."""
from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from typing import IO, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _options, _places
from ._error import Error, cannot_start, last_error, may_be_error
from ._options import Option

Word = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Answered:
    """A command that has ended, with an answer or with "no" (exit code 1)."""

    document: Dict[str, Any]
    page: Optional[str]  # its report; None where the command has none
    files: Dict[str, str]  # what it wrote, by the option that named the file


class _Said:
    """What the program says on stderr: passed on line by line, but for the error it may end with."""

    def __init__(self, stream: IO[bytes], quiet: bool) -> None:
        self._stream, self._quiet = stream, quiet
        self._kept: List[str] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        for raw in self._stream:
            line = raw.decode(errors="replace").rstrip("\n")
            if not line.startswith("HINT: "):
                self.pass_on()  # what was kept has not ended it
            if may_be_error(line):
                self._kept.append(line)
            else:
                self._show(line)

    def _show(self, line: str) -> None:
        if not self._quiet:
            print(line, file=sys.stderr)

    def finish(self) -> None:
        self._thread.join()
        self._stream.close()

    def pass_on(self) -> None:
        """Lines that did not end the command."""
        for line in self._kept:
            self._show(line)
        self._kept.clear()

    def error(self, code: int, known: Mapping[str, str]) -> Error:
        said = last_error(self._kept)
        why = said.why or "flyball has ended (exit code %d)" % code
        return Error(_options.in_python(why, known), _options.in_python(said.hint, known))


def start(words: Sequence[str], **streams: Any) -> "subprocess.Popen[bytes]":
    """The program in a session of its own: Ctrl-C is for Python, which ends it in order."""
    try:
        return subprocess.Popen(list(words), start_new_session=True, **streams)
    except OSError as error:
        raise cannot_start(words[0], error) from error


def _run(words: Sequence[str], quiet: bool) -> Tuple[int, str, _Said]:
    process = start(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout and process.stderr
    said = _Said(process.stderr, quiet)
    try:
        printed = process.stdout.read()
        code = process.wait()
    except BaseException:
        _end(process)
        raise
    finally:
        process.stdout.close()
        said.finish()
    return code, printed.decode(errors="replace"), said


def _end(process: "subprocess.Popen[bytes]") -> None:
    """As Ctrl-C does: the board is put back, and what was measured is kept. A second Ctrl-C does not
    wait for the trial."""
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait()
        except KeyboardInterrupt:
            continue


def _read(printed: str) -> Optional[Dict[str, Any]]:
    try:
        document = json.loads(printed)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


@dataclass(frozen=True)
class _File:
    """What an option writes: where its caller said, or into a folder of ours."""

    option: str
    path: str
    word: Optional[str]  # None: it stands among the options already


def _files(writes: Sequence[str], known: Mapping[str, str], given: Mapping[str, Option],
           folder: str, store_is_configured: Callable[[], bool]) -> List[_File]:
    files = []
    for option in writes:
        named = given.get(option)
        # The page of a run that is kept is made when it is asked for.
        kept = option == "report" and "store" in known and not given.get("no_store") and \
            (given.get("store") is not None or not store_is_configured())
        if option not in known or given.get("dry_run") or kept:
            continue
        if isinstance(named, (str, os.PathLike)):
            files.append(_File(option, os.fspath(named), None))
        else:
            path = os.path.join(folder, option)
            files.append(_File(option, path, "--%s=%s" % (option, path)))
    return files


def run(command: Tuple[str, ...], operands: Sequence[str] = (), *,
        options: Optional[Mapping[str, Option]] = None, program: Sequence[str] = (),
        quiet: bool = False, writes: Sequence[str] = ("report",), called: str = "") -> Answered:
    """`flyball COMMAND OPERANDS OPTIONS --json -- PROGRAM`. `writes`: options that name a file, whose
    content is wanted also where the caller names none. Raises Error for what the program refuses;
    "the answer is no" is an answer."""
    place = _places.required_program()
    known = _options.options_of(place, command)
    given = dict(options or {})
    words = [place, *command, *operands]
    words += _options.as_words(called or ".".join(command), known, given)
    words += ["--quiet"] if quiet and "quiet" in known else []
    with tempfile.TemporaryDirectory(prefix="flyball-") as folder:
        files = _files(writes, known, given, folder,
                       lambda: _options.store_is_configured(place, command))
        words += [file.word for file in files if file.word] + ["--json"]
        words += ["--", *program] if program else []
        code, printed, said = _run(words, quiet)
        document = _read(printed)
        if code not in (0, 1) or document is None:
            error = said.error(code, known)
            error.document = document
            raise error
        if code == 0:
            said.pass_on()
        content = {file.option: _content(file.path) for file in files if os.path.isfile(file.path)}
    return Answered(document, content.pop("report", None), content)


def _content(path: str) -> str:
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def split(workload: Union[None, str, Sequence[Word]]) -> Tuple[List[str], List[str]]:
    """A workload by its name, or a program as a list of words: operands and program."""
    if workload is None:
        return [], []
    if isinstance(workload, str):
        return [workload], []
    program = [os.fspath(word) for word in workload]
    if not program:
        raise Error("there is no program in an empty list", 'such as ["python3", "train.py"]')
    return [], program


def run_report(run: int, store: Optional[str]) -> str:
    """The page of a run of the store (`flyball report`, which prints no document)."""
    place = _places.required_program()
    with tempfile.TemporaryDirectory(prefix="flyball-") as folder:
        path = os.path.join(folder, "report.html")
        words = [place, "report", str(run), "--out=" + path]
        code, _, said = _run(words + (["--store=%s" % store] if store else []), quiet=True)
        if code != 0:
            raise said.error(code, _options.options_of(place, ("report",)))
        return _content(path)
