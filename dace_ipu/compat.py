"""The only module that touches DaCe's internals.

DaCe offers registries for targets, enum members and hooks, but several of the objects behind them are not part of its
public interface and have moved between releases. Everything of that kind is imported, wrapped and explained here, and
the rest of the package imports it from here (a lint rule keeps it so). Tested against DaCe 2.0.0b1.
"""

from __future__ import annotations

import ast
import shlex
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import dace
import networkx
import numpy as np
from dace import data, dtypes, hooks, subsets, symbolic
from dace.attr_enum import ExtensibleAttributeEnum
from dace.codegen import compiler, compiler_family
from dace.codegen.codeobject import CodeObject
from dace.codegen.common import sym2cpp
from dace.codegen.compiled_sdfg import CompiledSDFG
from dace.codegen.dispatcher import DefinedType, TargetDispatcher
from dace.codegen.instrumentation.provider import InstrumentationProvider
from dace.codegen.prettycode import CodeIOStream
from dace.codegen.target import IllegalCopy, TargetCodeGenerator, make_absolute
from dace.codegen.targets.cpp import mangle_dace_state_struct_name, ptr
from dace.codegen.targets.cpu import CPUCodeGen
from dace.codegen.targets.framecode import DaCeCodeGenerator
from dace.config import Config
from dace.frontend.common.op_repository import Replacements
from dace.frontend.operations import detect_reduction_type
from dace.frontend.python import newast
from dace.frontend.python.common import DaceSyntaxError
from dace.frontend.python.nested_call import NestedCall
from dace.frontend.python.newast import ProgramVisitor
from dace.frontend.python.parser import DaceProgram
from dace.frontend.python.replacements import misc, operators, reduction, ufunc
from dace.frontend.python.replacements.utils import complex_to_scalar, simple_call, sym_type
from dace.memlet import Memlet
from dace.properties import CodeBlock
from dace.sdfg import nodes
from dace.sdfg import utils as sdfg_utils
from dace.sdfg.replace import replace_datadesc_names
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import ControlFlowBlock, ControlFlowRegion, LoopRegion, SDFGState
from dace.sdfg.type_inference import infer_expr_type
from dace.transformation.auto import auto_optimize as _auto_optimize_module
from dace.transformation.dataflow.redundant_array import RedundantArray, RedundantSecondArray
from dace.transformation.passes.analysis import loop_analysis
from dace.transformation.passes.lift_trivial_if import LiftTrivialIf

__all__ = [
    "CPUCodeGen",
    "CodeIOStream",
    "CodeObject",
    "CompiledSDFG",
    "Config",
    "DaCeCodeGenerator",
    "DaceProgram",
    "DefinedType",
    "IllegalCopy",
    "InstrumentationProvider",
    "Precompiling",
    "REGISTER",
    "TargetCodeGenerator",
    "TargetDispatcher",
    "constant_stride",
    "dynamic_map_inputs",
    "exported_function",
    "extend_config",
    "infer_dtype",
    "install_compiled_call_hook",
    "is_initialized",
    "is_written",
    "loop_range",
    "mangle_dace_state_struct_name",
    "mark_used",
    "precompiling",
    "reduction_type",
    "register_extension",
    "register_member",
    "set_scope_defaults",
    "side_effects",
    "source_subset",
    "state_pointer",
    "sym2cpp",
    "target_subset",
    "use_environment",
    "uses_symbol",
    "view_edge",
    "wrap_auto_optimize",
    "wrap_can_access",
    "wrap_compile",
    "wrap_finalize",
    "wrap_guard_ranges",
    "wrap_specialized_key",
]

#: ``StorageType.Register``, which DaCe declares as a template with fields: a class, not a member, to a type checker.
REGISTER = dtypes.StorageType["Register"]

Member = TypeVar("Member", bound=ExtensibleAttributeEnum)
Function = Callable[..., Any]

# One lock for all registration: two threads may import the package, or reload it, at the same time.
_lock = threading.RLock()

# ----------------------------------------------------------------------------------------------------------------------
# Enumerations and tables


def register_member(enum: type[Member], name: str) -> Member:
    """Return the member ``name`` of one of DaCe's extensible enumerations, adding it if it is new.

    ``ExtensibleAttributeEnum.register`` raises ``ValueError`` on the second call, and neither ``enum[name]`` nor
    ``getattr`` can tell "missing" from an error without raising, so the member table is asked directly.
    """
    with _lock:
        known = enum._member_map_.get(name)
        return cast(Member, known if known is not None else enum.register(name))


