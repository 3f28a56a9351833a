"""The power mode of a board: look, set, put back, and hold for a piece of code.

    with flyball.mode.hold("15W"):
        train()
"""
from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import weakref
from types import TracebackType
from typing import IO, Any, Dict, Iterator, List, Mapping, Optional, Set, Tuple, Type, Union

from . import _command, _numbers, _options, _places
from ._document import Document, Row, answered, in_words, short
from ._error import Error, last_error
from ._options import Option

Mode = Union[None, str, Mapping[str, float]]
Path = Union[None, str, "os.PathLike[str]"]


class ModeState(Document):
    """The answer of show(): the document of `flyball mode show --json`."""

    @property
    def mode(self) -> Dict[str, float]:
        """The cap in force of each axis that has one."""
        return {axis["name"]: axis["current"] for axis in self["axes"]
                if axis["current"] is not None}

    @property
    def held_by(self) -> Optional[str]:
        """Who sets the board just now; None: nobody."""
        holder: Optional[str] = self["held_by"]
        return holder

    def rows(self) -> List[Row]:
        return _axes(self["axes"])

    def summary(self) -> str:
        return "%s: %s" % (self["board"]["name"], in_words(self.mode))


class ModeList(Document):
    """The answer of list(): each axis with the values that the board lists."""

    @property
    def axes(self) -> Dict[str, List[float]]:
        return {axis["name"]: axis["values"] for axis in self["axes"]}

    def rows(self) -> List[Row]:
        return _axes(self["axes"])

    def summary(self) -> str:
        return ", ".join("%s: %d values" % (axis, len(values))
                         for axis, values in self.axes.items())


class ModePresets(Document):
    """The answer of presets(): modes of nvpmodel."""

    @property
    def presets(self) -> List[Dict[str, Any]]:
        return [dict(preset) for preset in self["presets"]]

    def rows(self) -> List[Row]:
        return [{"id": one["id"], "name": one["name"], "default": one["default"],
                 "active": one["active"], **one["mode"]} for one in self["presets"]]

    def summary(self) -> str:
        return ", ".join(one["name"] for one in self["presets"]) or "none"


class ModeSet(Document):
    """The answer of set(): the caps in force afterwards."""

    @property
    def mode(self) -> Dict[str, float]:
        return dict(self["mode"])

    def rows(self) -> List[Row]:
        return [dict(self["mode"])]

    def summary(self) -> str:
        return in_words(self.mode)


def _axes(axes: List[Dict[str, Any]]) -> List[Row]:
    return [{**axis, "values": ", ".join(map(short, axis["values"]))} for axis in axes]


def _where(device: Optional[str], root: Path) -> Dict[str, Option]:
    return {"device": device, "root": root}


@_options.takes("mode.show")
def show(device: Optional[str] = None, root: Path = None) -> ModeState:
    """The mode that the board is in."""
    return answered(ModeState, _command.run(("mode", "show"), options=_where(device, root)))


@_options.takes("mode.list")
def list(device: Optional[str] = None, root: Path = None) -> ModeList:
    """Axes, and the values that the board lists."""
    return answered(ModeList, _command.run(("mode", "list"), options=_where(device, root)))


@_options.takes("mode.presets")
def presets(device: Optional[str] = None, root: Path = None) -> ModePresets:
    """Preset modes of nvpmodel; of a simulated board those of its kind."""
    return answered(ModePresets, _command.run(("mode", "presets"), options=_where(device, root)))


@_options.takes("mode.set")
def set(mode: Mode = None, *, pin_max: bool = False, device: Optional[str] = None,
        root: Path = None) -> ModeSet:
    """Sets a mode that stays, until restore() puts back what was before. `mode` is a preset ("15W")
    or {"cpu_cores": 4, "gpu_mhz": 612}, whose clocks are pinned; pin_max pins every clock at its cap."""
    words, options = _asked(mode, pin_max, device, root)
    return answered(ModeSet, _command.run(("mode", "set"), words, options=options,
                                          called="mode.set"))


@_options.takes("mode.restore")
def restore(root: Path = None) -> int:
    """Puts back what was before set(). How many settings: 0 where there was nothing to put back."""
    return int(_command.run(("mode", "restore"), options={"root": root}).document["restored"])


