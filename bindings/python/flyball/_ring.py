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

MINIBATCH, WINDOW_BEGIN, WINDOW_END, SETTING, LIBRARY, FIGURE = 1, 2, 3, 4, 5, 6


class Ring:
    """The writing end."""

    def __init__(self, path: str) -> None:
        """Raises OSError or ValueError when this is no ring."""
        self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
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
        self._make_locks()
        os.register_at_fork(after_in_child=self._make_locks)
        self.write(LIBRARY)

    def _make_locks(self) -> None:
        self._writing = threading.Lock()
        self._order = threading.Lock()
        self._order.acquire()

    def _barrier(self) -> None:
        """Stores before it are seen before stores after it, on aarch64 too: giving up a lock and
        taking it again synchronises memory (POSIX.1-2017, XBD 4.12), which is all the order that
        plain Python can ask for."""
        self._order.release()
        self._order.acquire()

    def _take_number(self) -> int:
        """Of the next mark. Plain Python has no atomic addition: processes that write this way take
        turns by a lock on the file, which the kernel gives up for one that is killed."""
        fcntl.lockf(self._file, fcntl.LOCK_EX)
        try:
            number: int = self._words[_head]
            self._words[_head] = number + 1
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN)
        return number

    def write(self, kind: int, stall_ns: int = -1, compute_ns: int = -1, name: str = "") -> None:
        text = os.fsencode(name)[:23].ljust(24, b"\0")
        words = self._words
        with self._writing:
            now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            number = self._take_number()
            slot = _ring_words + number % _capacity * _slot_words
            words[slot] = 0  # being written
            self._barrier()
            words[slot + 1] = now
            words[slot + 2] = stall_ns & _all_ones
            words[slot + 3] = compute_ns & _all_ones
            words[slot + 4] = kind | os.getpid() << 32  # kind and pid, 32 bits each
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
