"""The mark ring in plain Python, for where libflyball cannot be loaded (another C library, a static
Flyball). Its layout is that of src/telemetry/marks/marks.h: 64-bit words of this machine."""
from __future__ import annotations

import fcntl
import mmap
import os
import threading
import time
from typing import Optional

_capacity = 65536
_ring_words, _slot_words = 3, 8  # magic, capacity, head; a slot
_bytes = 8 * (_ring_words + _capacity * _slot_words)
_head = 2
_all_ones = (1 << 64) - 1

MINIBATCH, WINDOW_BEGIN, WINDOW_END = 1, 2, 3


class Ring:
    """The writing end. Opened by one process: what it forks is left out by the reader, and another
    process that would write in plain Python too finds the file locked, since plain Python cannot
    take the number of a mark atomically."""

    def __init__(self, path: str) -> None:
        """Raises OSError or ValueError when this is no ring, or another process writes it."""
        self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(self._file).st_size != _bytes:
                raise ValueError(path + " is no mark ring")
            self._map = mmap.mmap(self._file, _bytes)
            if self._map[:8] != b"FLYMARK1":
                raise ValueError(path + " is no mark ring of this version")
        except (OSError, ValueError):
            os.close(self._file)
            raise
        # An item of this view is stored by one machine instruction: no reader sees half of one.
        self._words = memoryview(self._map).cast("Q")
        self._pid = os.getpid()
        self._writing = threading.Lock()
        self._order = threading.Lock()
        self._order.acquire()

    def _barrier(self) -> None:
        """Stores before it are seen before stores after it, on aarch64 too: giving up a lock and
        taking it again synchronises memory (POSIX.1-2017, XBD 4.12), which is all the order that
        plain Python can ask for."""
        self._order.release()
        self._order.acquire()

    def write(self, kind: int, stall_ns: int = -1, compute_ns: int = -1, name: str = "") -> None:
        if os.getpid() != self._pid:
            return
        text = os.fsencode(name)[:23].ljust(24, b"\0")
        words = self._words
        with self._writing:
            now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            number = words[_head]
            slot = _ring_words + number % _capacity * _slot_words
            words[slot] = 0  # being written
            words[_head] = number + 1
            self._barrier()
            words[slot + 1] = now
            words[slot + 2] = stall_ns & _all_ones
            words[slot + 3] = compute_ns & _all_ones
            words[slot + 4] = kind | self._pid << 32  # kind and pid, 32 bits each
            for i in range(3):
                words[slot + 5 + i] = int.from_bytes(text[8 * i:8 * i + 8], "little")
            self._barrier()
            words[slot] = number + 1


def open_ring() -> Optional[Ring]:
    """The ring that FLYBALL_MARKS names; None without one."""
    path = os.environ.get("FLYBALL_MARKS")
    if not path:
        return None
    try:
        return Ring(path)
    except (OSError, ValueError):
        return None
