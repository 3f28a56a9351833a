"""Energy of a piece of code."""
from __future__ import annotations

import itertools
import threading
import time
from types import TracebackType
from typing import Dict, List, Optional, Type

from . import _library, _marks, _ring

_open = threading.local()  # the windows that a thread has open
_numbers = itertools.count()


class window:
    """`with flyball.window("epoch") as epoch:` measures energy; afterwards `epoch.energy` maps each
    total ("package", "gpu", "module") to energy_j, mean_w and gap_s (seconds not measured),
    `epoch.seconds` is its length, and `epoch.gap` says why there is no energy. Windows nest; one
    that an exception leaves is cancelled."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.seconds: Optional[float] = None
        self.energy: Dict[str, Dict[str, float]] = {}
        self.gap = ""
        self._siblings: Optional[List["window"]] = None  # not None: it is open

    def __enter__(self) -> "window":
        if not hasattr(_open, "windows"):
            _open.windows = []
        siblings: List["window"] = _open.windows
        own = self.name
        if siblings:
            self.name = siblings[-1].name + "/" + own
        siblings.append(self)
        self._siblings = siblings
        self._number = next(_numbers)  # names are cut, and threads use the same
        _marks.synchronize()
        if _library.found:
            self._handle = _library.window_begin(own)
        elif _marks.ring:
            _marks.ring.write(_ring.WINDOW_BEGIN, self._number, name=self.name)
        self._begin = time.monotonic()
        return self

    def _close(self) -> bool:
        """False when it was closed already."""
        if self._siblings is None:
            return False
        self._siblings.remove(self)
        self._siblings = None
        return True

    def cancel(self) -> None:
        """Forgets the window."""
        if self._close() and _library.found:
            _library.window_cancel(self._handle)

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if kind is not None:
            self.cancel()
        elif self._close():
            self._end()

    def _end(self) -> None:
        _marks.synchronize()
        self.seconds = time.monotonic() - self._begin
        if _library.found:
            answer = _library.window_end(self._handle)
            if isinstance(answer, str):
                self.gap = answer
            else:
                self.energy = answer
            return
        if _marks.ring:
            _marks.ring.write(_ring.WINDOW_END, self._number, name=self.name)
        self.gap = ("energy windows need libflyball, which cannot be loaded: %s (HINT: build it with "
                    "`scripts/build release flyball_c`, or name it in FLYBALL_LIBRARY)"
                    % _library.missing)
