"""What the user gives as a number, as a list of numbers or by name: plain numbers of it, or an Error that
names the argument. Numbers of other libraries are numbers (numpy's, tensors of one); texts, bytes and
truth values are none."""
from __future__ import annotations

import operator
import re
import reprlib
from collections.abc import Mapping as AnyMapping
from collections.abc import Set as AnySet
from typing import Any, Dict, List, Optional, Union

from ._error import Error
from ._words import example

_no_lists = (str, bytes, bytearray, memoryview, AnyMapping, AnySet)
_told = ("minibatch_ms", "power_w", "figures")  # of tell()


def _is_number(value: Any) -> bool:
    kind = type(value)
    return (hasattr(kind, "__float__") or hasattr(kind, "__index__")) and not isinstance(value, bool)


def _plain(value: Any) -> Any:
    """Python's own value of an array or tensor of one, whatever is in it."""
    item = getattr(value, "item", None)
    return item() if callable(item) and hasattr(type(value), "__float__") else value


def _refusal(name: str, value: Any, wanted: str, hint: str) -> Error:
    shown = " ".join(reprlib.repr(value).split())
    return Error("%s=%s is %s, but of type %s" % (name, shown, wanted, type(value).__name__),
                 hint or example(_argument(name)))


def _argument(name: str) -> str:
    """That an entry such as figures["accuracy"] belongs to."""
    found = re.match(r"\w*", name)
    return found[0] if found else name


def real(name: str, value: Any, hint: str = "", wanted: str = "not a number") -> float:
    """Also one that is not finite."""
    try:
        plain = _plain(value)
        if _is_number(plain):
            return float(plain)
    except OverflowError:  # an int beyond any float
        return float("inf")
    except (TypeError, ValueError, RuntimeError):  # such as an array of several
        pass
    raise _refusal(name, value, wanted, hint) from None


def number(name: str, value: Any, hint: str = "", wanted: str = "not a number") -> float:
    """A finite one."""
    found = real(name, value, hint, wanted)
    if found - found != 0:
        argument = _argument(name)
        raise Error("%s is not a finite number: %r" % (name, found),
                    'leave it out, or tell(trial, failure="…")' if argument in _told
                    else hint or example(argument))
    return found


def whole(name: str, value: Any) -> Union[None, int, float]:
    """A whole number; why another one is refused, the program says. None stays."""
    if value is None:
        return None
    found = number(name, value)
    try:
        return operator.index(_plain(value))
    except TypeError:
        return found


def several(value: Any) -> Optional[List[Any]]:
    """What a list, an array or another sequence holds; None of what is none of these."""
    if isinstance(value, _no_lists):
        return None
    try:
        each = iter(value)
    except TypeError:
        return None
    return list(each)


def listed(name: str, value: Any) -> List[Any]:
    """The same as it is given; what is no list is refused."""
    values = several(value)
    if values is None:
        raise _refusal(name, value, "not a list of numbers", "")
    return values


def numbers(name: str, value: Any) -> List[float]:
    """Those of a list."""
    return [number("%s[%d]" % (name, index), one) for index, one in enumerate(listed(name, value))]


def by_name(name: str, value: Any, of: str = "numbers", hint: str = "") -> Dict[str, Any]:
    """The entries of a dict as they are."""
    if not isinstance(value, AnyMapping):
        raise _refusal(name, value, "not a dict of names and " + of, hint)
    for key in value:
        if not isinstance(key, str):
            raise Error("%s= has the name %s, which is not a text" % (name, reprlib.repr(key)),
                        hint or example(_argument(name)))
    return dict(value)


def named(name: str, value: Any, hint: str = "") -> Dict[str, float]:
    """The numbers of a dict."""
    return {key: number('%s["%s"]' % (name, key), one, hint)
            for key, one in by_name(name, value, hint=hint).items()}
