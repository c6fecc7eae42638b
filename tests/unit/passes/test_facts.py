import pytest

from dace_ipu.passes.facts import Facts


@pytest.fixture
def facts(index):
    return Facts().and_also(*map(index, ["N", "M", "i", "N - 1 - i", "j", "M - 1 - j", "N - 3"]))


@pytest.mark.parametrize(
    "expr",
    [
        "0",
        "N - i - 1",
        "N + M",
        "N - 2",  # N >= 3
        "N*M - i*M - M",  # (N - 1 - i) * M
        "N*M - 1 - i*M - j",  # the last element of a flattened array
        "floor(i/2)",
        "floor((i + 1)/2) - floor(i/2)",
        "i - floor(i/2)",
        "Mod(i, 4)",
        "3 - Mod(i + j, 4)",
        "Max(0, i - 1)",
        "Max(i, j) - j",
        "N - Min(N, M)",
        "Min(N, i + 1)",
        "Max(i, 0) - Max(i - 1, 0)",
    ],
)
def test_what_holds_is_proven(facts, index, expr):
    assert facts.holds(index(expr))


@pytest.mark.parametrize(
    "expr",
    ["-1", "i - 1", "M - 1 - i", "x", "N - M", "N - i - 2", "floor(i/2) - 1", "Min(i, x)", "2 - Mod(i, 4)", "N - 4"],
)
def test_what_may_fail_is_not_proven(facts, index, expr):
    assert not facts.holds(index(expr))


def test_a_bound_by_a_minimum_counts_for_each_of_its_terms(index):
    facts = Facts().and_also(index("Min(N, 4*t + 4) - 1 - i"))
    assert facts.at_most(index("i + 1"), index("N"))
    assert facts.at_most(index("i"), index("4*t + 3"))


@pytest.mark.parametrize(
    ("expr", "tidied"),
    [
        ("Max(0, i)", "i"),
        ("Min(N, i + 1)", "i + 1"),
        ("Max(0, i - 1)", "Max(0, i - 1)"),
        ("2*Max(i, -1) + N", "2*i + N"),
    ],
)
def test_redundant_terms_of_extremes_go(facts, index, expr, tidied):
    assert facts.tidy(index(expr)) == index(tidied)


def test_the_extremes_of_several_expressions(facts, index):
    assert facts.smallest([index("i + 1"), index("i"), index("i + 2")]) == index("i")
    assert facts.largest([index("i"), index("N")]) == index("N")
    assert facts.smallest([index("i"), index("j")]) == index("Min(i, j)")


def test_a_fact_without_content_does_no_harm(index):
    assert not Facts().and_also(index("0")).holds(index("-1"))
    assert Facts().and_also(index("0"), index("N")).holds(index("N"))


def test_powers_grow_with_their_exponents(index):
    facts = Facts().and_also(*map(index, ["R", "i", "K - 1 - i", "R**(K - 1) - 1"]))
    assert facts.holds(index("R**(K - 1) - R**i"))
    assert facts.holds(index("R**(K - 1) - 1 - Mod(j, R**i)"))
    assert not facts.holds(index("R**(K - 2) - R**i"))
    assert not Facts().and_also(*map(index, ["R", "i", "K - 1 - i"])).holds(index("R**(K - 1) - R**i"))  # R may be 0
