"""What the codelets of a program cost, and whose word that is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dace_ipu.profile.schema import Profile, VertexType

__all__ = ["codelet_rows", "not_priced"]


def codelet_rows(profile: Profile, count: int) -> Iterator[tuple[str, ...]]:
    """The codelets that cost most: name, vertices, slots an element, source; and both estimates where there are two."""
    types = sorted(profile.vertex_types, key=lambda each: (-each.cycles, each.name))
    for each in types[:count]:
        yield each.name, f"{each.count:,}", f"{each.slots_per_element:.2f}", _source(each)


def _source(codelet: VertexType) -> str:
    if codelet.code is None or codelet.set_perf_estimate is None:
        return codelet.estimate_source
    both = f"code {codelet.code:,.0f}, setPerfEstimate {codelet.set_perf_estimate:,.0f}"
    return f"{codelet.estimate_source} ({both})"


def not_priced(profiles: Iterable[Profile]) -> Iterator[str]:
    """A note on codelets that were to be priced from their code, as on hardware, and were not; nothing if all were."""
    of_hardware = [profile for profile in profiles if profile.target.type == "IPU"]
    names = list(dict.fromkeys(each.name for p in of_hardware for each in p.vertex_types if _is_guess(each)))
    if names:
        yield (
            f"note: not counted from their code, but estimates: {_list(names)}. pip install 'dace-ipu[cycles]' brings "
            "the compiler that prices code; popc -v says why it does not"
        )


def _is_guess(codelet: VertexType) -> bool:
    """Whether neither the code nor an estimator of a library says what the codelet costs."""
    return codelet.code is None and codelet.estimate_source in ("setPerfEstimate", "default")


def _list(names: Sequence[str], shown: int = 3) -> str:
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more
