"""Dumps: numbered files, only if wanted."""

from __future__ import annotations

from dace_ipu.tile_graph.dump import VARIABLE, dump


def test_nothing_is_written_unless_wanted(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert dump("axpy", "lowered", lambda: "text") is None


def test_files_of_a_program_are_numbered(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "dumps"))
    paths = [
        dump("axpy", "lowered", lambda: "one"),
        dump("axpy", "partition", lambda: "two"),
        dump("jacobi", "lowered", lambda: "three"),
    ]
    names = [str(path.relative_to(tmp_path / "dumps")) for path in paths]
    assert names == ["axpy/000_lowered.txt", "axpy/001_partition.txt", "jacobi/000_lowered.txt"]
    assert [path.read_text() for path in paths] == ["one", "two", "three"]


def test_numbers_go_on_after_files_that_were_removed(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    dump("axpy", "a", lambda: "").unlink()
    dump("axpy", "b", lambda: "")
    assert dump("axpy", "c", lambda: "").name == "001_c.txt"


def test_names_cannot_leave_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "dumps"))
    path = dump("../a/b", "x y", lambda: "")
    assert path == tmp_path / "dumps" / ".._a_b" / "000_x_y.txt"
