"""The text of a report."""

from __future__ import annotations

import copy
import json

import pytest
from profile_sample import STEP, profile, report

from dace_ipu.profile.reader import read_report

TEXT = """\
IPU report of 'axpy'
  Mk2 GC200 (ipu2, simulated): 1 IPU, 4 tiles of 1,000 bytes, 1,000 MHz

axpy with N=50, 2 runs
  cycles, all runs                 us a run
    compute           600   60.0%      0.30
    exchange          100   10.0%      0.05
    sync              260   26.0%      0.13
    host               40    4.0%      0.02
    total           1,000  100.0%      0.50
  tiles: 3 of 4 compute, balance 75% (mean load / largest load)
  memory: tile 2 is the fullest, 500 of 1,000 bytes (50.0%); all tiles 1,100
    of these: variables 300, stack 200
    largest variables: x 200, y 100
  steps that take longest   cycles         times  tiles  balance
    update_y (execute)         900  90.0%      2      3      75%
    x_in -> x (streamCopy)     100  10.0%      2
  codelets that cost most  vertices  slots an element                                   from
    update_y                      3              3.60  code (code 30, setPerfEstimate 1,200)

where scopes run
  map 'y' runs on one tile: it is tiny

2 graphs built, the last first
  axpy: N changed 20 → 50 (0.25 s)
  axpy: first call with N=20 (0.50 s)"""


def text_of(data) -> str:
    return str(read_report(json.dumps(data)))


def test_the_text_has_all_that_matters():
    assert text_of(report()) == TEXT


def test_the_text_is_short_whatever_the_program():
    data = report(builds=report()["builds"] * 50)
    step = {**STEP, "name": "a_very_long_name_of_a_compute_set" * 4}
    data["programs"][0]["profile"]["steps"] = [step] * 500
    data["programs"][0]["profile"]["memory"]["perTile"] = [2000] * 1472
    data["programs"][0]["profile"]["memory"]["maxBytes"] = 2000
    data["programs"][0]["notes"] = [f"note {k}: " + "word " * 60 for k in range(100)]
    data["programs"] = [copy.deepcopy(data["programs"][0]) for _ in range(4)]
    lines = text_of(data).splitlines()
    assert len(lines) < 60
    assert max(map(len, lines)) <= 120
    assert "    and 497 more\n" in text_of(data)
    assert text_of(data).endswith("\n  and 98 more")


def test_programs_beyond_the_second_are_named():
    data = report()
    data["programs"] *= 4
    assert text_of(data).count("axpy with N=50, 2 runs\n") == 2
    assert "axpy with N=50, 2 runs, not shown\nand 1 more, not shown" in text_of(data)


def test_tiles_out_of_memory_are_shown():
    text = text_of(profile("memory.perTileOverflowed", [0, 200, 300, 0]))
    assert "2 tiles OUT OF MEMORY" in text


def test_rearranging_and_links_between_ipus_are_shown_apart():
    data = profile("cycles.rearrange", 350)
    data["cycles"]["globalExchange"] = 60
    lines = [line.split() for line in text_of(data).splitlines()]
    assert ["of", "it", "rearranging", "350", "35.0%", "0.17"] in lines
    assert ["of", "it", "between", "IPUs", "60", "6.0%", "0.03"] in lines


def test_a_program_on_hardware_has_no_numbers():
    data = report()
    data["programs"][0]["profile"] = None
    assert "no profile: it ran on hardware" in text_of(data)


def test_a_program_without_graphs_has_builds_only():
    text = text_of(report(programs=[]))
    assert text.splitlines()[:2] == ["IPU report of 'axpy'", ""]
    assert "2 graphs built" in text


@pytest.mark.parametrize(
    ("path", "value", "hint"),
    [
        ("memory.maxBytes", 950, "tile 2 is nearly full or over: spread its largest variables over more tiles"),
        ("cycles.host", 600, "most cycles are copies from and to the host: do more on the device in each call"),
        ("cycles.rearrange", 600, "most cycles rearrange data on the tiles: connect lists of rows instead of blocks"),
        ("cycles.exchange", 600, "most cycles are exchange: see which steps read data that lies on other tiles"),
        ("steps.1.tilesUsed", 1, "'update_y' takes most cycles and runs on one tile: make it a map over independent"),
        ("steps.1.balance", 0.2, "'update_y' takes most cycles, and the average tile computes for 20% of its time"),
    ],
)
def test_hints_name_what_costs_most(path, value, hint):
    assert f"hint: {hint}" in text_of(profile(path, value))


def test_a_balanced_program_gets_no_hint():
    assert "hint" not in text_of(profile())


def test_a_target_without_clock_and_memory_limit_takes_no_time():
    data = profile("target.clock", 0)
    data["target"]["bytesPerTile"] = 0
    assert "total           1,000  100.0%      0.00" in text_of(data)


GUESSED = {"name": "update_y", "count": 3, "cycles": 90, "estimateSource": "default"}


@pytest.mark.parametrize("source", ["default", "setPerfEstimate"])
def test_codelets_without_a_price_are_named_and_what_to_install(source):
    of_a_library = {**GUESSED, "name": "from_a_library", "estimateSource": "estimator"}
    types = [{**GUESSED, "estimateSource": source}, of_a_library]
    text = " ".join(text_of(profile("vertexTypes", types)).split())
    assert "note: not counted from their code, but estimates: update_y. pip install 'dace-ipu[cycles]' brings" in text


def test_estimates_are_what_a_model_is_meant_to_use():
    data = profile("vertexTypes", [GUESSED])
    data["target"]["type"] = "IPU_MODEL"
    assert "pip install" not in text_of(data)


def test_codelets_come_by_cost():
    cheap, dear = {**GUESSED, "name": "cheap", "cycles": 5}, {**GUESSED, "name": "dear", "slotsPerElement": 2.5}
    text = text_of(profile("vertexTypes", [cheap, dear]))
    assert text.index("dear  ") < text.index("cheap  ")
    assert "2.50" in text