def _asked(mode: Mode, pin_max: bool, device: Optional[str],
           root: Path) -> Tuple[List[str], Dict[str, Option]]:
    """A mode as operand, or a preset among the options."""
    options: Dict[str, Option] = {**_where(device, root), "pin_max": pin_max}
    if isinstance(mode, str) and "=" not in mode:
        return [], {**options, "preset": mode}
    if isinstance(mode, Mapping):
        values = _numbers.named("mode", mode, 'mode={"gpu_mhz": 612}')
        mode = ",".join("%s=%.17g" % axis for axis in values.items())
    return [mode] if mode else [], options


class hold:
    """`with flyball.mode.hold("15W") as held:` the board is in a mode while the block runs, and is put
    back as it was when the block ends, by an exception too, and when this process is killed. `mode`
    and `pin_max` are as in set(); `held.mode` has the caps in force.

    `flyball mode hold` sets the board and waits for a line on a pipe or for the end of the pipe, which
    the kernel closes when this process ends, however it does."""

    _wait = ("/bin/sh", "-c", "echo held $$; read -r line")

    @_options.takes("mode.hold")
    def __init__(self, mode: Mode = None, *, pin_max: bool = False, device: Optional[str] = None,
                 root: Path = None) -> None:
        self._operands, self._options = _asked(mode, pin_max, device, root)
        self._look = _where(device, root)
        self._process: Optional["subprocess.Popen[bytes]"] = None
        self.mode: Dict[str, float] = {}
        self._cores: Dict[int, Set[int]] = {}

    def __enter__(self) -> "hold":
        place = _places.required_program()
        self._known = _options.options_of(place, ("mode", "hold"))
        words = [place, "mode", "hold", *self._operands,
                 *_options.as_words("mode.hold", self._known, self._options), "--", *self._wait]
        self._said: IO[bytes] = tempfile.TemporaryFile()
        process = _command.start(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=self._said)
        self._process = process
        _holding.add(self)
        assert process.stdout
        try:
            said, _, waits = process.stdout.readline().decode().partition(" ")
            held = said == "held"
            if held:
                self.mode = show(**self._look).mode  # type: ignore[arg-type]
                self._bind(os.sched_getaffinity(int(waits)))
        except BaseException:
            self._put_back()
            raise
        if not held:
            raise self._put_back() or Error("the mode is not held", "flyball.mode.presets() lists some")
        return self

    def _bind(self, cores: Set[int]) -> None:
        """Cores that are chosen for each process are those of the held one: this one's threads, too."""
        if cores == os.sched_getaffinity(0):
            return
        for thread in _threads():
            with contextlib.suppress(ProcessLookupError):  # it has ended
                self._cores[thread] = os.sched_getaffinity(thread)
                os.sched_setaffinity(thread, cores)
        self.mode["cpu_cores"] = float(len(cores))

    def _unbind(self) -> None:
        """A thread that was begun meanwhile gets what another one had."""
        for thread in _threads() if self._cores else ():
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(thread, self._cores.get(thread, next(iter(self._cores.values()))))
        self._cores = {}

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        failure = self._put_back()
        if failure is not None and kind is None:
            raise failure

    def _forget(self) -> None:
        """In a child process, such as a loader's worker, which must not keep the pipe open."""
        process, self._process = self._process, None
        if process is not None:
            process.returncode = 0  # it is not ours to wait for
            self._close(process)

    def _close(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin and process.stdout
        try:
            process.stdin.close()
        except OSError:
            pass  # it has ended, and did not read the line
        process.stdout.close()

    def _put_back(self) -> Optional[Error]:
        """Why it was not put back, or not held to the end."""
        process, self._process = self._process, None
        if process is None:
            return None  # in a child process, which does not hold it
        self._unbind()
        assert process.stdin
        try:
            process.stdin.write(b"\n")
            process.stdin.flush()
        except OSError:
            pass  # it has ended already
        code = process.wait()
        self._close(process)
        with self._said as said:
            said.seek(0)
            ended = last_error(said.read().decode(errors="replace").splitlines())
        why = ended.why or "the mode is not held any more"
        return Error(_options.in_python(why, self._known),
                     _options.in_python(ended.hint, self._known)) if code != 0 else None


def _threads() -> Iterator[int]:
    return map(int, os.listdir("/proc/self/task"))


def _forget_all() -> None:
    for held in _holding:
        held._forget()


_holding: "weakref.WeakSet[hold]" = weakref.WeakSet()
os.register_at_fork(after_in_child=_forget_all)
