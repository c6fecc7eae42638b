"""Random DaCe programs, as text: a strategy of hypothesis, so that a program that fails is made smaller.

A program has two-dimensional arrays ``C, D`` of N x M elements, vectors ``A, B`` of N and ``R`` of M elements, an array
``s`` of one element, indices ``idx`` into the vectors of N elements and a scalar ``a``. It is valid Python for NumPy as
well, which is what its results are compared with; where NumPy has other words, a line is in the text for one of the two
only. No iteration of a map writes what another one reads or writes, but for accumulation; every index is in its array;
every loop ends; values stay small.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from textwrap import indent
from typing import Any

from hypothesis import strategies as st

__all__ = ["Example", "examples"]

VECTORS, MATRICES = ("A", "B"), ("C", "D")
Lines = list[str]

_OPERATORS = {
    "f": ("{} + {}", "{} - {}", "{} * {}", "np.minimum({}, {})", "np.maximum({}, {})"),
    "i": ("{} + {}", "{} - {}", "np.minimum({}, {})", "np.maximum({}, {})", "{} & {}", "{} ^ {}"),
    "u": ("{} + {}", "np.minimum({}, {})", "np.maximum({}, {})", "{} & {}", "{} ^ {}"),
    "c": ("{} + {}", "{} - {}", "{} * {}"),
}
_FUNCTIONS = {
    "f": ("np.abs({})", "np.tanh({})", "np.sin({})", "-({})", "({}) / 3", "0.5 * ({})", "np.sqrt(np.abs({}))"),
    "i": ("np.abs({})", "-({})", "({}) // 3", "({}) % 5", "({}) // -2", "({}) * 2"),
    "u": ("({}) // 3", "({}) % 5", "({}) * 2"),
    "c": ("-({})", "np.conj({})", "0.5 * ({})"),
}
_DAMPED = {"f": "np.tanh({})", "i": "({}) % 11", "u": "({}) % 11", "c": "0.25 * ({})"}
_LITERALS = {"f": ("0.5", "1", "-2.25"), "i": ("1", "-3", "7"), "u": ("1", "3"), "c": ("0.5", "1")}
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")

#: Begins of lines that stand in the text for DaCe or in the text for NumPy only.
_DACE, _NUMPY = "@dace ", "@numpy "
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_TYPES = (*["float32"] * 5, *["int32"] * 2, *_INTEGERS, "complex64", "float16")


@dataclass(frozen=True)
class Example:
    """A program ``main`` in the text of a module, the same for NumPy, the sizes for a call, and the element type of
    its arrays.
    """

    source: str
    oracle: str
    sizes: dict[str, int]
    symbolic: bool
    dtype: str
    seed: int

    def __repr__(self) -> str:
        return f"{self.source}\n# sizes {self.sizes}, seed {self.seed}"


@dataclass
class _Writer:
    """Writes one program, drawing each choice."""

    draw: Callable[[Any], Any]
    control: bool
    dtype: str = ""
    sizes: dict[str, int] = field(default_factory=dict)
    counters: Lines = field(default_factory=list)  # loop variables that are valid rows
    temporaries: Lines = field(default_factory=list)  # vectors of N elements
    names: int = 0
    helper: Lines = field(default_factory=list)  # the body of the program that others call

    # ---- choices

    def one_of(self, *choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def number(self, low: int, high: int) -> int:
        return int(self.draw(st.integers(low, high)))

    def maybe(self) -> bool:
        return bool(self.draw(st.booleans()))

    def fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    @property
    def kind(self) -> str:
        return {"float32": "f", "float16": "f", "complex64": "c"}.get(self.dtype, self.dtype[0])

    @property
    def scalar_dtype(self) -> str:
        """DaCe cannot pass complex numbers and halves by value."""
        return self.dtype if self.dtype in ("float32", "int32", "int64", "uint32") else "int32"

    @property
    def operators(self) -> tuple[str, ...]:
        """NumPy has no bit operations of uint64 with the int32 that scalars then are."""
        known = _OPERATORS[self.kind]
        return tuple(o for o in known if not set(o) & set("&^")) if self.dtype == "uint64" else known

    # ---- the program

    def example(self) -> Example:
        self.dtype = self.one_of(*_TYPES)
        self.sizes = {"N": self.number(4, 13), "M": self.number(4, 9)}
        symbolic = self.maybe()
        body = self.block(self.number(2, 5), depth=0)
        texts = [self.module(_only(body, mark), symbolic) for mark in (_DACE, _NUMPY)]
        return Example(*texts, dict(self.sizes), symbolic, self.dtype, self.number(0, 99))

    def module(self, body: Lines, symbolic: bool) -> str:
        sizes = (
            "N, M = dace.symbol('N'), dace.symbol('M')" if symbolic else f"N, M = {self.sizes['N']}, {self.sizes['M']}"
        )
        shapes = {**dict.fromkeys(VECTORS, "N"), **dict.fromkeys(MATRICES, "N, M"), "R": "M", "s": "1"}
        parameters = [f"{name}: dace.{self.dtype}[{shape}]" for name, shape in shapes.items()]
        parameters += ["idx: dace.int32[N]", f"a: dace.{self.scalar_dtype}"]
        helper = [
            "@dace.program",
            f"def helper(x: dace.{self.dtype}[N], y: dace.{self.dtype}[N]):",
            *self.helper,
            "",
            "",
        ]
        head = ["import dace", "import numpy as np", "", sizes, "", "", *(helper if self.helper else [])]
        lines = [*head, "@dace.program", f"def main({', '.join(parameters)}):", *_indented(body)]
        return "\n".join(lines) + "\n"

    def helper_body(self) -> Lines:
        """All at once, in order, in a map, both outputs in a map, or under a condition: so is the nested SDFG."""
        step = _DAMPED[self.kind].format("x[k - 1] + y[k]")
        value = _DAMPED[self.kind].format("x[j] + y[j]")
        return list(
            self.one_of(
                ["    x[:] = x ^ y" if self.kind in "iu" else "    x[:] = x - y"],
                ["    for k in range(1, N):", f"        x[k] = {step}"],
                ["    for j in dace.map[0:N]:", f"        x[j] = {value}"],
                ["    for j in dace.map[0:N:2]:", f"        x[j] = {value}", "        y[j] = x[j]"],
                ["    if y[0] == y[1]:", f"        y[:] = {_DAMPED[self.kind].format('x + y')}", "    x[0:2] = y[1:3]"],
            )
        )

    def block(self, count: int, depth: int) -> Lines:
        return [line for _ in range(count) for line in self.statement(depth)]

    def statement(self, depth: int) -> Lines:
        kinds = [self.vector_slice, self.matrix_slice, self.map_1d, self.map_2d, self.reduction, self.accumulation]
        kinds += [self.gather, self.scatter, self.inner_loop, self.call, self.row]
        kinds += [self.mask, self.strided, self.product, self.map_with_step, self.two_outputs, self.runtime_slice]
        kinds += [self.reshaped, self.transposed, self.nested_maps, self.compaction, self.ordered_scatter]
        if self.kind != "c":
            kinds.append(self.extremum)
        if self.kind in "iu":  # where rounding cannot decide
            kinds.append(self.place)
        if depth == 0:
            kinds.append(self.temporary)
        if self.control and depth < 2:
            kinds += [self.for_loop, self.branch, self.while_loop] * 2
        chosen = self.one_of(*kinds)
        return list(chosen(depth) if chosen in (self.for_loop, self.branch, self.while_loop) else chosen())

    # ---- expressions: `leaf` writes an operand

    def expression(self, leaf: Callable[[], str], depth: int = 2) -> str:
        if depth == 0 or not self.maybe():
            return leaf()
        if self.maybe():
            return str(self.one_of(*_FUNCTIONS[self.kind])).format(self.expression(leaf, depth - 1))
        left, right = self.expression(leaf, depth - 1), self.expression(leaf, depth - 1)
        return "(" + str(self.one_of(*self.operators)).format(left, right) + ")"

    def damped(self, leaf: Callable[[], str]) -> str:
        """An expression that cannot grow when it is evaluated over and over."""
        return _DAMPED[self.kind].format(self.expression(leaf))

    def scalar(self) -> str:
        choices = ["a", *_LITERALS[self.kind], "s[0]"]
        if self.counters:
            choices += [f"A[{self.counters[-1]}]", f"C[{self.counters[-1]}, 1]"]
        return str(self.one_of(*choices))

    def condition(self, leaf: Callable[[], str]) -> str:
        left = leaf()
        if self.kind == "c":
            return f"idx[{self.one_of(0, 1)}] {self.one_of(*_COMPARISONS)} 2"
        return f"{left} {self.one_of(*_COMPARISONS)} {self.one_of(*_LITERALS[self.kind])}"

    # ---- assignments to slices

    def trimmed(self, size: str, total: int) -> str:
        low = self.number(0, total)
        return f"{low}:{size} - {total - low}" if total else ":"

    def vector_slice(self) -> Lines:
        total = self.number(0, 3)
        target = f"{self.one_of(*VECTORS)}[{self.trimmed('N', total)}]"

        def leaf() -> str:
            if total == 0 and self.temporaries and self.maybe():
                return str(self.one_of(*self.temporaries))
            return f"{self.one_of(*VECTORS)}[{self.trimmed('N', total)}]" if self.maybe() else self.scalar()

        return [f"{target} = {self.damped(leaf)}"]

    def matrix_slice(self) -> Lines:
        rows, columns = self.number(0, 2), self.number(0, 2)

        def part() -> str:
            return f"{self.one_of(*MATRICES)}[{self.trimmed('N', rows)}, {self.trimmed('M', columns)}]"

        def leaf() -> str:
            if rows == 0 and self.one_of(*range(4)) == 0:
                return f"R[{self.trimmed('M', columns)}]"
            return part() if self.maybe() else self.scalar()

        return [f"{part()} = {self.damped(leaf)}"]

    def row(self) -> Lines:
        index = self.one_of(*self.counters) if self.counters else self.one_of("0", "2", "N - 1")
        other = self.one_of("0", "1", "N - 2", *self.counters)
        return [
            f"C[{index}, :] = " + self.damped(lambda: str(self.one_of(f"D[{other}, :]", f"C[{index}, :]", "R", "a")))
        ]

    def temporary(self) -> Lines:
        name = self.fresh("t")
        line = f"{name} = " + self.damped(lambda: str(self.one_of(*VECTORS, *self.temporaries)))
        self.temporaries.append(name)
        return [line] if line.split(" = ")[1] not in VECTORS else [f"{line} + 1"]

    def call(self) -> Lines:
        self.helper = self.helper or self.helper_body()
        first = self.one_of(*VECTORS)
        return [f"helper({first}, {'B' if first == 'A' else 'A'})"]

    def strided(self) -> Lines:
        part = f"{self.number(0, 2)}:N:{self.number(2, 3)}"
        return [f"{self.one_of(*VECTORS)}[{part}] = {self.damped(lambda: f'{self.one_of(*VECTORS)}[{part}]')}"]

    def mask(self) -> Lines:
        name, compared = self.fresh("m"), "idx" if self.kind == "c" else self.one_of(*VECTORS)
        test = (
            f"{compared} {self.one_of(*_COMPARISONS)} {'2' if self.kind == 'c' else self.one_of(*_LITERALS[self.kind])}"
        )
        target, other = self.one_of(("A", "B"), ("B", "A"))
        return [f"{name} = {test}", f"{target}[:] = np.where({name}, {other}, {target})"]

    def product(self) -> Lines:
        target, value = self.one_of(("A", "C @ R"), ("R", "A @ D"), ("B", "D @ R"))
        return [f"{target}[:] = {_DAMPED[self.kind].format(value)}"]

    def place(self) -> Lines:
        function = self.one_of("argmin", "argmax")
        return [f"idx[{self.one_of('0', '1', 'N - 1')}] = np.{function}({self.one_of(*VECTORS)})"]

    # ---- maps

    def map_1d(self) -> Lines:
        low, high = self.number(0, 2), self.number(0, 2)
        target, source = self.one_of(("A", "B"), ("B", "A"))

        def leaf() -> str:
            shifted = f"{source}[i + {self.number(-low, high)}]"
            return str(
                self.one_of(shifted, shifted, f"{target}[i]", "C[i, 1]", f"D[i, {self.one_of('0', 'M - 1')}]", "a")
            )

        return [f"for i in dace.map[{low}:N - {high}]:", *_indented(self.store(f"{target}[i]", leaf))]

    def map_2d(self) -> Lines:
        low, high = self.number(0, 2), self.number(0, 2)
        target, source = self.one_of(("C", "D"), ("D", "C"))

        def leaf() -> str:
            near = f"{source}[i + {self.number(-low, high)}, j + {self.number(-1, 1)}]"
            return str(self.one_of(near, near, f"{target}[i, j]", "A[i]", "R[j]", "B[i]", "a"))

        return [f"for i, j in dace.map[{low}:N - {high}, 1:M - 1]:", *_indented(self.store(f"{target}[i, j]", leaf))]

    def map_with_step(self) -> Lines:
        """Each second or third element; what is between stays as it was."""
        step = self.number(2, 3)
        value = self.damped(lambda: str(self.one_of("B[i]", "A[i - 1]", "C[i, 1]", "a")))
        return [f"for i in dace.map[1:N:{step}]:", f"    B[i] = {value}"]

    def two_outputs(self) -> Lines:
        """Two arrays written by one map, from the same values."""
        value = self.damped(lambda: str(self.one_of("A[i]", "B[i]", "D[i, 1]", "a")))
        other = self.damped(lambda: str(self.one_of("v", "v", "R[0]")))
        return [
            "for i in dace.map[0:N]:",
            f"    v = {value}",
            f"    A[i] = {other}",
            f"    C[i, {self.one_of(0, 2)}] = v",
        ]

    def nested_maps(self) -> Lines:
        """A map in a map, with a row of its own or over a part of the columns."""
        part = self.one_of("0:M", "1:M - 1", "0:M:2")
        value = self.damped(lambda: str(self.one_of("C[i, j]", "R[j]", "A[i]", "a")))
        lines = [f"for j in dace.map[{part}]:", f"    C[i, j] = {value}"]
        if self.maybe():
            lines = [f"if {self.condition(lambda: 'B[i]')}:", *_indented(lines)]
        return ["for i in dace.map[0:N]:", *_indented(lines)]

    def runtime_slice(self) -> Lines:
        """Two elements from a place that moves in a loop, or that an index says."""
        counter, source = self.fresh("q"), self.one_of(*VECTORS)
        target = self.one_of(f"A[{counter}:{counter} + 2]", f"B[{counter} + 1:{counter} + 3]", "R[1:3]", "C[0, 1:3]")
        value = self.damped(lambda: str(self.one_of(f"{source}[{counter}:{counter} + 2]", "R[0:2]", "a")))
        return [f"for {counter} in range(N - 2):", f"    {target} = {value}"]

    def reshaped(self) -> Lines:
        name = self.fresh("v")
        lines = [f"{name} = np.reshape({self.one_of(*MATRICES)}, (N * M,))"]
        return [*lines, f"B[:] = {self.damped(lambda: str(self.one_of(f'{name}[1:N + 1]', f'{name}[0:N]')))}"]

    def transposed(self) -> Lines:
        name = self.fresh("x")
        matrix, other = self.one_of(("C", "D"), ("D", "C"))
        if self.maybe():
            return [f"{name} = np.transpose({matrix})", f"R[:] = {self.damped(lambda: f'{name}[:, 1]')}"]
        damped = _DAMPED[self.kind].format(f"{name}[:, 2]")
        return [f"{name} = {matrix} @ np.transpose({other})", f"A[:] = {damped}"]

    def store(self, target: str, leaf: Callable[[], str]) -> Lines:
        if self.maybe():
            return [f"{target} = {self.damped(leaf)}"]
        other = [f"{target} = {self.damped(leaf)}"]
        lines = [f"if {self.condition(leaf)}:", f"    {target} = {self.damped(leaf)}"]
        return [*lines, "else:", *_indented(other)] if self.maybe() else lines

    def inner_loop(self) -> Lines:
        first, last = self.one_of(("0", "M"), ("1", "M - 1"), ("0", "i"), ("i + 1", "N"))
        read = "C[i, k]" if "M" in last else "B[k]"
        zero = f"np.{self.dtype}(0)"
        loop = [f"t = {zero}", f"for k in range({first}, {last}):", f"    t = t + {self.damped(lambda: read)}"]
        return ["for i in dace.map[0:N]:", *_indented([*loop, f"A[i] = {_DAMPED[self.kind].format('t')}"])]

    def gather(self) -> Lines:
        return [
            "for i in dace.map[0:N]:",
            f"    B[i] = {self.damped(lambda: str(self.one_of('A[idx[i]]', 'B[i]', 'C[idx[i], 2]')))}",
        ]

    # ---- accumulation

    def scatter(self) -> Lines:
        target = self.one_of("B[idx[i]]", "D[idx[i], 1]", "s[0]")
        lines = [
            "for i in dace.map[0:N]:",
            f"    {target} += {self.damped(lambda: str(self.one_of('A[i]', 'C[i, 0]', 'a')))}",
        ]
        return [*lines, *self.settle(str(target))]

    def ordered_scatter(self) -> Lines:
        """Stores through a table in the order of a loop, all or some of them."""
        q, target = self.fresh("q"), self.one_of("B[idx[{}]]", "D[idx[{}], 1]", "D[idx[{}], idx[{}] % M]")
        value = self.damped(lambda: str(self.one_of(f"A[{q}]", f"C[{q}, 0]", "a")))
        lines = [f"{target.replace('{}', q)} = {value}"]
        if self.maybe():
            lines = [f"if {self.condition(lambda: f'A[{q}]')}:", *_indented(lines)]
        return [f"for {q} in range({self.one_of('0, N', '1, N', '0, N - 2')}):", *_indented(lines)]

    def compaction(self) -> Lines:
        """Chosen elements in a row, in place or not, what else depends on how many there were, and their number."""
        q, n = self.fresh("q"), self.fresh("n")
        value = self.damped(lambda: str(self.one_of(f"A[{q}]", f"C[{q}, 1]", "a")))
        advance = self.one_of(f"{n} += 1", f"{n} = {n} + 1")
        stores = [f"B[{n}] = {value}"]
        stores += [f"A[{n}] = A[{q}]"] if self.maybe() else []
        stores += [f"idx[{q}] = {n}"] if self.maybe() else []
        stores += [f"C[{n}, 2] = D[{q}, 1]"] if self.maybe() else []
        lines = [f"if {self.condition(lambda: f'A[{q}]')}:", *_indented([*stores, advance])]
        if self.maybe():
            lines += ["else:", f"    R[{self.one_of('0', '1')}] = a"] if self.one_of(*range(4)) == 0 else []
        first = self.one_of("0, N", "1, N", "0, N - 1")
        return [f"{n} = 0", f"for {q} in range({first}):", *_indented(lines), f"idx[0] = {n} % N"]

    def accumulation(self) -> Lines:
        target = self.one_of("A[i]", "R[j]", "s[0]")
        value = self.damped(lambda: str(self.one_of("C[i, j]", "D[i, j]", "B[i]")))
        operator = self.one_of("+=", "+=", "*=")
        return ["for i, j in dace.map[0:N, 0:M]:", f"    {target} {operator} {value}", *self.settle(str(target))]

    def extremum(self) -> Lines:
        """A reduction to the least or greatest value, which DaCe writes as a tasklet."""
        function = self.one_of("min", "max")
        target, index = self.one_of(("s[0]", "0"), ("A[i]", "i"), ("R[j]", "j"))
        array = target.partition("[")[0]
        return [
            "for i, j in dace.map[0:N, 0:M]:",
            f"{_DACE}    with dace.tasklet:",
            f"{_DACE}        value << D[i, j]",
            f"{_DACE}        result >> {array}(1, lambda x, y: {function}(x, y))[{index}]",
            f"{_DACE}        result = value",
            f"{_NUMPY}    {target} = {function}({target}, D[i, j])",
        ]

    def reduction(self) -> Lines:
        function = "sum" if self.kind == "c" else self.one_of("sum", "max", "min")
        places = (("R[:]", "C, axis=0"), ("A[:]", "D, axis=1"), ("B[:]", "C, axis=-1"), ("s[0]", "B"), ("s[0]", "C"))
        target, argument = self.one_of(*places)
        return [f"{target} = np.{function}({argument})", *self.settle(str(target))]

    def settle(self, target: str) -> Lines:
        """Make what was accumulated small again."""
        array = target.partition("[")[0]
        whole = f"{array}[:, :]" if array in MATRICES else f"{array}[:]"
        return [f"{whole} = {_DAMPED[self.kind].format(array)}"]

    # ---- control flow

    def for_loop(self, depth: int) -> Lines:
        counter = self.fresh("k")
        outer = self.counters[-1:] or ["N - 1"]
        bounds = (
            "0, N",
            "1, N - 1",
            "N - 1, -1, -1",
            "0, N, 2",
            "N - 2, 0, -2",
            "2, 2",
            f"0, {outer[0]}",
            f"{outer[0]}, N",
        )
        head = f"for {counter} in range({self.one_of(*bounds)}):"
        self.counters.append(counter)
        body = self.block(self.number(1, 2), depth + 1)
        if self.one_of(*range(4)) == 0:
            body += [f"if {self.condition(self.scalar)}:", f"    {self.one_of('break', 'continue')}"]
            body += self.block(1, depth + 2)
        self.counters.pop()
        return [head, *_indented(body)]

    def branch(self, depth: int) -> Lines:
        lines = [f"if {self.condition(self.scalar)}:", *_indented(self.block(self.number(1, 2), depth + 1))]
        return [*lines, "else:", *_indented(self.block(1, depth + 1))] if self.maybe() else lines

    def while_loop(self, depth: int) -> Lines:
        counter = self.fresh("n")
        body = [*self.block(1, depth + 1), f"{counter} = {counter} + 1"]
        extra = f" and {self.condition(lambda: 's[0]')}" if self.maybe() else ""
        return [f"{counter} = 0", f"while {counter} < {self.number(0, 4)}{extra}:", *_indented(body)]


def _indented(lines: Lines) -> Lines:
    result = []
    for line in lines:
        mark = next((mark for mark in (_DACE, _NUMPY) if line.startswith(mark)), "")
        result.append(mark + indent(line.removeprefix(mark), "    "))
    return result


def _only(lines: Lines, mark: str) -> Lines:
    """The text for DaCe or for NumPy: lines of the other are left out."""
    other = _NUMPY if mark == _DACE else _DACE
    return [line.removeprefix(mark) for line in lines if not line.startswith(other)]


@st.composite
def examples(draw: Callable[[Any], Any], control: bool = True) -> Example:
    """Programs; with ``control``, loops and branches around maps as well."""
    return _Writer(draw, control).example()