def set_scope_defaults(
    schedule: dtypes.ScheduleType, storage: dtypes.StorageType, inner_schedule: dtypes.ScheduleType
) -> None:
    """Say what data and maps directly inside a scope of ``schedule`` get when they ask for the default.

    The two tables are plain dictionaries without a registration function.
    """
    dtypes.SCOPEDEFAULT_STORAGE[schedule] = storage
    dtypes.SCOPEDEFAULT_SCHEDULE[schedule] = inner_schedule


# ----------------------------------------------------------------------------------------------------------------------
# Registries


class _Registry(Protocol):
    """A class made extensible by ``dace.registry.make_registry``, which attaches these at run time."""

    extensions: Callable[[], dict[type, dict[str, Any]]]
    register: Callable[..., None]
    unregister: Callable[[type], None]


def register_extension(base: type, extension: type, **parameters: object) -> None:
    """Register ``extension`` with one of DaCe's extensible classes, replacing an earlier one with the same parameters.

    DaCe instantiates every registered class and keeps no track of names, so a module that is reloaded would leave two
    code generators called 'ipu' that both claim the same maps.
    """
    registry = cast(_Registry, base)
    with _lock:
        stale = [cls for cls, known in registry.extensions().items() if known == parameters and cls is not extension]
        for cls in stale:
            registry.unregister(cls)
        registry.register(extension, **parameters)


# ----------------------------------------------------------------------------------------------------------------------
# Configuration


def extend_config(schema_file: str) -> None:
    """Merge a configuration schema into DaCe's, for the calling thread.

    ``Config`` keeps its data in a ``threading.local``; merging the same file twice changes nothing.
    """
    Config.extend(schema_file)


# ----------------------------------------------------------------------------------------------------------------------
# Wrapped functions


def _replace_function(module: Any, name: str, make: Callable[[Function], Function]) -> None:
    """Replace ``module.name`` by ``make(original)``. A second call wraps the original again, never the wrapper."""
    with _lock:
        current = getattr(module, name)
        original = getattr(current, "__dace_ipu_original__", current)
        wrapper = make(original)
        wrapper.__dace_ipu_original__ = original  # type: ignore[attr-defined]
        setattr(module, name, wrapper)


def wrap_can_access(make: Callable[[Function], Function]) -> None:
    """Wrap ``dtypes.can_access(schedule, storage)``, a closed chain of conditions that answers ``False`` or ``None``
    for members it does not know. Every caller in DaCe looks it up on the module, so this reaches all of them.
    """
    _replace_function(dtypes, "can_access", make)


def wrap_auto_optimize(make: Callable[[Function], Function]) -> None:
    """Wrap ``auto_optimize(sdfg, device, ...)``, which silently optimises for the CPU when it does not know a device.

    ``DaceProgram.auto_optimize`` and ``SDFG.auto_optimize`` both look the function up on the module when they are
    called. A program that imported the function itself before ``dace_ipu`` keeps the original.
    """
    _replace_function(_auto_optimize_module, "auto_optimize", make)


def wrap_compile(make: Callable[[Function], Function]) -> None:
    """Wrap ``SDFG.compile``, which calls, decorated programs and users all go through."""
    _replace_function(SDFG, "compile", make)


def wrap_specialized_key(make: Callable[[Function], Function]) -> None:
    """Wrap ``DaceProgram._specialized_key(cachekey, sdfg, arguments, ...)``.

    It is the key under which an auto-optimised program is kept. DaCe counts the values of symbols in, because its own
    ``auto_optimize`` makes constants of them.
    """
    _replace_function(DaceProgram, "_specialized_key", make)


def wrap_guard_ranges(make: Callable[[Function], Function]) -> None:
    """Wrap ``LiftTrivialIf._loop_iter_ranges(block)``, which returns the ranges of the counters around a block."""
    _replace_function(LiftTrivialIf, "_loop_iter_ranges", make)


def wrap_result_type(make: Callable[[Function], Function]) -> None:
    """Wrap ``result_type(arguments, operator)`` of the frontend: the type of an operation, and the casts before it."""
    _replace_function(operators, "result_type", make)


