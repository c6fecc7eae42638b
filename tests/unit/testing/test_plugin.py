"""The pytest plugin, in test suites of its own. What programs do is made up; ``test_record`` has a real one."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest

from dace_ipu.testing import golden
from dace_ipu.testing.record import Record

pytest_plugins = ["pytester"]

SUITE = """
    import numpy as np

    def doubled(x, y):
        y[:] = 2 * x

    def test_double(golden):
        golden({texts!r}, {{"x": np.arange(4.0), "y": np.zeros(4)}}, doubled)
"""
TEXTS = {"host.cpp": "int a;\nint b;\n", "codelets.cpp": "class V;\n"}


def pretended_record(program, arguments, symbols, build_folder, root) -> Record:
    """A program is given by its texts, and doubles x."""
    values = {**arguments, "y": np.asarray(2 * arguments["x"])}
    return Record(dict(program), values, {"y": values["y"]})


class Suite:
    """A folder with one test file, and pytest with only this plugin."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.golden = pytester.path / "golden"
        pytester.makeini("[pytest]\ntestpaths = .\n")

    def write(self, text: str = SUITE, texts: dict[str, str] = TEXTS, name: str = "test_it") -> None:
        code = textwrap.dedent(text).format(texts=texts)
        (self.pytester.path / f"{name}.py").write_text(code, encoding="utf-8")

    def run(self, *arguments: str) -> pytest.RunResult:
        return self.pytester.runpytest_inprocess("-p", "dace_ipu.testing.plugin", "-p", "no:cacheprovider", *arguments)

    def lines(self, *arguments: str, failed: int = 0, passed: int = 0) -> str:
        result = self.run(*arguments)
        result.assert_outcomes(failed=failed, passed=passed)
        return result.stdout.str()


@pytest.fixture
def suite(pytester, monkeypatch) -> Suite:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # an installed plugin would be loaded twice
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(golden, "record", pretended_record)
    made = Suite(pytester)
    made.write()
    return made


@pytest.fixture
def pinned(suite) -> Suite:
    """A suite with golden files."""
    suite.lines("--update-golden", passed=1)
    return suite


def test_update_writes_what_the_next_run_compares_with(pinned):
    names = sorted(path.name for path in (pinned.golden / "double").iterdir())
    assert names == ["codelets.cpp", "host.cpp", "outputs.json"]
    assert (pinned.golden / "double" / "host.cpp").read_text() == TEXTS["host.cpp"]
    pinned.lines(passed=1)


def test_missing_files_fail_and_say_how_to_create_them(suite):
    text = suite.lines(failed=1)
    assert "there are no golden files in golden/double: create them with 'pytest --update-golden'" in text
    assert not suite.golden.exists()


def test_a_changed_text_fails_with_a_diff(pinned):
    pinned.write(texts={**TEXTS, "host.cpp": "int a;\nint c;\n"})
    text = pinned.lines(failed=1)
    assert "different from the golden files in golden/double (if the change is wanted, run 'pytest --update" in text
    for line in ("--- golden host.cpp", "+++ now host.cpp", " int a;", "-int b;", "+int c;"):
        assert f"E       {line}\n" in text
    assert "golden codelets.cpp" not in text


def test_a_long_diff_is_cut(pinned):
    pinned.write(texts={**TEXTS, "host.cpp": "".join(f"line {k}\n" for k in range(1000))})
    text = pinned.lines(failed=1)
    assert "E       ... and more\n" in text
    assert text.count("E       +line") == 55


def test_update_takes_a_change_and_drops_stale_files(pinned):
    (pinned.golden / "double" / "old.cpp").write_text("", encoding="utf-8")
    pinned.write(texts={"host.cpp": "new\n"})
    pinned.lines("--update-golden", passed=1)
    assert sorted(path.name for path in (pinned.golden / "double").iterdir()) == ["host.cpp", "outputs.json"]
    pinned.lines(passed=1)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "host.cpp").unlink(), "host.cpp is missing"),
        (lambda folder: (folder / "notes.txt").write_text(""), "notes.txt is not a golden file"),
        (lambda folder: (folder / "outputs.json").write_text("{}"), "outputs.json: 'y' is new"),
        (lambda folder: (folder / "outputs.json").write_text("["), "outputs.json cannot be read: "),
    ],
)
def test_a_folder_that_was_tampered_with_fails(pinned, spoil, message):
    spoil(pinned.golden / "double")
    assert message in pinned.lines(failed=1)


