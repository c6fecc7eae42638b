"""What to change, as far as the numbers tell."""

from __future__ import annotations

from collections.abc import Iterator

from dace_ipu.profile.schema import Profile, Step

__all__ = ["advice"]

_MUCH = 0.5  # a share of the cycles that is worth a hint
_UNBALANCED = 0.5
_FULL = 0.9


def advice(profile: Profile) -> Iterator[str]:
    """Hints on what costs most, one line each; at most three."""
    total = profile.cycles.total
    if profile.memory.max_bytes > _FULL * profile.target.bytes_per_tile:
        yield f"tile {profile.memory.max_tile} is nearly full or over: spread its largest variables over more tiles"
    if total and profile.cycles.host > _MUCH * total:
        yield "most cycles are copies from and to the host: do more on the device in each call"
    elif total and profile.cycles.exchange > _MUCH * total:
        yield "most cycles are exchange: see which steps read data that lies on other tiles"
    elif total and profile.cycles.rearrange > _MUCH * total:
        yield "most cycles rearrange data on the tiles: connect lists of rows instead of blocks in one piece"
    yield from _unused_tiles(profile)


def _unused_tiles(profile: Profile) -> Iterator[str]:
    heavy = [step for step in profile.steps if step.vertices and step.compute_cycles > _MUCH * profile.cycles.total]
    for step in heavy[:1]:
        yield from _of_step(step, profile.target.num_tiles)


def _of_step(step: Step, tiles: int) -> Iterator[str]:
    if step.tiles_used == 1 < tiles:
        yield f"'{step.name}' takes most cycles and runs on one tile: make it a map over independent iterations"
    elif step.balance < _UNBALANCED:
        yield f"'{step.name}' takes most cycles, and the average tile computes for {step.balance:.0%} of its time"