def wrap_visit_assign(make: Callable[[Function], Function]) -> None:
    """Wrap ``ProgramVisitor._visit_assign(node, target, operator)``, which parses an assignment."""
    _replace_function(ProgramVisitor, "_visit_assign", make)


def wrap_second_copy(make: Callable[[Function], Function]) -> None:
    """Wrap ``RedundantSecondArray.can_be_applied(state, ...)``: whether ``in_array`` may stand for its copy."""
    _replace_function(RedundantSecondArray, "can_be_applied", make)


def wrap_aug_assignment(make: Callable[[Function], Function]) -> None:
    """Wrap ``ProgramVisitor._add_aug_assignment(node, rtarget, wtarget, operand, op, boolarr, indirect_indices)``."""
    _replace_function(ProgramVisitor, "_add_aug_assignment", make)


def wrap_assignment(make: Callable[[Function], Function]) -> None:
    """Wrap ``ProgramVisitor._add_assignment(node, target, operand, op, boolarr, indirect_indices)``."""
    _replace_function(ProgramVisitor, "_add_assignment", make)


def add_state(visitor: Any, label: str) -> SDFGState:
    """A new state where the frontend stands. ``_add_state`` is the only way to one."""
    return cast(SDFGState, visitor._add_state(label))


def wrap_first_copy(make: Callable[[Function], Function]) -> None:
    """Wrap ``RedundantArray.can_be_applied(state, ...)``: whether ``out_array`` may stand for its original."""
    _replace_function(RedundantArray, "can_be_applied", make)


def has_path(state: SDFGState, first: nodes.Node, second: nodes.Node) -> bool:
    """Whether ``second`` runs after ``first`` in a state."""
    return bool(networkx.has_path(state.nx, first, second))


def add_visit(kind: str, visit: Callable[[Any, Any], None]) -> None:
    """Let the frontend's visitor know a kind of statement, if it does not."""
    with _lock:
        if not hasattr(ProgramVisitor, f"visit_{kind}"):
            setattr(ProgramVisitor, f"visit_{kind}", visit)


def syntax_error(visitor: Any, node: ast.AST, message: str) -> Exception:
    """The frontend's error about a place in a program."""
    return DaceSyntaxError(visitor, node, message)


def wrap_parse(make: Callable[[Function], Function]) -> None:
    """Wrap ``parse_dace_program(...)``, which makes an SDFG of a function, not simplified yet."""
    _replace_function(newast, "parse_dace_program", make)


def wrap_replacement(name: str, make: Callable[[Function], Function]) -> None:
    """Wrap what the frontend has for a call of ``name``: a function of the visitor, the SDFG, a state and arguments."""
    with _lock:
        current = Replacements._rep[name]
        original = getattr(current, "__dace_ipu_original__", current)
        wrapper: Any = make(original)
        wrapper.__dace_ipu_original__ = original
        Replacements._rep[name] = wrapper


def set_replacement(name: str, function: Function) -> None:
    """Let the frontend put ``function(visitor, sdfg, state, ...)`` in place of a call of ``name``."""
    with _lock:
        Replacements._rep[name] = function


def set_method(name: str, function: Function) -> None:
    """Let the frontend put ``function(visitor, sdfg, state, array, ...)`` in place of a method of a container."""
    with _lock:
        for kind in ("Array", "Scalar", "View"):
            Replacements._method_rep[kind, name] = function


def add_replacement(name: str, function: Function) -> None:
    """As :func:`set_replacement`, where DaCe has nothing of its own."""
    current = Replacements._rep.get(name)
    if current is None or current.__module__ == function.__module__:
        set_replacement(name, function)


def add_method(name: str, function: Function) -> None:
    """As :func:`set_method`, where DaCe has nothing of its own."""
    current = Replacements._method_rep.get(("Array", name))
    if current is None or current.__module__ == function.__module__:
        set_method(name, function)


def wrap_ufunc_reduction(make: Callable[[Function], Function]) -> None:
    """Wrap ``implement_ufunc_reduce(visitor, tree, sdfg, state, ufunc_name, arguments, options)``."""
    _replace_function(ufunc, "implement_ufunc_reduce", make)
    Replacements._ufunc_rep["reduce"] = ufunc.implement_ufunc_reduce


