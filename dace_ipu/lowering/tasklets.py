"""Python tasklets as statements: connectors become accesses, outputs become stores."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import sympy

from dace_ipu import compat
from dace_ipu.lowering.local_types import local_types, matched
from dace_ipu.lowering.names_read import names_read
from dace_ipu.lowering.queries import is_module_path
from dace_ipu.lowering.references import ArrayReference, ScalarReference, Window
from dace_ipu.lowering.scope import Scope
from dace_ipu.lowering.streams import Stream
from dace_ipu.lowering.symbolic import Unsupported, python_text
from dace_ipu.lowering.truth_values import without_counting
from dace_ipu.lowering.wrapping import wrapped
from dace_ipu.tile_graph.body import (
    Access,
    Assign,
    Code,
    Declare,
    DType,
    Expr,
    For,
    If,
    Reduction,
    Statement,
    Store,
    While,
    symbol,
)
from dace_ipu.tile_graph.expressions import compile_code

__all__ = ["Expression", "Output", "Pointer", "Target", "lower_expression", "lower_tasklet"]


_CONSTANTS = ("inf", "nan", "pi")

#: DaCe's functions with two results, and an expression for each.
_PARTS = {"py_divmod": ("{0} // {1}", "{0} % {1}"), "np_modf": ("{0} - trunc({0})", "trunc({0})")}


@dataclass(frozen=True)
class Pointer:
    """A connector that stands for several elements and is indexed in the tasklet."""

    array: ArrayReference
    window: Window
    rank: int

    def access(self, indices: tuple[Expr, ...]) -> Access:
        """The element at these indices of the connector. Raises Unsupported if their number is not its rank."""
        if len(indices) != self.rank:
            raise Unsupported(f"{len(indices)} indices for a connector of {self.rank} dimensions")
        return self.array.access(self.window.outer(indices))


#: What a name in a tasklet stands for: an element, a local scalar, or several elements.
Target = Access | ScalarReference | Pointer


@dataclass(frozen=True)
class Output:
    """One place an output connector is written to. ``dynamic``: only where the tasklet assigns it."""

    target: Target | Stream
    reduction: Reduction | None
    dynamic: bool
    dtype: DType


@dataclass
class Expression(ast.NodeTransformer):
    """Rewrites a Python expression: names that stand for elements become placeholders, collected in ``reads``."""

    scope: Scope
    inputs: Mapping[str, Target]
    types: dict[str, DType]
    before: list[Statement] = field(default_factory=list)  # what has to run first: indices read from memory
    reads: list[tuple[str, Access]] = field(default_factory=list)
    locals: dict[str, str] = field(default_factory=dict)

    def code(self, node: ast.expr) -> Code:
        """The expression as code of the tile graph. Raises Unsupported for what its language does not have."""
        self.reads = []
        tree = ast.fix_missing_locations(self.visit(_copy(node)))
        types = {**self.scope.types, **{name: self._dtype(access) for name, access in self.reads}}
        tree = wrapped(without_counting(tree, types), types)
        code = Code(ast.unparse(tree), tuple(self.reads))
        try:
            compile_code(code)
        except (ValueError, SyntaxError) as error:
            raise Unsupported(f"the expression '{ast.unparse(node)}' ({error})") from error
        return code

    def dtype(self, node: ast.expr) -> DType:
        """The type that the expression has."""
        return compat.infer_dtype(ast.unparse(node), self.known_types())

    def known_types(self) -> dict[str, DType]:
        """The types of all names that the expression may use."""
        return {**self.types, **{name: self._dtype(target) for name, target in self.inputs.items()}}

    def _dtype(self, target: Target) -> DType:
        match target:
            case ScalarReference(dtype=dtype):
                return dtype
            case Pointer(array=array):
                return array.dtype
            case Access(data=data):
                return self.scope.types[data]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Give a name its meaning."""
        if node.id in self.locals:
            return ast.Name(self.locals[node.id], ast.Load())
        if node.id in self.inputs:
            return self._target(node.id)
        if node.id in self.scope.environment:
            return ast.parse(python_text(self.scope.environment[node.id]), mode="eval").body
        if node.id in self.scope.sdfg.constants and np.ndim(self.scope.sdfg.constants[node.id]) == 0:
            return ast.parse(repr(np.asarray(self.scope.sdfg.constants[node.id]).item()), mode="eval").body
        if node.id in _CONSTANTS and node.id not in self.scope.sdfg.symbols:
            return ast.parse(f"math.{node.id}", mode="eval").body
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A function's own name is not a variable; ``decltype(x)(value)`` is a cast to the type of x."""
        if isinstance(node.func, ast.Call) and ast.unparse(node.func.func) == "decltype":
            node.func = ast.parse(f"dace.{self.dtype(node.func.args[0]).name}", mode="eval").body
        if isinstance(node.func, ast.Name):  # __int_floor is what DaCe makes of //, and int_floor otherwise
            node.func = ast.Name(node.func.id.removeprefix("__"), ast.Load())
        node.args = [self.visit(argument) for argument in node.args]
        if isinstance(node.func, ast.Attribute) and not is_module_path(node.func):
            node.func.value = self.visit(node.func.value)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """``x is True`` compares. Raises Unsupported for ``x is None``: only the host knows what it was given."""
        for place, (operator, other) in enumerate(zip(node.ops, node.comparators, strict=True)):
            if isinstance(operator, (ast.Is, ast.IsNot)):
                if isinstance(other, ast.Constant) and other.value is None:
                    raise Unsupported(
                        f"the test '{ast.unparse(node)}' of an optional argument",
                        hints=("write a program for each case, or pass an array always",),
                    )
                node.ops[place] = ast.Eq() if isinstance(operator, ast.Is) else ast.NotEq()
        self.generic_visit(node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """``math.pi`` is a constant; ``x.real`` a part of x."""
        if not is_module_path(node):
            node.value = self.visit(node.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """An element of a connector that stands for several. Raises Unsupported for a subscript of anything else."""
        if isinstance(node.value, ast.Name) and node.value.id in self.scope.sdfg.constants:
            return self._read(self._constant_element(node, node.value.id))
        if not isinstance(node.value, ast.Name) or node.value.id not in self.inputs:
            raise Unsupported(f"the subscript '{ast.unparse(node)}'")
        if isinstance(self.inputs[node.value.id], ScalarReference) and _is_origin(node):
            return self._target(node.value.id)
        return self._read(self.element(node))

    def _constant_element(self, node: ast.Subscript, name: str) -> Access:
        """An element of a compile-time constant array, which tasklets may name without a connector."""
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return self.scope.array(name).access(tuple(self._index(part) for part in parts))

    def element(self, node: ast.Subscript) -> Access:
        """The element that a subscript of a connector names. Raises Unsupported for [i] of a single element, i ≠ 0."""
        assert isinstance(node.value, ast.Name)
        target = self.inputs[node.value.id]
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(target, Access) and _is_origin(node):
            return target
        if not isinstance(target, Pointer):
            raise Unsupported(f"the subscript '{ast.unparse(node)}' of a single element")
        return target.access(tuple(self._index(part) for part in parts))

    def _index(self, node: ast.expr) -> Expr:
        if self._is_plain(node):
            renamed = {old: symbol(new) for old, new in self.locals.items()}
            renamed.update({name: symbol(t.name) for name, t in self.inputs.items() if isinstance(t, ScalarReference)})
            return Scope(self.scope.sdfg, self.scope.names, {}, {**self.scope.environment, **renamed}).index(
                ast.unparse(node)
            )
        inner = Expression(self.scope, self.inputs, self.types, self.before, [], self.locals)
        name = self.scope.names.fresh("index")
        self.before.append(Declare(name, np.dtype(np.int32), inner.code(node)))
        return symbol(name)

    def _is_plain(self, node: ast.expr) -> bool:
        memory = {name for name, target in self.inputs.items() if not isinstance(target, ScalarReference)}
        allowed = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)
        return all(isinstance(n, allowed) and not (isinstance(n, ast.Name) and n.id in memory) for n in ast.walk(node))

    def _target(self, name: str) -> ast.expr:
        target = self.inputs[name]
        if isinstance(target, ScalarReference):
            return ast.Name(target.name, ast.Load())
        if isinstance(target, Pointer):
            if target.rank:
                raise Unsupported(f"the connector '{name}' stands for several elements and is not indexed")
            return self._read(target.access(()))
        return self._read(target)

    def _read(self, access: Access) -> ast.expr:
        known = next((name for name, other in self.reads if other == access), None)
        if known is None:
            known = f"_{len(self.reads)}"
            self.reads.append((known, access))
        return ast.Name(known, ast.Load())


def _is_origin(node: ast.Subscript) -> bool:
    """Whether all indices are 0."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return all(isinstance(part, ast.Constant) and part.value == 0 for part in parts)


def lower_expression(text: str, scope: Scope, inputs: Mapping[str, Target]) -> tuple[list[Statement], Code]:
    """An expression of control flow or of an interstate edge: what must run before, and its code. Raises
    Unsupported.
    """
    rewriter = Expression(scope, inputs, dict(scope.types))
    code = rewriter.code(ast.parse(text.strip(), mode="eval").body)
    return rewriter.before, code


def lower_tasklet(
    body: Sequence[ast.stmt], scope: Scope, inputs: Mapping[str, Target], outputs: Mapping[str, Sequence[Output]]
) -> list[Statement]:
    """The statements of a tasklet. Raises Unsupported."""
    return _Tasklet(scope, inputs, outputs).lower(body)


class _Tasklet:
    def __init__(self, scope: Scope, inputs: Mapping[str, Target], outputs: Mapping[str, Sequence[Output]]) -> None:
        self.scope = scope
        self.outputs = outputs
        self.inputs = dict(inputs)
        self.held: dict[str, str] = {}  # outputs that are collected in a local scalar and stored at the end
        written = {name: places[0].dtype for name, places in outputs.items()}
        self.rewriter = Expression(scope, self.inputs, {**scope.types, **written})

    def lower(self, body: Sequence[ast.stmt]) -> list[Statement]:
        """The statements of a tasklet's body, and the stores of the outputs it held in local scalars."""
        result: list[Statement] = []
        self.local_types = local_types(body, self.rewriter.known_types())
        if not _is_single_assignment(body):
            result += self._hold_inputs()
            result += self._hold_outputs(body)
        self._let_outputs_be_read(body)
        result += self._statements(body)
        for output, name in self.held.items():
            result += self._stores(output, Code(name))
        return result

    def _hold_inputs(self) -> list[Statement]:
        """Inputs are read before anything is written."""
        written = {o.target.data for outs in self.outputs.values() for o in outs if isinstance(o.target, Access)}
        result: list[Statement] = []
        for name, target in list(self.inputs.items()):
            if isinstance(target, Access) and target.data in written:
                dtype = self.scope.types[target.data]
                local = self.scope.names.fresh(name)
                result.append(Declare(local, dtype, Code("_0", (("_0", target),))))
                self.inputs[name] = ScalarReference(local, dtype)
                self.rewriter.inputs = self.inputs
        return result

    def _hold_outputs(self, body: Sequence[ast.stmt]) -> list[Statement]:
        result: list[Statement] = []
        for output, places in self.outputs.items():
            if any(isinstance(place.target, Pointer) or place.dynamic for place in places):
                continue
            local = self.scope.names.fresh(output)
            self.held[output] = local
            self.rewriter.locals[output] = local
            self.rewriter.types[output] = places[0].dtype
            self.scope.types[local] = places[0].dtype
            result.append(Declare(local, places[0].dtype, None, constant=False))
        return result

    def _let_outputs_be_read(self, body: Sequence[ast.stmt]) -> None:
        """An output that is read, and not held, stands for its place in memory."""
        for name in sorted(names_read(body) & set(self.outputs) - set(self.inputs) - set(self.held)):
            place = self.outputs[name][0]
            if place.reduction is not None or isinstance(place.target, Stream):
                kind = "a stream" if isinstance(place.target, Stream) else "a reduction"
                raise Unsupported(f"a tasklet that reads its output '{name}', which is {kind},")
            self.inputs[name] = place.target
        self.rewriter.inputs = self.inputs

    def _statements(self, body: Sequence[ast.stmt]) -> list[Statement]:
        return [statement for node in body for statement in self._statement(node)]

    def _statement(self, node: ast.stmt) -> list[Statement]:
        match node:
            case ast.Assign():
                return self._assignments([pair for target in node.targets for pair in matched(target, node.value)])
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return self._assignment(target, value)
            case ast.AugAssign(target=target):
                return self._assignment(target, ast.BinOp(_loaded(target), node.op, node.value))
            case ast.If():
                test = self._code(node.test)
                return [*test[0], If(test[1], tuple(self._statements(node.body)), tuple(self._statements(node.orelse)))]
            case ast.While(orelse=[]):
                before, test_code = self._code(node.test)
                if before:
                    raise Unsupported("a while loop in a tasklet whose condition reads memory through an index")
                return [While(test_code, tuple(self._statements(node.body)))]
            case ast.For(orelse=[]):
                return self._for(node)
            case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None):
                return []
            case ast.Expr(value=ast.Call() as call) if ast.unparse(call.func) in _PARTS:
                return self._parts(call)
            case _:
                raise Unsupported(f"the statement '{ast.unparse(node)}' in a tasklet")

    def _assignments(self, pairs: Sequence[tuple[ast.expr, ast.expr]]) -> list[Statement]:
        """Assignments at once: all values are computed before anything is assigned."""
        if len(pairs) == 1:
            return self._assignment(*pairs[0])
        for name in (ast.unparse(target).partition("[")[0] for target, _ in pairs):
            if any(place.reduction is not None for place in self.outputs.get(name, ())):  # DaCe: what it held before
                raise Unsupported(f"an assignment to several names, of which '{name}' is a reduction,")
        first: list[Statement] = []
        second: list[Statement] = []
        for target, value in pairs:
            held = f"__value_{len(self.rewriter.locals)}"
            first += self._local(held, value, *self._code(value))
            second += self._assignment(target, ast.Name(held, ast.Load()))
        return first + second

    def _parts(self, call: ast.Call) -> list[Statement]:
        """A function of DaCe that assigns two outputs, the last of its arguments, as two assignments."""
        operands = [f"({ast.unparse(argument)})" for argument in call.args[:-2]]
        texts = (form.format(*operands) for form in _PARTS[ast.unparse(call.func)])
        values = [ast.parse(text, mode="eval").body for text in texts]
        pairs = zip(call.args[-2:], values, strict=True)
        return [statement for output, value in pairs for statement in self._assignment(output, value)]

    def _for(self, node: ast.For) -> list[Statement]:
        call = node.iter
        if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "range" and isinstance(node.target, ast.Name)):
            raise Unsupported(f"the loop over '{ast.unparse(call)}' in a tasklet")
        bounds = [self.rewriter._index(argument) for argument in call.args]
        begin, end, step = {1: (0, *bounds, 1), 2: (*bounds, 1), 3: tuple(bounds)}[len(bounds)]
        name = self.scope.names.fresh(node.target.id)
        self.rewriter.locals[node.target.id] = name
        body = tuple(self._statements(node.body))
        return [For(name, sympy.sympify(begin), sympy.sympify(end), sympy.sympify(step), body)]

    def _code(self, node: ast.expr) -> tuple[list[Statement], Code]:
        self.rewriter.before = []
        code = self.rewriter.code(node)
        return self.rewriter.before, code

    def _assignment(self, target: ast.expr, value: ast.expr) -> list[Statement]:
        if isinstance(target, ast.Tuple):
            raise Unsupported("an assignment to several names in a tasklet")
        before, code = self._code(value)
        if isinstance(target, ast.Subscript):
            return [*before, *self._store_element(target, code)]
        assert isinstance(target, ast.Name)
        if target.id in self.held:
            return [*before, Assign(self.held[target.id], code)]
        if target.id in self.outputs:
            return [*before, *self._stores(target.id, code)]
        return self._local(target.id, value, before, code)

    def _local(self, name: str, value: ast.expr, before: list[Statement], code: Code) -> list[Statement]:
        if name in self.rewriter.locals:
            return [*before, Assign(self.rewriter.locals[name], code)]
        dtype = self.local_types[name] if name in self.local_types else self.rewriter.dtype(value)
        local = self.scope.names.fresh(name)
        self.rewriter.locals[name] = local
        self.rewriter.types[name] = dtype
        self.scope.types[local] = dtype
        return [*before, Declare(local, dtype, None, constant=False), Assign(local, code)]

    def _store_element(self, target: ast.Subscript, code: Code) -> list[Statement]:
        name = target.value.id if isinstance(target.value, ast.Name) else ""
        if name not in self.outputs:
            raise Unsupported(f"the assignment to '{ast.unparse(target)}' in a tasklet")
        result: list[Statement] = []
        for output in self.outputs[name]:
            if isinstance(output.target, Stream):
                raise Unsupported(f"the assignment to '{ast.unparse(target)}' of a stream")
            rewriter = Expression(
                self.scope, {**self.inputs, name: output.target}, self.rewriter.types, result, [], self.rewriter.locals
            )
            result.append(Store(rewriter.element(target), code, output.reduction))
        return result

    def _stores(self, output: str, code: Code) -> list[Statement]:
        places = self.outputs[output]
        result: list[Statement] = []
        if len(places) > 1 and not code.text.isidentifier():
            local = self.scope.names.fresh(output)
            self.scope.types[local] = places[0].dtype
            result.append(Declare(local, places[0].dtype, code))
            code = Code(local)
        return result + [statement for place in places for statement in self._store(place, code)]

    def _store(self, place: Output, code: Code) -> list[Statement]:
        if not isinstance(place.target, Stream):
            return [_store(place, code)]
        name = self.scope.names.fresh("place")
        self.scope.types[name] = np.dtype(np.int32)
        return place.target.push(code, name)


def _store(place: Output, code: Code) -> Statement:
    match place.target:
        case ScalarReference(name=name):
            return Assign(name, code, place.reduction)
        case Pointer(rank=0):
            return Store(place.target.access(()), code, place.reduction)
        case Access():
            return Store(place.target, code, place.reduction)
        case _:
            raise Unsupported("a connector that stands for several elements is assigned without an index")


def _is_single_assignment(body: Sequence[ast.stmt]) -> bool:
    return len(body) == 1 and isinstance(body[0], ast.Assign)


def _loaded(target: ast.expr) -> ast.expr:
    copy = _copy(target)
    copy.ctx = ast.Load()  # type: ignore[attr-defined]
    return copy


def _copy(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body