def test_other_outputs_fail(pinned):
    path = pinned.golden / "double" / "outputs.json"
    path.write_text(path.read_text().replace("6.0", "6.1"), encoding="utf-8")
    text = pinned.lines(failed=1)
    assert "outputs.json: 'y' differs" in text
    assert "Max absolute difference" in text


def test_outputs_within_the_tolerance_pass(pinned):
    path = pinned.golden / "double" / "outputs.json"
    path.write_text(path.read_text().replace("6.0", "6.000001"), encoding="utf-8")
    pinned.lines(passed=1)


def test_wrong_results_fail_and_are_not_written(suite):
    suite.write(SUITE.replace("2 * x", "3 * x"))
    assert "the results are wrong:" in suite.lines("--update-golden", failed=1)
    assert not suite.golden.exists()


def test_update_is_refused_in_ci(suite, monkeypatch):
    monkeypatch.setenv("CI", "true")
    result = suite.run("--update-golden")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--update-golden is refused because CI is set" in result.stderr.str()
    assert not suite.golden.exists()


def test_a_folder_without_a_test_fails(pinned):
    (pinned.golden / "gone").mkdir()
    text = pinned.lines(passed=1, failed=1)
    assert "FAILED golden/gone - " in text
    assert "no test owns the golden folder golden/gone: delete it, or rename it like its test" in text


@pytest.mark.parametrize("arguments", [["test_it.py"], ["--ignore=test_other.py"], ["--deselect=test_other.py::test"]])
def test_a_folder_without_a_test_is_no_matter_if_not_all_is_collected(pinned, arguments):
    (pinned.golden / "gone").mkdir()
    pinned.lines(*arguments, passed=1)


@pytest.mark.parametrize("arguments", [["."], []])
def test_the_whole_suite_may_be_named(pinned, arguments):
    (pinned.golden / "gone").mkdir()
    pinned.lines(*arguments, passed=1, failed=1)


def test_deselected_tests_own_their_folders(pinned):
    pinned.write("def test_plain(): pass\n", name="test_plain")
    pinned.run("-k", "plain").assert_outcomes(passed=1, deselected=1)


def test_tests_that_cannot_be_collected_may_own_folders(pinned):
    pinned.write("1 / 0\n", name="test_broken")
    (pinned.golden / "of_the_broken").mkdir()
    result = pinned.run("--continue-on-collection-errors")
    result.assert_outcomes(passed=1, errors=1)


def test_parameters_are_part_of_the_name(suite):
    body = SUITE.replace(
        "def test_double(golden)", "@pytest.mark.parametrize('n', [8, 'a/b'])\n    def test_it(golden, n)"
    )
    suite.write("    import pytest\n" + body)
    suite.lines("--update-golden", passed=2)
    assert sorted(path.name for path in suite.golden.iterdir()) == ["it-8", "it-a_b"]


def test_two_tests_cannot_share_a_folder(suite):
    suite.write(name="test_again")
    result = suite.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    text = "two tests want the golden folder 'double': test_again.py::test_double and test_it.py::test_double"
    assert text in result.stderr.str() + result.stdout.str()


def test_a_test_compares_once(suite):
    call = "golden({texts!r}, {{'x': np.arange(4.0)}}, {{}})"
    suite.write(f"    import numpy as np\n\n    def test_twice(golden):\n        {call}\n        {call}\n")
    assert "a test calls golden() once" in suite.lines("--update-golden", failed=1)


def test_the_folder_can_be_chosen(suite):
    suite.pytester.makeini("[pytest]\ntestpaths = .\ngolden_dir = pinned/programs\n")
    suite.lines("--update-golden", passed=1)
    assert Path("pinned/programs/double/host.cpp").exists()


def test_the_folder_is_found_from_everywhere(pinned, monkeypatch):
    (pinned.pytester.path / "elsewhere").mkdir()
    monkeypatch.chdir(pinned.pytester.path / "elsewhere")
    pinned.lines("--rootdir", str(pinned.pytester.path), "-c", "../tox.ini", "../test_it.py", passed=1)


def test_writing_is_announced(suite):
    assert "golden files: being written" in suite.lines("--update-golden", passed=1)