def reduce(visitor: Any, sdfg: SDFG, state: SDFGState, function: str, array: str, **options: Any) -> Any:
    """Let the frontend reduce an array; it returns the name of the result."""
    return reduction.reduce(visitor, sdfg, state, function, array, **options)


def reduce_by_ufunc(visitor: Any, sdfg: SDFG, state: SDFGState, name: str, array: str, options: dict[str, Any]) -> Any:
    """Let the frontend reduce an array by a ufunc; it returns the name of the result."""
    return ufunc.implement_ufunc_reduce(visitor, None, sdfg, state, name, [array], options)[0]


def apply_ufunc(visitor: Any, sdfg: SDFG, state: SDFGState, name: str, *operands: Any) -> Any:
    """Let the frontend apply a ufunc to containers and numbers; it returns the name of the result."""
    return ufunc.implement_ufunc(visitor, None, sdfg, state, name, list(operands), {})[0]


def elementwise(visitor: Any, sdfg: SDFG, state: SDFGState, function: str, array: str) -> Any:
    """Let the frontend apply a function to each element; it returns the name of the result."""
    return misc.elementwise(visitor, sdfg, state, function, array)


def nested_call(visitor: Any, sdfg: SDFG, state: SDFGState) -> Any:
    """What the frontend makes of several steps: call it with a function to have its step in a state behind the last."""
    return NestedCall(visitor, sdfg, state)


def call_of_real_result(visitor: Any, sdfg: SDFG, state: SDFGState, name: str, function: str) -> Any:
    """Let the frontend call a function of the complex container ``name`` whose results are real numbers."""
    return simple_call(visitor, sdfg, state, name, function, complex_to_scalar(sdfg.arrays[name].dtype))


def copy_of_scalar(visitor: Any, name: str) -> str | None:
    """Let the frontend copy the scalar ``name`` of the program to a new one and return that; None if it is none of the
    program's own.
    """
    desc = visitor.sdfg.arrays.get(name)
    if not isinstance(desc, data.Scalar) or not desc.transient:
        return None
    new, new_desc = visitor.sdfg.add_scalar(name, desc.dtype, transient=True, find_new_name=True)
    state = add_state(visitor, f"copy_{name}")
    state.add_nedge(state.add_read(name), state.add_write(new), Memlet.from_array(new, new_desc))
    return str(new)


def operand_type(operand: Any) -> Any:
    """Return DaCe's type of an operand that is no number: a container, a type or a symbolic expression."""
    if isinstance(operand, dtypes.typeclass):
        return operand
    return sym_type(operand) if symbolic.issymbolic(operand) else operand.dtype


def wrap_finalize(make: Callable[[Function], Function]) -> None:
    """Wrap ``CompiledSDFG.finalize``, which destroys a program's state. ``__del__`` calls it before it unloads."""
    _replace_function(CompiledSDFG, "finalize", make)


# ----------------------------------------------------------------------------------------------------------------------
# Calls of compiled programs


def install_compiled_call_hook(
    name: str, hook: Callable[[CompiledSDFG, tuple[Any, ...]], AbstractContextManager[None]]
) -> None:
    """Run the context manager ``hook`` around every call of a compiled program; one hook for each ``name``.

    DaCe numbers its hooks and cannot say which are installed, hence the look into its list. (The configuration key
    ``compiled_sdfg_call_hooks`` installs into the list of the other kind of hook, so it is of no use.)
    """
    hook.__dace_ipu_hook__ = name  # type: ignore[attr-defined]
    with _lock:
        installed: list[Any] = hooks._COMPILED_SDFG_CALL_HOOKS
        for index, known in enumerate(installed):
            if getattr(known, "__dace_ipu_hook__", None) == name:
                installed[index] = hook
                return
        hooks.register_compiled_sdfg_call_hook(context_manager=cast(Any, hook))  # annotated as what it returns


def exported_function(program: CompiledSDFG, name: str, restype: Any) -> Function | None:
    """Return the function ``name`` of a program's library with the ctypes result type ``restype``, or ``None``.

    Valid until the library is unloaded, which DaCe does when a call raises one of several common exceptions: look the
    function up again for each call.
    """
    return program.get_exported_function(name, restype=restype)


def is_initialized(program: CompiledSDFG) -> bool:
    """Whether a program has a state: from its first call until it is finalized or a call fails."""
    return program._initialized is True


def state_pointer(program: CompiledSDFG) -> Any:
    """Return the ``ctypes.c_void_p`` to the state struct of a program; null before its first call."""
    return program._libhandle


