"""From JSON to :class:`Report`, with an error that names the place if something is not as it should be."""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from dace_ipu.profile.report import Report
from dace_ipu.profile.schema import SCHEMA, Build, Profile, ProgramReport, ReportError, key_of

__all__ = ["open_report", "read_report"]

T = TypeVar("T")


def open_report(path: str | Path) -> Report:
    """Read a file: the profile that an engine of the simulator wrote, or a report that was saved.

    A folder stands for the ``profile.json`` in it, and ``profile.pop``, as the SDK calls its file, for the one beside.

    Raises :class:`ReportError` if it cannot be read or is something else.
    """
    path = _file_of(Path(path))
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ReportError(f"cannot read {path}: {error}") from error
    try:
        return read_report(text, path.stem)
    except ReportError as error:
        raise ReportError(f"{path}: {error}") from error


def _file_of(path: Path) -> Path:
    if path.is_dir():
        return path / "profile.json"
    return path.with_suffix(".json") if path.suffix == ".pop" and not path.exists() else path


def read_report(text: str, name: str = "profile") -> Report:
    """Read the JSON text of a report, or of a single profile, which becomes a report called ``name``.

    Raises :class:`ReportError`.
    """
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ReportError(f"this is no JSON: {error}") from error
    if not isinstance(data, dict) or not ({"programs", "steps"} & data.keys()):
        raise ReportError("this is no profile of the simulator, and no report: it has neither 'steps' nor 'programs'")
    if "steps" in data:  # a profile
        program = {"program": name, "symbols": "", "runs": data.get("runs", 0), "profile": data}
        data = {"name": name, "builds": [], "programs": [program]}
    return _report(data)


def _report(data: dict[str, Any]) -> Report:
    programs = _convert(tuple[ProgramReport, ...], data["programs"], "programs")
    builds = _convert(tuple[Build, ...], data.get("builds", []), "builds")
    return Report(_convert(str, data.get("name"), "name"), programs, builds, data)


def _object(cls: type[T], data: Any, place: str) -> T:
    """A dataclass from a JSON object. Keys that the class does not know are left for later versions to know."""
    _expect(isinstance(data, dict), "an object", data, place)
    if cls is Profile and data.get("schema") != SCHEMA:
        raise ReportError(f"{place} has schema {data.get('schema')!r}; this version of dace_ipu reads schema {SCHEMA}")
    hints = get_type_hints(cls)
    values = {}
    for entry in fields(cls):  # type: ignore[arg-type]
        key = key_of(entry.name, entry.metadata)
        if key in data:
            values[entry.name] = _convert(hints[entry.name], data[key], f"{place}.{key}")
        elif not _has_default(entry):
            raise ReportError(f"{place} has no '{key}'")
    return cls(**values)


def _has_default(entry: Field[Any]) -> bool:
    return entry.default is not MISSING or entry.default_factory is not MISSING


def _convert(kind: Any, data: Any, place: str) -> Any:
    """``data`` as a value of type ``kind``, one of those that the schema uses."""
    origin, arguments = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _object(kind, data, place)  # type: ignore[arg-type]
    if origin in (Union, types.UnionType):
        return None if data is None else _convert(arguments[0], data, place)
    if origin is tuple:
        _expect(isinstance(data, list), "a list", data, place)
        return tuple(_convert(arguments[0], item, f"{place}[{k}]") for k, item in enumerate(data))
    if origin is Mapping:
        _expect(isinstance(data, dict), "an object", data, place)
        return {key: _convert(arguments[1], item, f"{place}.{key}") for key, item in data.items()}
    return _scalar(kind, data, place)


def _scalar(kind: Any, data: Any, place: str) -> Any:
    if kind is str:
        _expect(isinstance(data, str), "a text", data, place)
        return data
    _expect(isinstance(data, (int, float)) and not isinstance(data, bool), "a number", data, place)
    _expect(kind is not int or data == int(data), "an integer", data, place)
    return kind(data)


def _expect(holds: bool, what: str, data: Any, place: str) -> None:
    if not holds:
        raise ReportError(f"{place} is {json.dumps(data)[:40]}, not {what}")
