"""The symbols that the edges of an SDFG assign: which of them have one value wherever they are used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import ConditionalBlock, ControlFlowBlock, ControlFlowRegion, LoopRegion, SDFGState

from dace_ipu.lowering import loops

__all__ = ["Assigned"]

Path = tuple[tuple[int, int], ...]  # regions from the outside in, with the position in each


@dataclass
class Assigned:
    """Where an SDFG assigns its symbols and where it uses them. Raises Unsupported for unstructured control flow."""

    sdfg: SDFG
    assignments: dict[str, list[Path]] = field(default_factory=lambda: defaultdict(list))
    uses: dict[str, list[Path]] = field(default_factory=lambda: defaultdict(list))
    counters: set[str] = field(default_factory=set)  # of loops

    def __post_init__(self) -> None:
        self._region(self.sdfg, ())

    def once(self, name: str) -> bool:
        """Whether a symbol is assigned at one place only, and used only behind it in the same list of blocks.

        Then nothing that is computed from it goes stale, also where the place is inside a loop.
        """
        places = self.assignments[name]
        if name in self.counters:
            return False
        return len(places) == 1 and all(_is_behind(use, places[0]) for use in self.uses[name])

    def carried(self) -> list[str]:
        """The symbols that loops or branches assign, and that have different values at one place because of that."""
        return sorted(
            name
            for name, places in self.assignments.items()
            if not self.once(name) and (name in self.counters or any(len(p) > 1 for p in places))
        )

    def used_outside(self, counter: str) -> bool:
        """Whether the counter of loops is used where none of these loops runs."""
        return bool(self.uses[counter])

    def _region(self, region: ControlFlowRegion, path: Path, running: frozenset[str] = frozenset()) -> None:
        for position, (block, assignments) in enumerate(loops.straight_line(region)):
            self._block(block, (*path, (id(region), 2 * position)), running)
            edge = (*path, (id(region), 2 * position + 1))
            for name, text in assignments.items():
                self._use(loops.names_in(text) - running, (*path, (id(region), 2 * position)))
                self.assignments[name].append(edge)

    def _block(self, block: ControlFlowBlock, path: Path, running: frozenset[str]) -> None:
        match block:
            case SDFGState():
                self._use({str(name) for name in block.used_symbols(all_symbols=True)} - running, path)
            case LoopRegion():
                self._use(_of_loop(block) - running, path)
                if block.loop_variable:
                    self.counters.add(block.loop_variable)
                self._region(block, path, running | {block.loop_variable})
            case ConditionalBlock():
                for condition, body in block.branches:
                    names = loops.names_in(condition.as_string) if condition is not None else set()
                    self._use(names - running, path)
                    self._region(body, path, running)
            case ControlFlowRegion():
                self._region(block, path, running)

    def _use(self, names: Iterable[str], path: Path) -> None:
        for name in sorted(names):
            self.uses[name].append(path)


def _of_loop(loop: LoopRegion) -> set[str]:
    """The names in the statements of a loop, its own counter left out."""
    codes = (loop.init_statement, loop.loop_condition, loop.update_statement)
    return {name for code in codes if code is not None for name in loops.names_in(code.as_string)} - {
        loop.loop_variable
    }


def _is_behind(use: Path, place: Path) -> bool:
    depth = len(place) - 1
    return (
        use[:depth] == place[:depth]
        and len(use) > depth
        and use[depth][0] == place[depth][0]
        and (use[depth][1] > place[depth][1])
    )
