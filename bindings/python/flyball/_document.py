"""What the program answers: the document of --json with typed views of it, as rows and as a page."""
from __future__ import annotations

import dataclasses
import html
import importlib
import os
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Type, TypeVar, Union

from . import _command
from ._error import Error
from ._options import in_python

Row = Dict[str, Any]
View = TypeVar("View")
_most_rows = 50  # that a notebook shows of a table


def view(kind: Type[View], record: Mapping[str, Any]) -> View:
    """A dataclass out of the keys that are named as its fields; None for one that is left out."""
    names = [field.name for field in dataclasses.fields(kind)]
    return kind(**{name: record.get(name) for name in names})


def views(kind: Type[View], records: Optional[Iterable[Mapping[str, Any]]]) -> List[View]:
    return [view(kind, record) for record in records or []]


def row(record: Mapping[str, Any]) -> Row:
    """A record as a row: axes and figures as columns, an interval as two, as in Flyball's tables."""
    flat: Row = {}
    for key, value in record.items():
        if key in ("config", "figures", "mode") and isinstance(value, dict):
            flat.update(value)
        elif key.endswith("_90"):
            low, high = value if value else (None, None)
            flat[key[:-3] + "_lo90"], flat[key[:-3] + "_hi90"] = low, high
        elif not isinstance(value, (dict, list)):
            flat[key] = value
    return flat


def frame(rows: Sequence[Row]) -> Any:
    """A pandas.DataFrame."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        raise Error("pandas is not installed", "install it (package python3-pandas, or pip install "
                    "pandas), or take to_dict()") from None
    return pandas.DataFrame(list(rows))


def table_html(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    names = list(dict.fromkeys(name for one in rows for name in one))

    def line(tag: str, cells: Iterable[Any]) -> str:
        return "<tr>%s</tr>" % "".join(
            "<%s>%s</%s>" % (tag, html.escape(short(cell)), tag) for cell in cells)

    lines = [line("td", (one.get(name) for name in names)) for one in rows[:_most_rows]]
    more = "<p>%d rows more: to_frame()</p>" % (len(rows) - _most_rows) \
        if len(rows) > _most_rows else ""
    return "<table><thead>%s</thead><tbody>%s</tbody></table>%s" % (
        line("th", names), "".join(lines), more)


def frame_html(page: str) -> str:
    """A page within a page; of a quoted attribute these two characters alone are special."""
    return ('<iframe srcdoc="%s" sandbox="allow-scripts allow-downloads allow-popups" '
            'style="width: 100%%; height: 720px; border: 1px solid #ccc"></iframe>'
            % page.replace("&", "&amp;").replace('"', "&quot;"))


def short(value: Any) -> str:
    if value is None:
        return ""
    return "%.4g" % value if isinstance(value, float) else str(value)


def in_words(config: Mapping[str, Any]) -> str:
    return ", ".join("%s %s" % (axis, "%.10g" % value) for axis, value in config.items())


@dataclass(frozen=True)
class Infeasible:
    """Why there is no answer, and what would do, in the words of Python."""

    code: str
    reason: str
    hint: str
    easing: List[Dict[str, Any]] = field(repr=False)  # limits, each of which alone would do


class Document(Dict[str, Any]):
    """A document of --json (docs/json.md): its keys as they are, and views of them as attributes."""

    _page: Optional[str] = None
    _store: Optional[str] = None

    def to_dict(self) -> Dict[str, Any]:
        """The document as it was printed."""
        return dict(self)

    @property
    def infeasible(self) -> Optional[Infeasible]:
        """Why the answer is no; None where there is one."""
        why = self.get("infeasible")
        if not why:
            return None
        words = {key: in_python(why[key], {}) for key in ("reason", "hint")}
        return view(Infeasible, {**why, **words})

    def _one(self, kind: Type[View], key: str) -> Optional[View]:
        """What stands under a key, as a view; None where there is nothing."""
        return view(kind, self[key]) if self.get(key) else None

    def _each(self, kind: Type[View], key: str) -> List[View]:
        """The entries of a list, as views."""
        return views(kind, self.get(key))

    def rows(self) -> List[Row]:
        """What to_frame() holds."""
        return []

    def to_frame(self) -> Any:
        """The rows as a pandas.DataFrame."""
        return frame(self.rows())

    def summary(self) -> str:
        """One line."""
        return ""

    def __repr__(self) -> str:
        return "<flyball.%s %s>" % (type(self).__name__, self.summary())

    def page(self) -> Optional[str]:
        """Its report as HTML; None where there is none."""
        return self._page

    def report(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes its report: one HTML file that needs nothing else."""
        page = self.page()
        if page is None:
            raise Error("there is no page of this answer", "to_dict() and to_frame() have all of it")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(page)

    def _repr_html_(self) -> str:
        """In a notebook: the line, and the report in a frame of its own (without one, the rows)."""
        line = "<p>%s</p>" % html.escape(self.summary())
        try:
            page = self.page()
        except Error:  # its run is not in the store any more
            page = None
        return line + (table_html(self.rows()) if page is None else frame_html(page))


class Stored(Document):
    """What a run of the store answered."""

    @property
    def run(self) -> Optional[int]:
        """Its number in the store; None: nothing is kept."""
        number: Optional[int] = self.get("run")
        return number

    def page(self) -> Optional[str]:
        if self._page is None and self.run is not None:
            self._page = stored_page(self.run, self._store)
        return self._page


def stored_page(run: int, store: Optional[str]) -> str:
    """The report of a run of the store."""
    return _command.run_report(run, store)


Answer = TypeVar("Answer", bound=Document)


def answered(kind: Type[Answer], answer: _command.Answered, store: Any = None) -> Answer:
    document = kind(answer.document)
    document._page = answer.page
    document._store = None if store is None else os.fspath(store)
    return document
