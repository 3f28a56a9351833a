"""Turns on an accelerator that several processes share: the client of `flyball broker`. The protocol is
that of src/broker/turn_message.h."""
from __future__ import annotations

import os
import re
import socket as sockets
import sys
import threading
import time
import warnings
import weakref
from types import TracebackType
from typing import Dict, Optional, Tuple, Type, Union

from . import _marks, _numbers
from ._error import Error

Latency = Union[None, str, int, float]
_retry_s = 1.0  # a broker that has gone is asked for again after so long
_greeting_s = 10.0  # a broker that does not welcome within this time does not answer
_silent_s = 60.0  # one that did not is asked for again after so long: each time a step waits for it


def _hear(connection: sockets.socket) -> bytes:
    """What the broker says next; a reset comes before the last words of one that has not read ours."""
    try:
        return connection.recv(257)
    except ConnectionResetError:
        return connection.recv(257)


class _Nothing:
    """The turn where there is no broker."""

    __slots__ = ()

    def __enter__(self) -> "_Nothing":
        return self

    def __exit__(self, *_: object) -> None:
        pass


class _Connection:
    """To one broker, as one client: of one thread."""

    def __init__(self, path: str, hello: bytes) -> None:
        self._path, self._hello = path, hello
        self._socket: Optional[sockets.socket] = None
        self._retry, self._told = 0.0, False
        _all.add(self)

    def ask(self) -> bool:
        """Waits for the turn. False: there is no broker now."""
        try:
            if self._socket is None and not self._connect():
                return False
            assert self._socket is not None
            try:
                self._socket.send(b"ask")
                answer = _hear(self._socket)
            except OSError:
                answer = b""
            if answer == b"granted":
                return True
            self._lost(answer)
            return False
        except BaseException:  # such as Ctrl-C: the place in the queue is given up
            self.close()
            raise

    def done(self) -> None:
        """The turn ends, once the device has done what was queued on it."""
        words = b"done"
        try:
            begin = time.monotonic_ns()
            if _marks.synchronize():
                words = b"done %d" % (time.monotonic_ns() - begin)
        finally:
            if self._socket is not None:
                try:
                    self._socket.send(words)
                except OSError:
                    self.close()

    def _connect(self) -> bool:
        now = time.monotonic()
        if now < self._retry:
            return False
        connection = sockets.socket(sockets.AF_UNIX, sockets.SOCK_SEQPACKET)
        connection.settimeout(_greeting_s)
        try:
            connection.connect(self._path)
            try:
                connection.send(self._hello)
            except BrokenPipeError:  # refused before it could greet: it is told so
                pass
            answer = _hear(connection)
        except OSError as error:
            connection.close()
            silent = isinstance(error, sockets.timeout)
            self._retry = time.monotonic() + (_silent_s if silent else _retry_s)
            self._tell("no broker answers at %s (%s)" % (self._path, error.strerror or error))
            return False
        connection.settimeout(None)
        self._socket = connection
        if answer != b"welcome":
            self._lost(answer)
            return False
        self._retry, self._told = 0.0, False
        return True

    def _lost(self, answer: bytes) -> None:
        self.close()
        text = answer.decode(errors="replace")
        if text.startswith("refused "):  # then a word for programs, and why
            why = text.split(" ", 2)[-1]
            raise Error("the broker at %s refuses this process: %s" % (self._path, why))
        self._retry = time.monotonic() + _retry_s
        self._tell("the broker at %s has gone" % self._path)

    def _tell(self, what: str) -> None:
        if not self._told:
            warnings.warn("flyball: %s: steps run without turns until one does" % what,
                          RuntimeWarning, stacklevel=6)
        self._told = True

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None


class _Held:
    """The turn that a thread has of one broker."""

    __slots__ = ("connection", "granted", "depth")

    def __init__(self, connection: _Connection, granted: bool) -> None:
        self.connection, self.granted, self.depth = connection, granted, 1


class Turn:
    """Turns under one name, in any thread. Used again and again; a turn within a turn of the same
    broker, whichever its name, is part of it: a thread that waited for itself would wait for ever."""

    def __init__(self, path: str, hello: bytes) -> None:
        self._path, self._hello = path, hello

    def __enter__(self) -> "Turn":
        held = _local.held.get(self._path)
        if held is not None:
            held.depth += 1
            return self
        connection = _local.connection(self._path, self._hello)
        _local.held[self._path] = _Held(connection, connection.ask())
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        held = _local.held.get(self._path)
        if held is None:  # this process was forked within the turn, which is its parent's
            return
        held.depth -= 1
        if held.depth:
            return
        del _local.held[self._path]
        if held.granted:
            held.connection.done()


