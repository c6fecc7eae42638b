"""``dace-ipu run`` runs a Python program and prints the last report."""

from __future__ import annotations

import argparse
import sys

import pytest

from dace_ipu.commands import run
from dace_ipu.profile import Report, ReportError


@pytest.fixture
def command(tmp_path):
    """Run a program of this text with these arguments."""
    parser = argparse.ArgumentParser()
    run.add_parser(parser.add_subparsers())

    def run_program(text: str, *arguments: str) -> int:
        path = tmp_path / "prog.py"
        path.write_text(text, encoding="utf-8")
        return run.run(parser.parse_args(["run", str(path), *arguments]))

    return run_program


@pytest.fixture
def some_report(monkeypatch):
    monkeypatch.setattr(run, "last_report", lambda: Report("axpy", (), (), {}))


def test_the_program_is_main_with_its_arguments_and_neighbours(command, tmp_path, capsys, some_report):
    (tmp_path / "neighbour_of_prog.py").write_text("x = 7", encoding="utf-8")
    before = list(sys.argv), list(sys.path)
    text = "import sys, neighbour_of_prog\nprint(__name__, sys.argv[1:], neighbour_of_prog.x)"
    assert command(text, "--size", "3") == 0
    assert capsys.readouterr().out == "__main__ ['--size', '3'] 7\nIPU report of 'axpy'\n"
    assert (sys.argv, sys.path) == before


def test_the_package_is_imported(command, some_report):
    assert command("import dace\nassert dace.DeviceType.IPU") == 0


@pytest.mark.parametrize(("code", "status"), [("3", 3), ("None", 0), ("'bad'", 1), ("0", 0)])
def test_the_exit_status_is_the_programs(command, capsys, some_report, code, status):
    assert command(f"raise SystemExit({code})") == status
    captured = capsys.readouterr()
    assert captured.out == "IPU report of 'axpy'\n"
    assert captured.err == ("bad\n" if status == 1 else "")


def test_exceptions_pass_through(command):
    with pytest.raises(ZeroDivisionError):
        command("1 / 0")


def test_a_program_that_used_no_ipu_gets_a_remark(command, capsys, monkeypatch):
    def no_report() -> Report:
        raise ReportError("no program has run on the IPU yet")

    monkeypatch.setattr(run, "last_report", no_report)
    assert command("print('hello')") == 0
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("hello\n", "dace-ipu run: no program has run on the IPU yet\n")


def test_a_missing_program_is_an_error(capsys, tmp_path):
    assert run.run(argparse.Namespace(program=str(tmp_path / "none.py"), arguments=[])) == 2
    assert capsys.readouterr().err == f"dace-ipu run: there is no file {tmp_path / 'none.py'}\n"
