"""The C++ headers cut domains into blocks, and give elements to them, exactly as the Python definitions do."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
import sympy

from dace_ipu.tile_graph.blocks import blocks
from dace_ipu.tile_graph.mapping import mapping_tiles
from dace_ipu.tile_graph.nodes import BlockMapping, Follow, Partition, TileGraph, Variable

CASES = 400

PROGRAM = r"""
#include <dace_ipu/mapping.hpp>

#include <iostream>

// Reads "tiles workers rows rank extents... dimension offset stride size", prints the borders of all blocks, then the
// block of each index of a tensor's dimension of that size, which follows a dimension of the domain.
int main() {
  for (std::int64_t tiles, workers, rows, rank; std::cin >> tiles >> workers >> rows >> rank;) {
    std::vector<std::int64_t> extents(rank);
    for (auto &extent : extents)
      std::cin >> extent;
    dace_ipu::Follow follow;
    std::size_t size;
    std::cin >> follow.dimension >> follow.offset >> follow.stride >> size;
    const auto blocks =
        rows ? dace_ipu::Blocks::ofRows(extents, tiles) : dace_ipu::Blocks(extents, tiles, workers);
    for (const auto &block : blocks) {
      std::cout << block.tile();
      for (std::int64_t d = 0; d < rank; ++d)
        std::cout << ' ' << block.begin(d) << ' ' << block.end(d);
      std::cout << ';';
    }
    std::cout << '|';
    if (blocks.size() != 0)
      for (const auto &span : dace_ipu::detail::spans(follow, size, blocks))
        for (auto index = span.begin; index < span.end; ++index)
          std::cout << index << ' ' << span.block << ';';
    std::cout << '\n';
  }
}
"""


@pytest.fixture(scope="module")
def program(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled program."""
    folder = tmp_path_factory.mktemp("blocks")
    (folder / "blocks.cpp").write_text(PROGRAM)
    package = repository / "dace_ipu"
    includes = [f"-I{package / 'runtime' / 'include'}", f"-I{package / 'simulator' / 'include'}"]
    command = [
        "g++",
        "-std=c++17",
        "-O1",
        *includes,
        "blocks.cpp",
        *(str(package / "runtime" / "src" / f"{name}.cpp") for name in ("blocks", "integers", "spans")),
        "-o",
        "blocks",
    ]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return folder / "blocks"


def cases():
    """Random machines, domains of one to four dimensions, and dimensions of tensors that follow one of theirs."""
    source = random.Random(1)
    for _ in range(CASES):
        extents = tuple(
            source.choice((1, 2, 5, 17, 100, 400)) + source.randint(-1, 3) for _ in range(source.randint(1, 4))
        )
        tiles = source.choice((1, 4, 7, 1472, 5888))
        follow = Follow(source.randrange(len(extents)), source.randint(-3, 12), source.choice((-3, -2, -1, 1, 2, 5)))
        of_rows = len(extents) in (2, 3) and source.random() < 0.5
        workers = 6 if of_rows else source.choice((6, 6, 1))
        yield extents, tiles, workers, of_rows, follow, source.randint(1, 60)


def expected(extents, tiles, workers, of_rows, follow, size):
    """What the program is to print."""
    found = blocks(extents, tiles, workers, of_rows)
    lines = "".join(
        f"{block.tile} {' '.join(f'{a} {b}' for a, b in zip(block.begins, block.ends, strict=True))};"
        for block in found
    )
    follow = Follow(follow.dimension, sympy.Integer(follow.offset), follow.stride)
    variable = Variable("A", None, (sympy.Integer(size),), mapping=BlockMapping("p", (follow,)))
    partition = Partition("p", tuple(map(sympy.Integer, extents)), workers, of_rows)
    tile_of = mapping_tiles(variable, TileGraph("g", (), (), (variable,), (), (partition,)), {}, tiles)
    elements = sorted(enumerate(tile_of.tolist())) if found else []
    return lines, elements


def test_python_and_cpp_agree(program):
    all_cases = list(cases())
    text = "".join(
        f"{tiles} {workers} {int(rows)} {len(extents)} {' '.join(map(str, extents))} "
        f"{f.dimension} {f.offset} {f.stride} {size}\n"
        for extents, tiles, workers, rows, f, size in all_cases
    )
    output = subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(output) == CASES
    for case, line in zip(all_cases, output, strict=True):
        lines, _, spans = line.partition("|")
        elements = sorted(tuple(map(int, span.split())) for span in spans.split(";") if span)
        assert (lines, elements) == expected(*case), case