class _Local(threading.local):
    """A connection belongs to one thread, and so does the turn that it was granted."""

    def __init__(self) -> None:
        self.turns: Dict[Tuple[object, ...], Turn] = {}
        self.connections: Dict[Tuple[str, bytes], _Connection] = {}
        self.held: Dict[str, _Held] = {}  # by the broker's path

    def connection(self, path: str, hello: bytes) -> _Connection:
        key = (path, hello)
        if key not in self.connections:
            self.connections[key] = _Connection(path, hello)
        return self.connections[key]


_nothing = _Nothing()
_local = _Local()
_all: "weakref.WeakSet[_Connection]" = weakref.WeakSet()
_broker: Optional[str] = None  # FLYBALL_BROKER, once it was read; "": none


def _forget_all() -> None:
    """In a process that was forked: the connections are its parent's."""
    for one in list(_all):
        one.close()
    _local.held.clear()


os.register_at_fork(after_in_child=_forget_all)


def broker() -> str:
    """The socket of the broker that this process asks; "" where none is named."""
    global _broker
    if _broker is None:
        _broker = os.environ.get("FLYBALL_BROKER", "")
    return _broker


_latency_hint = 'a text needs its unit, as in "100ms"; a number is seconds, as in 0.1'


def _seconds(latency: Latency) -> float:
    if not isinstance(latency, str):
        return 0.0 if latency is None else _numbers.real("latency", latency, _latency_hint, "not a time")
    found = re.fullmatch(r"\s*([0-9.eE+-]+)\s*(ms|s)\s*", latency)
    try:
        return float(found[1]) * (1e-3 if found[2] == "ms" else 1) if found else float("nan")
    except ValueError:
        return float("nan")


def _environments_share() -> float:
    share = os.environ.get("FLYBALL_TURN_SHARE") or "1"
    try:
        return float(share)
    except ValueError:
        raise Error("FLYBALL_TURN_SHARE=%s is not a number" % share, "such as 2") from None


def _hello(name: Optional[str], latency: Latency, share: Optional[float]) -> bytes:
    name = name or os.environ.get("FLYBALL_TURN_NAME") or \
        os.path.basename(sys.argv[0] if sys.argv and sys.argv[0] else "") or "python"
    name = re.sub(r"[^A-Za-z0-9._-]", "-", name)[:64]
    if latency is None and share is None:
        latency = os.environ.get("FLYBALL_TURN_LATENCY")
    seconds = _seconds(latency)
    if latency and not seconds > 0:
        raise Error("latency=%r is no time" % (latency,), _latency_hint)
    if seconds:
        return b"flyball-turn 1 service %s %s" % (repr(seconds).encode(), name.encode())
    part = _environments_share() if share is None else _numbers.number("share", share, "such as 2")
    return b"flyball-turn 1 training %s %s" % (repr(part).encode(), name.encode())


def turn(name: Optional[str] = None, latency: Latency = None, share: Optional[float] = None,
         broker: Optional[str] = None) -> Union[Turn, _Nothing]:
    """`with flyball.turn():` around what uses the accelerator, minibatch by minibatch: waits until
    `flyball broker` grants it. Without a broker it does nothing.

    name       what the broker's result calls this process; FLYBALL_TURN_NAME, else the script's name
    latency    this is a service: "100ms", or a number of seconds, from asking to the end of its turn;
               FLYBALL_TURN_LATENCY, a text with its unit
    share      this is a training: its part of the time that trainings are given; FLYBALL_TURN_SHARE, 1
    broker     the broker's socket; FLYBALL_BROKER, as it is when the first turn is taken

    The turn ends after the device has done what was queued on it (PyTorch's CUDA, or the function of
    set_synchronize())."""
    path = broker if broker is not None else _broker
    if path is None:
        path = globals()["broker"]()
    if not path:
        return _nothing
    key = (path, name, latency, share)
    turns = _local.turns
    if key not in turns:
        turns[key] = Turn(path, _hello(name, latency, share))
    return turns[key]


_marks.step_turn = turn  # a step that is marked is a turn, too