# ----------------------------------------------------------------------------------------------------------------------
# Code generation


def use_environment(dispatcher: TargetDispatcher, full_class_path: str) -> None:
    """Activate a library environment for the program that is being generated (headers, state fields).

    DaCe only does it for library nodes and tasklets that name their environments; a code generator has no other way.
    """
    dispatcher._used_environments.add(full_class_path)


def mark_used(dispatcher: TargetDispatcher, target: TargetCodeGenerator) -> None:
    """Count ``target`` among those that generated code.

    DaCe asserts, without a message, that the targets it found by a static search are the targets reached through its
    ``dispatch_*`` functions. A generator that walks the inside of its scopes by itself has to say so.
    """
    dispatcher._used_targets.add(target)


# ----------------------------------------------------------------------------------------------------------------------
# Analysis


def reduction_type(wcr: Any) -> dtypes.ReductionType | None:
    """Return the kind of a write-conflict resolution (a lambda as text or AST), ``Custom`` if it is none of the known.

    Returns None if there is no resolution. The function behind it sits in DaCe's Python frontend, without types.
    """
    return cast("dtypes.ReductionType | None", detect_reduction_type(wcr))


def infer_dtype(expression: str, types: Mapping[str, np.dtype[Any]]) -> np.dtype[Any]:
    """Return the type of a Python expression, given the types of the names in it (float32 where DaCe cannot tell)."""
    known = {name: dtypes.dtype_to_typeclass(dtype.type) for name, dtype in types.items()}
    inferred = infer_expr_type(expression, known)
    return np.dtype(np.float32 if inferred is None else inferred.type)


def symbol_type(sdfg: SDFG, name: str) -> np.dtype[Any]:
    """Return the type of a symbol: what the SDFG says, else that of what edges assign to it, else int32."""
    if name in sdfg.symbols:
        return numpy_type(sdfg.symbols[name])
    assigned = (edge.data.new_symbols(sdfg, sdfg.symbols).get(name) for edge in sdfg.all_interstate_edges())
    found: Any = next((dtype for dtype in assigned if dtype is not None), dtypes.int32)
    result: np.dtype[Any] = np.dtype(found.type)
    return result


def view_edge(state: SDFGState, node: nodes.AccessNode) -> Any:
    """Return the edge that ties a view to what it views, or None."""
    return sdfg_utils.get_view_edge(state, node)


def source_subset(edge: Any, state: SDFGState) -> subsets.Range | None:
    """Return the part of the source container that an edge between access nodes reads, or None if it does not say."""
    return cast("subsets.Range | None", edge.data.get_src_subset(edge, state))


def target_subset(edge: Any, state: SDFGState) -> subsets.Range | None:
    """Return the part of the target container that an edge between access nodes writes, or None if it does not say."""
    return cast("subsets.Range | None", edge.data.get_dst_subset(edge, state))


def dynamic_map_inputs(state: SDFGState, entry: nodes.MapEntry) -> list[Any]:
    """Return the edges that carry values which the range of a map uses, in the order of their connectors."""
    edges = sdfg_utils.dynamic_map_inputs(state, entry)
    return sorted(edges, key=lambda edge: str(edge.dst_conn))


def constant_stride(loop: LoopRegion) -> int:
    """The step of a counted loop; 0 if it is no number or the loop is not counted."""
    stride: Any = loop_analysis.get_loop_stride(loop)
    return int(stride) if isinstance(stride, int) or getattr(stride, "is_Integer", False) else 0


def loop_range(loop: LoopRegion) -> tuple[Any, Any, Any]:
    """Return begin, inclusive end and stride of a loop; None for each that cannot be told."""
    return (
        loop_analysis.get_init_assignment(loop),
        loop_analysis.get_loop_end(loop),
        loop_analysis.get_loop_stride(loop),
    )


def uses_symbol(loop: LoopRegion, name: str) -> bool:
    """Whether anything inside a loop uses the symbol ``name``."""
    used = {str(s) for block in loop.nodes() for s in block.used_symbols(all_symbols=True)}
    used |= {str(s) for edge in loop.edges() for s in edge.data.free_symbols}
    return name in used


