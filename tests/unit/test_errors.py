"""Diagnostics: places from DaCe's elements, the text, the collector, and the exceptions."""

from __future__ import annotations

import pickle

import dace
import pytest

from dace_ipu.errors import Diagnostic, DiagnosticCollector, DiagnosticError, IPURuntimeError, Place, render

N = dace.symbol("N")


@dace.program
def scale(x: dace.float32[N], y: dace.float32[N]):
    y[:] = 2 * x  # the line that places below point to


LINE = scale.f.__code__.co_firstlineno + 2


@pytest.fixture(scope="module")
def sdfg():
    return scale.to_sdfg()


@pytest.fixture
def state(sdfg):
    return next(state for state in sdfg.states() if state.nodes())


def node_of(state, kind):
    return next(node for node in state.nodes() if isinstance(node, kind))


# Places ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [dace.nodes.MapEntry, dace.nodes.MapExit, dace.nodes.Tasklet, dace.nodes.AccessNode])
def test_place_of_a_node(sdfg, state, kind):
    node = node_of(state, kind)
    name = node.data if kind is dace.nodes.AccessNode else node.label
    assert Place.of(node, sdfg, state) == Place(__file__, LINE, sdfg.name, state.label, name)


def test_place_of_an_edge_is_that_of_its_neighbours(sdfg, state):
    edge = state.out_edges(node_of(state, dace.nodes.MapEntry))[0]
    assert Place.of(edge, sdfg, state) == Place(__file__, LINE, sdfg.name, state.label, "x")


def test_place_of_a_state_is_that_of_its_contents(sdfg, state):
    assert Place.of(state) == Place(__file__, LINE, sdfg.name, state.label)


def test_place_of_a_loop():
    @dace.program
    def repeat(x: dace.float32[N]):
        for _ in range(4):
            x[:] = x + 1

    from dace.sdfg.state import LoopRegion

    graph = repeat.to_sdfg()
    loop = next(block for block in graph.nodes() if isinstance(block, LoopRegion))
    place = Place.of(loop)
    assert (place.file, place.line) == (__file__, repeat.f.__code__.co_firstlineno + 3)
    assert (place.sdfg, place.state, place.node) == (graph.name, loop.label, None)


def test_place_of_an_sdfg_is_its_definition(sdfg):
    assert Place.of(sdfg) == Place(__file__, LINE - 2, sdfg.name)


def test_place_without_source_is_known_by_names():
    built = dace.SDFG("built")
    with dace.config.set_temporary("compiler", "lineinfo", value="none"):
        state = built.add_state("main")
        node = state.add_access("x")
    place = Place.of(node, built, state)
    assert place == Place(None, None, "built", "main", "x")
    assert str(place) == "<unknown place>"
    assert place.in_graph == "SDFG 'built', state 'main', node 'x'"


@pytest.mark.parametrize("package", [dace, pytest.importorskip("dace_ipu")])
def test_lines_inside_dace_and_this_package_do_not_count(package, sdfg, state):
    node = dace.nodes.Tasklet("made_by_a_transformation")
    node.debuginfo = dace.dtypes.DebugInfo(1, filename=package.__file__)
    assert Place.of(node, sdfg, state).line == LINE


def test_place_below_the_working_directory_is_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert str(Place(str(tmp_path / "sub" / "prog.py"), 12)) == "sub/prog.py:12"
    assert str(Place("/elsewhere/prog.py", 12)) == "/elsewhere/prog.py:12"
    assert str(Place("/elsewhere/prog.py")) == "/elsewhere/prog.py"


# Text -----------------------------------------------------------------------------------------------------------------


