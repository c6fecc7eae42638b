"""The runtime's headers compute what their Python counterparts define."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from poplar_cpp import run_with_runtime

from dace_ipu.environment import RUNTIME_INCLUDE
from dace_ipu.tile_graph.blocks import blocks, grid
from dace_ipu.tile_graph.body import symbol
from dace_ipu.tile_graph.mapping import mapping_tiles
from dace_ipu.tile_graph.nodes import BlockMapping, Follow, Partition, TileGraph, Variable

DOMAINS: list[tuple[int, ...]] = [
    *((n,) for n in (-1, 0, 1, 5, 6, 7, 8832, 10**6, 10**9)),
    *itertools.product((1, 7, 100, 4099), (1, 6, 1000)),
    *itertools.product((3, 64, 250), (1, 64, 777), (2, 90)),
    (5, 0, 3),
    (40, 30, 20, 10),
    (1, 1, 1, 1),
    (1, 1000, 1, 1000),
]
TILES = (1, 4, 7, 1472, 5888, 94208)

PARTS = """
#include <dace_ipu/blocks.hpp>
#include <cstdio>
int main() {
  const std::vector<std::vector<std::int64_t>> domains = {%s};
  for (const auto &domain : domains)
    for (std::int64_t tiles : {%s}) {
      const dace_ipu::Blocks blocks(domain, tiles);
      std::printf("%%lld", static_cast<long long>(blocks.size()));
      for (std::size_t d = 0; d < domain.size(); ++d)
        std::printf(" %%lld", static_cast<long long>(blocks.parts(d)));
      std::printf("\\n");
    }
}
"""


def test_grids(tmp_path: Path) -> None:
    domains = ", ".join("{" + ", ".join(map(str, d)) + "}" for d in DOMAINS)
    printed = run_with_runtime(tmp_path, PARTS % (domains, ", ".join(map(str, TILES)))).splitlines()
    expected = []
    for domain, tiles in itertools.product(DOMAINS, TILES):
        parts = grid(domain, tiles) or (0,) * len(domain)
        expected.append(" ".join(map(str, (int(np.prod(parts)) if parts[0] else 0, *parts))))
    assert printed == expected


BLOCKS = """
#include <dace_ipu/blocks.hpp>
#include <cstdio>
int main() {
  for (const auto &block : dace_ipu::Blocks({37, 23, 5}, 60)) {
    std::printf("%u", block.tile());
    for (int d = 0; d < 3; ++d)
      std::printf(" %d %d %d", int(block.begin(d)), int(block.end(d)), int(block.size(d)));
    std::printf("\\n");
  }
}
"""


def test_blocks(tmp_path: Path) -> None:
    expected = [
        " ".join(map(str, (b.tile, *itertools.chain(*zip(b.begins, b.ends, b.sizes, strict=True)))))
        for b in blocks((37, 23, 5), 60)
    ]
    assert run_with_runtime(tmp_path, BLOCKS).splitlines() == expected


SPANS = """
#include <dace_ipu/mapping.hpp>
#include <cstdio>
int main() {
  const dace_ipu::Blocks blocks({%d}, 9);
  for (const auto &span : dace_ipu::detail::spans({0, %d, %d}, %d, blocks))
    for (std::size_t i = span.begin; i < span.end; ++i)
      std::printf("%%zu:%%d ", i, int(span.block));
}
"""


@pytest.mark.parametrize(("extent", "offset", "stride", "size"), [(50, 0, 1, 50), (50, 1, 1, 52), (20, 3, 3, 70)])
@pytest.mark.parametrize("reverse", [False, True])
def test_mapping_follows_blocks(
    tmp_path: Path, extent: int, offset: int, stride: int, size: int, reverse: bool
) -> None:
    if reverse:
        offset, stride = size - 1 - offset, -stride
    printed = run_with_runtime(tmp_path, SPANS % (extent, offset, stride, size)).split()
    zero = symbol("N") * 0
    variable = Variable(
        "A", np.dtype("f4"), (zero + size,), mapping=BlockMapping("p", (Follow(0, zero + offset, stride),))
    )
    graph = TileGraph("g", (), (), (variable,), (), (Partition("p", (zero + extent,)),))
    tiles = mapping_tiles(variable, graph, {}, 9)
    found = dict(tuple(map(int, item.split(":"))) for item in printed)
    assert found == dict(enumerate(tiles.tolist()))
    assert len(printed) == size


INTEGERS = """
#include <dace_ipu/integers.hpp>
#include <cassert>
#include <string>
using namespace dace_ipu;
template <typename Function> std::string error(Function function) {
  try {
    function();
  } catch (const std::exception &e) {
    return e.what();
  }
  return "";
}
int main() {
  assert(floor_div(-7, 2) == -4 && floor_div(7, -2) == -4 && floor_div(-7, -2) == 3 && floor_div(8, 2) == 4);
  assert(mod(-7, 3) == 2 && mod(7, -3) == -2 && mod(6, 3) == 0 && ipow(3, 4) == 81 && ipow(5, 0) == 1);
  assert((shape(3, 2u, std::int64_t(4)) == std::vector<std::size_t>{3, 2, 4}));
  assert(count(-5) == 0 && count(7) == 7);
  assert(error([] { floor_div(4, 0); }) == "the size 4 is divided by 0");
  assert(error([] { ipow(2, -1); }) == "a size has the exponent -1");
  assert(error([] { shape(2, -3); }) == "a dimension of a tensor is negative: -3");
  assert(error([] { at(-1); }) == "a slice of a tensor is negative: -1");
  assert(error([] { count(5000000000); }) == "a loop on the device runs 5000000000 times, more than 32 bits hold");
}
"""


def test_integers(tmp_path: Path) -> None:
    run_with_runtime(tmp_path, INTEGERS)


JSON = r"""
#include "json.hpp"
#include <cstdio>
int main() {
  dace_ipu::Json json;
  json.open("{").key("a\"b").text("x\\y\n→").key("list").open("[").number(1).number(0.25).raw("null").close("]");
  json.key("empty").open("{").close("}").close("}");
  std::puts(json.result().c_str());
}
"""


def test_json(tmp_path: Path) -> None:
    import json

    assert json.loads(run_with_runtime(tmp_path, JSON)) == {
        'a"b': "x\\y\n→",
        "list": [1, 0.25, None],
        "empty": {},
    }


@pytest.mark.parametrize("header", sorted(path.name for path in (RUNTIME_INCLUDE / "dace_ipu").glob("*.hpp")))
def test_headers_stand_alone(header: str) -> None:
    text = (RUNTIME_INCLUDE / "dace_ipu" / header).read_text()
    assert f"DACE_IPU_{header.removesuffix('.hpp').upper()}_HPP" in text
    assert len(text.splitlines()) < 500