def is_written(sdfg: SDFG, name: str, host_copy: str) -> bool:
    """Whether anything but the copy of ``host_copy`` writes the container ``name``."""
    return any(
        not (isinstance(edge.src, nodes.AccessNode) and edge.src.data == host_copy)
        for state in sdfg.states()
        for node in state.data_nodes()
        if node.data == name
        for edge in state.in_edges(node)
    )


def side_effects(tasklet: nodes.Tasklet) -> bool:
    """Whether a tasklet does more than compute its outputs (a callback, for instance)."""
    return bool(tasklet.side_effects) or any(
        isinstance(dtype, dtypes.callback)
        for dtype in (*tasklet.in_connectors.values(), *tasklet.out_connectors.values())
    )


def replace_containers(sdfg: SDFG, names: Mapping[str, str]) -> None:
    """Rename containers everywhere in an SDFG. (``SDFG.replace`` would turn a scalar into constant tasklets.)

    DaCe's function forgets the conditions of consume scopes.
    """
    replace_datadesc_names(sdfg, dict(names))
    for state in sdfg.states():
        for node in state.nodes():
            if isinstance(node, nodes.ConsumeEntry) and node.consume.condition is not None:
                renamed = [_Rename(names).visit(statement) for statement in node.consume.condition.code]
                node.consume.condition = CodeBlock(renamed, node.consume.condition.language)


def rename_in_code(tasklet: nodes.Tasklet, names: Mapping[str, str]) -> None:
    """Rename variables in the text of a tasklet in Python."""
    tasklet.code = CodeBlock([_Rename(names).visit(line) for line in tasklet.code.code], tasklet.language)


class _Rename(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node


def host_argument(frame: DaCeCodeGenerator, sdfg: SDFG, name: str) -> str:
    """Return the C++ expression, in the frame, of a host container: a pointer, or the value of a scalar."""
    return str(ptr(name, sdfg.arrays[name], sdfg, frame))


def register_copies(
    dispatcher: TargetDispatcher, storage: dtypes.StorageType, other: dtypes.StorageType, target: TargetCodeGenerator
) -> None:
    """Send copies between two storages, both ways and under any schedule, to ``target``."""
    any_schedule: Any = None  # which DaCe's annotations omit
    dispatcher.register_copy_dispatcher(storage, other, any_schedule, target)
    dispatcher.register_copy_dispatcher(other, storage, any_schedule, target)


def remove_block(graph: ControlFlowRegion, block: ControlFlowBlock) -> None:
    """Remove a block of any kind from a region. (DaCe's annotation says state.)"""
    graph.remove_node(cast(SDFGState, block))


def own_blocks(sdfg: SDFG) -> None:
    """Tell blocks that came from another SDFG, and the nested SDFGs in them, where they are now."""
    sdfg.reset_cfg_list()
    for state in sdfg.states():
        state.sdfg = sdfg
        for node in state.nodes():
            if isinstance(node, nodes.NestedSDFG):
                node.sdfg.parent_sdfg = sdfg
                node.sdfg.parent = state


def numpy_type(dtype: Any) -> np.dtype[Any]:
    """Return the NumPy type of a DaCe type. Raises TypeError or AttributeError if there is none."""
    plain: np.dtype[Any] = np.dtype(dtype.type)
    return plain


# ----------------------------------------------------------------------------------------------------------------------
# Compilation


@dataclass(frozen=True)
class Precompiling:
    """How a header is precompiled that DaCe's build can use: compiler, flags, and the folder of <dace/dace.h>."""

    compiler: str
    flags: tuple[str, ...]
    include: Path


def precompiling() -> Precompiling | None:
    """Return how DaCe compiles generated files, or None if it does not precompile headers or the compiler is not GCC.

    The flags are those of ``compiler.prepare_precompiled_header``, which predicts what CMake will give.
    """
    wanted = compiler.CACHES_SUPPORTED and Config.get_bool("compiler", "precompiled_header")
    executable = compiler_family.host_compiler()
    if not wanted or compiler_family.detect(executable) != "gnu":
        return None
    standard = f"-std=c++{Config.get('compiler', 'cpp_standard')}"
    flags = [
        standard,
        "-fPIC",
        "-fopenmp",
        *shlex.split(compiler_family.cpu_args() or ""),
        *compiler.build_type_flags(),
    ]
    include = Path(dace.__file__).parent / "runtime" / "include"
    return Precompiling(make_absolute(executable), tuple(flags), include)
