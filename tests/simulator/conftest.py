"""Codelet modules without libpoplar: compiled by popc, loaded with ctypes, run by the ABI of codelet_module.h."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dace_ipu.simulator.popc import driver

# ----------------------------------------------------------------------------------------------------------------------
# include/poplar/abi/codelet_module.h

STATE, STATE_VECTOR, SCALAR_EDGE, VECTOR_EDGE, EDGE_LIST, SCALAR_EDGE_LIST = range(6)
_RUN = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_uint)


class _Span(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class _Field(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_char_p),
        ("offset", ctypes.c_uint32),
        ("size", ctypes.c_uint32),
        ("kind", ctypes.c_uint8),
        ("direction", ctypes.c_uint8),
        ("outer_layout", ctypes.c_uint8),
        ("inner_layout", ctypes.c_uint8),
        ("min_align", ctypes.c_uint32),
        ("interleaved", ctypes.c_uint8),
    ]


class _Batch(ctypes.Structure):
    _fields_ = [
        ("states", ctypes.c_void_p),
        ("offsets", ctypes.POINTER(ctypes.c_size_t)),
        ("count", ctypes.c_size_t),
        ("first_worker", ctypes.c_uint),
        ("end_worker", ctypes.c_uint),
        ("random", ctypes.POINTER(ctypes.c_uint64)),
        ("seed", ctypes.c_uint64),
        ("step", ctypes.c_uint64),
        ("running", ctypes.c_size_t),
    ]


class _VertexType(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("size", ctypes.c_uint32),
        ("align", ctypes.c_uint32),
        ("kind", ctypes.c_uint8),
        ("num_fields", ctypes.c_uint32),
        ("fields", ctypes.POINTER(_Field)),
        ("run", _RUN),
        ("source_file", ctypes.c_char_p),
        ("source_line", ctypes.c_uint32),
        ("run_counted", ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_uint)),
        ("cost_flags", ctypes.c_uint32),
        ("run_batch", ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.POINTER(_Batch))),
    ]


class _Module(ctypes.Structure):
    _fields_ = [
        ("abi", ctypes.c_uint32),
        ("num_vertex_types", ctypes.c_uint32),
        ("vertex_types", ctypes.POINTER(_VertexType)),
        ("take_cost", ctypes.CFUNCTYPE(ctypes.c_uint64)),
    ]


_DTYPES = {
    "bool": "?",
    "char": "i1",
    "signed char": "i1",
    "unsigned char": "u1",
    "short": "i2",
    "unsigned short": "u2",
    "int": "i4",
    "unsigned int": "u4",
    "long long": "i8",
    "unsigned long long": "u8",
    "half": "f2",
    "float": "f4",
    "double": "f8",
    "quarter": "u1",
}


# ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Field:
    """One field of a vertex class, with names decoded."""

    name: str
    type: str
    offset: int
    size: int
    kind: int
    direction: int
    outer_layout: int
    inner_layout: int
    min_align: int
    interleaved: bool

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(_DTYPES[self.type])


@dataclass
class Vertex:
    """A vertex in memory, as libpoplar would lay it out: zeroed bytes, filled field by field."""

    cls: VertexClass
    keep: list[Any] = field(default_factory=list)  # what the state points to

    def __post_init__(self) -> None:
        assert self.cls.align <= 16
        words = np.zeros(self.cls.size // 16 + 2, dtype="V16")
        start = -words.ctypes.data % 16
        self._state = words.view("u1")[start : start + self.cls.size]
        self.keep.append(words)

    def __setitem__(self, name: str, value: Any) -> None:
        info = self.cls.fields[name]
        image = self._image(info, value)
        assert len(image) == info.size
        self._state[info.offset : info.offset + info.size] = np.frombuffer(image, dtype="u1")

    def __getitem__(self, name: str) -> Any:
        """The value of a plain field."""
        info = self.cls.fields[name]
        assert info.kind == STATE
        return self._state[info.offset : info.offset + info.size].view(info.dtype)[0]

    @property
    def address(self) -> int:
        return int(self._state.ctypes.data)

    def run(self, worker: int = 0) -> bool:
        return bool(self.cls.entry(self._state.ctypes.data, worker))

    def cost(self, worker: int = 0) -> int:
        """Run the entry that counts, and return what it cost: slots of a worker, cycles of the supervisor."""
        assert self.cls.counted is not None
        self.cls.counted(self._state.ctypes.data, worker)
        return self.cls.take_cost()

    def _image(self, info: Field, value: Any) -> bytes:
        if info.kind == STATE:
            return np.array(value, dtype=info.dtype).tobytes()
        if info.kind in (EDGE_LIST, SCALAR_EDGE_LIST):
            spans = (_Span * max(1, len(value)))(*(self._span(info, row) for row in value))
            self.keep.append(spans)
            return bytes(_Span(ctypes.addressof(spans), len(value)))
        return bytes(self._span(info, value))

    def _span(self, info: Field, array: np.ndarray[Any, Any]) -> _Span:
        assert array.dtype == info.dtype and array.flags.c_contiguous
        self.keep.append(array)
        return _Span(array.ctypes.data, array.size)


@dataclass(frozen=True)
class VertexClass:
    """A vertex class of a module."""

    name: str
    size: int
    align: int
    kind: int
    fields: dict[str, Field]
    entry: Callable[[int, int], bool]
    source_file: str
    source_line: int
    counted: Callable[[int, int], bool] | None
    depends_on_data: bool
    take_cost: Callable[[], int]
    batch_entry: Callable[[Any], bool]

    def __call__(self, **fields: Any) -> Vertex:
        vertex = Vertex(self)
        for name, value in fields.items():
            vertex[name] = value
        return vertex

    def run_batch(self, vertices: Sequence[Vertex], workers: range, random: ctypes.c_uint64, seed: int) -> bool:
        """Run vertices one after another. ``random`` grows from ``seed`` by 10 with each worker."""
        addresses = [vertex.address for vertex in vertices]
        offsets = (ctypes.c_size_t * len(vertices))(*(address - min(addresses) for address in addresses))
        bounds = (workers.start, workers.stop)
        batch = _Batch(min(addresses), offsets, len(vertices), *bounds, ctypes.pointer(random), seed, 10, 0)
        result = bool(self.batch_entry(ctypes.byref(batch)))
        assert batch.running == len(vertices) - 1
        return result


@dataclass(frozen=True)
class Module:
    """A loaded codelet module: ``module["Foo<float>"]`` is a vertex class."""

    library: ctypes.CDLL
    classes: dict[str, VertexClass]

    def __getitem__(self, name: str) -> VertexClass:
        return self.classes[name]


def load_module(path: Path) -> Module:
    library = ctypes.CDLL(str(path))
    library.dace_ipu_codelet_module.restype = ctypes.POINTER(_Module)
    module = library.dace_ipu_codelet_module().contents
    assert module.abi == 3
    types = [module.vertex_types[i] for i in range(module.num_vertex_types)]
    return Module(library, {type_.name.decode(): _vertex_class(type_, module.take_cost) for type_ in types})


def _vertex_class(raw: _VertexType, take_cost: Callable[[], int]) -> VertexClass:
    fields = [_field(raw.fields[i]) for i in range(raw.num_fields)]
    return VertexClass(
        raw.name.decode(),
        raw.size,
        raw.align,
        raw.kind,
        {info.name: info for info in fields},
        raw.run,
        raw.source_file.decode(),
        raw.source_line,
        raw.run_counted if raw.run_counted else None,
        bool(raw.cost_flags & 1),
        take_cost,
        raw.run_batch,
    )


def _field(raw: _Field) -> Field:
    return Field(
        raw.name.decode(),
        raw.type.decode(),
        raw.offset,
        raw.size,
        raw.kind,
        raw.direction,
        raw.outer_layout,
        raw.inner_layout,
        raw.min_align,
        bool(raw.interleaved),
    )


Compile = Callable[..., Module]
Popc = Callable[..., "tuple[int, str, str]"]


@pytest.fixture
def popc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Popc:
    """Run popc in an empty folder with a cache of its own: ``popc("a.cpp", "-O2")`` gives status, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DACE_IPU_CODELET_CACHE", str(tmp_path / "cache"))

    def run(*words: str) -> tuple[int, str, str]:
        status = driver.main(words)
        return status, *capfd.readouterr()

    return run


@pytest.fixture
def compile_codelets(popc: Popc, tmp_path: Path) -> Compile:
    """Compile a source text and load it. The headers of Poplar are included and its namespace is used."""

    def run(source: str, *options: str) -> Module:
        (tmp_path / "codelets.cpp").write_text(f"#include <poplar/Vertex.hpp>\nusing namespace poplar;\n{source}")
        status, _, messages = popc(*options, "codelets.cpp", "-o", "codelets.gp")
        assert status == 0, messages
        assert not messages, "the compiler warned"
        return load_module(tmp_path / "codelets.gp")

    return run


@pytest.fixture
def fails_with(popc: Popc, tmp_path: Path) -> Callable[..., str]:
    """Compile a source text that must not compile, with nothing added, and return the messages."""

    def run(source: str, *options: str) -> str:
        (tmp_path / "codelets.cpp").write_text(source)
        status, output, messages = popc(*options, "codelets.cpp")
        assert (status, output) == (1, "")
        assert not list(tmp_path.glob("*.gp")) and not list(tmp_path.glob(".*.tmp"))
        return messages

    return run
