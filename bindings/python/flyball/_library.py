"""libflyball through ctypes: marks with the memory order of C, and energy windows."""
from __future__ import annotations

import ctypes
import os
from typing import Dict, List, Optional, Tuple, Union

from . import _places

_max_totals = 16  # FLYBALL_MAX_TOTALS


class _Energy(ctypes.Structure):  # flyball_energy
    _fields_ = [("name", ctypes.c_char * 32), ("seconds", ctypes.c_double),
                ("energy_j", ctypes.c_double), ("mean_w", ctypes.c_double),
                ("gap_s", ctypes.c_double)]


def _load() -> Tuple[Optional[str], str]:
    """The library's place, or why there is none."""
    why = []
    for name in _places.library_names():
        try:
            found = ctypes.CDLL(name)
            found.flyball_report  # of that name, ours, and not older than this package
            return name, ""
        except (OSError, AttributeError) as error:
            why.append(str(error))
    return None, why[-1] if why else "FLYBALL_LIBRARY is empty"


_place, missing = _load()
found = _place is not None
if _place is not None:
    # Marks take less than to give up the interpreter's lock; a window may wait for a sensor.
    _quick = ctypes.PyDLL(_place)
    _slow = ctypes.CDLL(_place)
    marked = _quick.flyball_marked
    minibatch = _quick.flyball_minibatch
    stall_begin, stall_end = _quick.flyball_stall_begin, _quick.flyball_stall_end
    compute_begin, compute_end = _quick.flyball_compute_begin, _quick.flyball_compute_end
    for _function in (minibatch, stall_begin, stall_end, compute_begin, compute_end):
        _function.restype = None
    _setting = _quick.flyball_setting
    _setting.argtypes, _setting.restype = [ctypes.c_char_p, ctypes.c_double], ctypes.c_double
    _report = _quick.flyball_report
    _report.argtypes, _report.restype = [ctypes.c_char_p, ctypes.c_double], None
    _begin, _end = _slow.flyball_window_begin, _slow.flyball_window_end
    _begin.argtypes, _begin.restype = [ctypes.c_char_p], ctypes.c_void_p
    _end.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Energy), ctypes.c_int]
    _cancel, _error = _slow.flyball_window_cancel, _slow.flyball_last_error
    _cancel.argtypes, _cancel.restype = [ctypes.c_void_p], None
    _error.restype = ctypes.c_char_p

Energy = Dict[str, Dict[str, float]]


def read_setting(name: str) -> None:
    """Tells that the program has read this setting."""
    _setting(os.fsencode(name), 0.0)


def report(name: str, value: float) -> None:
    _report(os.fsencode(name), value)


def window_begin(name: str) -> Optional[int]:
    handle: Optional[int] = _begin(os.fsencode(name))
    return handle


def window_cancel(handle: Optional[int]) -> None:
    _cancel(handle)


def window_end(handle: Optional[int]) -> Union[Energy, str]:
    """Every total of the machine, or why there is none."""
    totals = (_Energy * _max_totals)()
    count = _end(handle, totals, _max_totals)
    if count < 0:
        return str(_error().decode(errors="replace"))
    taken: List[_Energy] = list(totals)[:min(count, _max_totals)]
    return {os.fsdecode(total.name): {"energy_j": total.energy_j, "mean_w": total.mean_w,
                                      "gap_s": total.gap_s} for total in taken}
