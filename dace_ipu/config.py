"""The keys ``compiler.ipu.*`` of DaCe's configuration, read in one place.

A key has the value of the first of these that is given:

1. the environment variable ``DACE_compiler_ipu_<key>``, so that a run can be changed without touching the program;
2. ``dace.Config.set('compiler', 'ipu', '<key>', value=...)`` in the calling thread, or DaCe's configuration file;
3. the default in ``config_schema.yml``.

DaCe's ``Config`` alone does not give that: it keeps its data for each thread apart (a new thread has never heard of
this package's keys), and extending its schema ignores the environment.
"""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from dace_ipu import compat

__all__ = ["ConfigError", "Settings", "ensure_registered", "get", "settings"]

_SCHEMA_FILE = Path(__file__).with_name("config_schema.yml")
_PREFIX = ("compiler", "ipu")

Value = bool | int | str


class ConfigError(ValueError):
    """A configuration key of this package has a value it cannot have."""


@dataclass(frozen=True)
class Settings:
    """The configuration at one moment. ``config_schema.yml`` describes the keys.

    Raises :class:`ConfigError` if a value is out of range.
    """

    mode: str
    target: str
    ipus: int
    tiles: int
    graph_cache_size: int
    check: bool
    libs: str

    def __post_init__(self) -> None:
        if self.mode not in ("simulator", "sdk"):
            raise ConfigError(f"compiler.ipu.mode is 'simulator' or 'sdk', not {self.mode!r}")
        for key, least in (("ipus", 1), ("tiles", 0), ("graph_cache_size", 1)):
            value = getattr(self, key)
            if value < least:
                raise ConfigError(f"compiler.ipu.{key} is at least {least}, not {value}")


def settings() -> Settings:
    """Return all keys as they stand now in the calling thread. Raises :class:`ConfigError`."""
    return Settings(**{key.name: get(key.name) for key in fields(Settings)})


def get(key: str) -> Any:
    """Return one key, a bool, int or str as the schema says.

    Raises ``KeyError`` for a key that does not exist and :class:`ConfigError` for a value of the wrong type.
    """
    entry = schema()[key]
    variable = "_".join(("DACE", *_PREFIX, key))
    if variable in os.environ:
        return _convert(os.environ[variable], entry["type"], f"environment variable {variable}")
    ensure_registered()
    return _convert(compat.Config.get(*_PREFIX, key), entry["type"], ".".join((*_PREFIX, key)))


def ensure_registered() -> None:
    """Make the keys known to DaCe's ``Config`` in the calling thread, needed before ``Config.set`` in a new thread."""
    try:
        known = compat.Config.get_metadata(*_PREFIX)["required"]
    except KeyError:
        known = {}
    if not known.keys() >= schema().keys():
        compat.extend_config(str(_SCHEMA_FILE))


@functools.cache
def schema() -> dict[str, dict[str, Any]]:
    """Return the description of each key: its 'type', 'default', 'title' and 'description'."""
    root = yaml.safe_load(_SCHEMA_FILE.read_text(encoding="utf-8"))
    keys: dict[str, dict[str, Any]] = root["required"]["compiler"]["required"]["ipu"]["required"]
    return keys


_BOOLS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


def _convert(value: object, kind: str, origin: str) -> Value:
    """Return ``value`` (text from the environment, or what YAML made of a file) as ``kind``."""
    text = str(value).strip()
    try:
        if kind == "bool":
            return _BOOLS[text.lower()]
        return int(text) if kind == "int" else str(value)
    except (KeyError, ValueError):
        raise ConfigError(f"{origin} is {text!r}, which is no {kind}") from None
