"""`flyball study` at the other end of a pipe: one JSON object a line, one answer to each."""
from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import weakref
from typing import IO, Any, Dict, Optional

from . import _places
from ._error import Error, cannot_start, last_error
from ._options import in_python
from ._words import of_study


_grace_s = 5.0  # within it the program ends of itself once nobody can speak to it


def _end(process: "subprocess.Popen[str]", said: IO[bytes]) -> None:
    assert process.stdin and process.stdout
    try:
        process.stdin.close()
    except OSError:
        pass
    process.stdout.close()
    try:
        process.wait(_grace_s)
    except subprocess.TimeoutExpired:  # it waits for another session, or somebody kept the pipe
        process.terminate()
        process.wait()
    said.close()


class Program:
    """A running `flyball study`. It ends with this object, or with this process."""

    def __init__(self, store: Optional[str], keep: bool) -> None:
        place = _places.required_program()
        command = [place, "study"]
        if not keep:
            command += ["--no-store"]
        elif store is not None:
            command += ["--store", store]
        self._said: IO[bytes] = tempfile.TemporaryFile()  # on stderr: why it has ended
        try:
            # A session of its own: Ctrl-C is for the program that owns the loop.
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             stderr=self._said, encoding="utf-8",
                                             start_new_session=True)
        except OSError as error:
            raise cannot_start(place, error) from error
        self._turn = threading.Lock()
        self.close = weakref.finalize(self, _end, self._process, self._said)
        _running.add(self)

    def _forget(self) -> None:
        """In a child process, such as a loader's worker: it must not keep the pipe open, and the
        program is not its own to end."""
        assert self._process.stdin and self._process.stdout
        if self.close.detach() is None:
            return  # it was closed before
        self._process.returncode = 0
        for pipe in (self._process.stdin, self._process.stdout):
            # The file behind it, which writes nothing of what the parent has not sent yet.
            nothing = os.open(os.devnull, os.O_RDWR)
            os.dup2(nothing, pipe.fileno(), inheritable=False)
            os.close(nothing)

    def say(self, message: Dict[str, Any]) -> Dict[str, Any]:
        """Its answer. Raises Error for what it refuses."""
        assert self._process.stdin and self._process.stdout
        if not self.close.alive:
            raise Error("the study is closed", "create another one")
        with self._turn:
            try:
                # Numbers of other libraries (numpy's, tensors of one number) become plain ones.
                text = json.dumps(message, allow_nan=False, default=float)
                self._process.stdin.write(text + "\n")
                self._process.stdin.flush()
                line = self._process.stdout.readline()
                while line.startswith('{"waiting"'):
                    print("flyball: waiting for %s" % json.loads(line)["waiting"], file=sys.stderr)
                    line = self._process.stdout.readline()
            except (OSError, TypeError, ValueError) as error:
                if not isinstance(error, OSError):
                    raise Error("a figure is not a finite number: %s" % error,
                                "give plain numbers") from error
                line = ""
            except BaseException:  # such as Ctrl-C: the answer would be taken for the next one's
                self.close()
                raise
        if not line:
            raise self._why_it_ended()
        answer: Dict[str, Any] = json.loads(line)
        refused = answer.get("error")
        if refused:
            raise Error(*of_study(refused["message"], refused["hint"]))
        return answer

    def _why_it_ended(self) -> Error:
        code = self._process.wait()
        self._said.seek(0)
        said = last_error(self._said.read().decode(errors="replace").splitlines())
        why = said.why or "`flyball study` has ended (exit code %d)" % code
        return Error(in_python(why, {}), in_python(said.hint, {}))


def _forget_all() -> None:
    for program in _running:
        program._forget()


_running: "weakref.WeakSet[Program]" = weakref.WeakSet()
os.register_at_fork(after_in_child=_forget_all)