def test_render_everything(tmp_path, monkeypatch):
    (tmp_path / "prog.py").write_text("import dace\n    y[:] = a * x + y\n")
    monkeypatch.chdir(tmp_path)
    diagnostic = Diagnostic(
        Place(str(tmp_path / "prog.py"), 2, "axpy", "compute", "y"),
        "'y' is float64, which does not exist on the IPU",
        notes=("the machine computes in float32 and float16",),
        hints=("OffloadToIPU(float64='float32') converts\non the way in and out", "or declare it as float32"),
    )
    assert render([diagnostic]) == (
        "prog.py:2: error: 'y' is float64, which does not exist on the IPU\n"
        "    y[:] = a * x + y\n"
        "    in SDFG 'axpy', state 'compute', node 'y'\n"
        "  note: the machine computes in float32 and float16\n"
        "  hint: OffloadToIPU(float64='float32') converts\n"
        "        on the way in and out\n"
        "  hint: or declare it as float32"
    )
    assert str(diagnostic) == render([diagnostic])


def test_render_quotes_the_file_as_it_is_now(tmp_path):
    file = tmp_path / "prog.py"
    diagnostic = Diagnostic(Place(str(file), 1), "message")
    file.write_text("first\n")
    assert "    first" in render([diagnostic])
    file.write_text("second version\n")
    assert "    second version" in render([diagnostic])


def test_render_without_source_or_place():
    assert render([Diagnostic(Place("/nowhere/prog.py", 3), "message")]) == "/nowhere/prog.py:3: error: message"
    assert render([Diagnostic(Place(), "message", severity="note")]) == "<unknown place>: note: message"
    assert render([]) == ""


@pytest.mark.parametrize("message", ["", "two\nlines"])
def test_a_message_is_one_line(message):
    with pytest.raises(ValueError, match="one line of text"):
        Diagnostic(Place(), message)


# Collector and exceptions ---------------------------------------------------------------------------------------------


def test_the_collector_raises_once_with_everything_in_source_order():
    found = DiagnosticCollector()
    found.error(Place(), "no place")
    found.error(Place("b.py", 1), "in b")
    found.note(Place("a.py", 20), "later in a", notes=["why"])
    found.error(Place("a.py", 3), "first on line 3", hints=["what"])
    found.error(Place("a.py", 3), "another on line 3")
    with pytest.raises(DiagnosticError) as error:
        found.raise_if_errors()
    messages = [diagnostic.message for diagnostic in error.value.diagnostics]
    assert messages == ["first on line 3", "another on line 3", "later in a", "in b", "no place"]
    assert str(error.value) == render(error.value.diagnostics)


def test_the_collector_keeps_a_finding_once():
    found = DiagnosticCollector()
    found.error(Place("a.py", 1), "same")
    found.extend([Diagnostic(Place("a.py", 1), "same"), Diagnostic(Place("a.py", 2), "same")])
    assert [diagnostic.place.line for diagnostic in found.diagnostics] == [1, 2]


def test_notes_alone_do_not_raise():
    found = DiagnosticCollector()
    found.note(Place(), "runs on one tile")
    assert not found.has_errors
    found.raise_if_errors()


def test_an_error_without_errors_is_refused():
    with pytest.raises(ValueError, match="at least one error"):
        DiagnosticError([Diagnostic(Place(), "only a note", severity="note")])


@pytest.mark.parametrize(
    "error", [DiagnosticError([Diagnostic(Place("a.py", 1), "message")]), IPURuntimeError("out of memory", "axpy")]
)
def test_exceptions_can_be_pickled(error):
    copied = pickle.loads(pickle.dumps(error))
    assert type(copied) is type(error)
    assert str(copied) == str(error)


def test_runtime_errors_name_the_program():
    assert str(IPURuntimeError("out of memory", "axpy")) == "program 'axpy': out of memory"
    assert str(IPURuntimeError("out of memory")) == "out of memory"


def test_runtime_errors_are_not_those_on_which_dace_unloads_a_library():
    for unloads in (RuntimeError, TypeError, UnboundLocalError, KeyError, ReferenceError):
        assert not issubclass(IPURuntimeError, unloads)


def test_the_module_needs_no_dace(run_python, repository):
    code = f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location('errors', {str(repository / "dace_ipu" / "errors.py")!r})
module = sys.modules['errors'] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
assert 'dace' not in sys.modules
"""
    run_python(code)
