"""`flyball study` at the other end of a pipe: one JSON object a line, one answer to each."""
from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import weakref
from typing import IO, Any, Dict, Optional

from . import _places
from ._error import Error, cannot_start, split_errors
from ._options import in_python
from ._words import of_study


def _end(process: "subprocess.Popen[str]", said: IO[bytes]) -> None:
    assert process.stdin and process.stdout
    try:
        process.stdin.close()
    except OSError:
        pass
    process.stdout.close()
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

    def say(self, message: Dict[str, Any]) -> Dict[str, Any]:
        """Its answer. Raises Error for what it refuses."""
        assert self._process.stdin and self._process.stdout
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
                if not self.close.alive:
                    raise Error("the study is closed", "create another one") from error
                if not isinstance(error, OSError):
                    raise Error("a figure is not a finite number: %s" % error,
                                "give plain numbers") from error
                line = ""
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
        errors, hints, rest = split_errors(
            self._said.read().decode(errors="replace").strip().splitlines())
        why = "; ".join(errors + rest) or "`flyball study` has ended (exit code %d)" % code
        return Error(in_python(why, {}), in_python("; ".join(hints), {}))
