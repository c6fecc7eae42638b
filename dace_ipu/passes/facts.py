"""What is known about integers, and a small prover of inequalities over them.

The prover subtracts positive multiples of known facts until only terms of known sign are left (Farkas' lemma,
searched to a small depth). It is sound and incomplete: False means 'not proven'.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import sympy

from dace_ipu.tile_graph.body import Expr

_DEPTH = 5
Linear = dict[Expr, sympy.Rational]  # monomial → coefficient; the constant has the monomial 1


@dataclass(frozen=True)
class Facts:
    """Expressions that are known to be >= 0."""

    nonnegative: tuple[Expr, ...] = ()
    _proven: dict[Expr, bool] = field(default_factory=dict, compare=False, repr=False)

    def and_also(self, *facts: Expr) -> Facts:
        """These facts and more. One that bounds by a Min or Max is taken apart (v <= Min(a, b): v <= a and v <= b)."""
        return _joined(self.nonnegative, facts)

    def holds(self, expr: Expr) -> bool:
        """Whether ``expr >= 0`` is proven."""
        expr = _expand(sympy.sympify(expr))
        if expr not in self._proven:
            self._proven[expr] = self._by_cases(expr)
        return self._proven[expr]

    def at_most(self, low: Expr, high: Expr) -> bool:
        """Whether ``low <= high`` is proven."""
        return self.holds(high - low)

    def smallest(self, exprs: Iterable[Expr]) -> Expr:
        """The minimum, without the terms that another one is known not to exceed."""
        return sympy.Min(*_undominated(list(exprs), self.at_most))

    def largest(self, exprs: Iterable[Expr]) -> Expr:
        """The maximum, without the terms that are known not to exceed another one."""
        return sympy.Max(*_undominated(list(exprs), lambda a, b: self.at_most(b, a)))

    def tidy(self, expr: Expr) -> Expr:
        """The expression with the Min and Max in it reduced to what is not known to be redundant, expanded."""
        if not expr.has(sympy.Min, sympy.Max):
            return _expand(expr)
        arguments = [self.tidy(argument) for argument in expr.args]
        if isinstance(expr, sympy.Min):
            return self.smallest(arguments)
        if isinstance(expr, sympy.Max):
            return self.largest(arguments)
        return _expand(expr.func(*arguments))

    def _by_cases(self, expr: Expr) -> bool:
        """Replaces a Min or Max by its arguments: all must do if it pulls down, one is enough if it pulls up."""
        for monomial, factor in _linear(expr).items():
            if isinstance(monomial, (sympy.Min, sympy.Max)):
                cases = (self.holds(expr + factor * (argument - monomial)) for argument in monomial.args)
                return all(cases) if isinstance(monomial, sympy.Min) == (factor > 0) else any(cases)
        return self._prove(_linear(expr), _DEPTH)

    def _prove(self, terms: Linear, depth: int) -> bool:
        unsure = [monomial for monomial, factor in terms.items() if factor < 0 or not self._positive(monomial)]
        if not unsure:
            return True
        if depth == 0:
            return False
        first = max(unsure, key=_rank)
        floors = [monomial for monomial in terms if isinstance(monomial, sympy.floor) and monomial != first]
        return any(self._prove_without(monomial, terms, depth) for monomial in (first, *floors))

    def _prove_without(self, monomial: Expr, terms: Linear, depth: int) -> bool:
        """Tries to get rid of a monomial with each of the facts about it."""
        return any(
            self._prove(_less(terms, fact, terms[monomial] / fact[monomial]), depth - 1)
            for fact in (*self._about(monomial), *self._larger_powers(monomial, terms))
            if terms[monomial] / fact[monomial] > 0
        )

    def _positive(self, monomial: Expr) -> bool:
        """Whether a monomial is known to be >= 0 by its form."""
        if monomial.is_Number:
            return bool(monomial >= 0)
        if monomial.is_Mul:
            return all(self._positive(factor) for factor in monomial.args)
        if monomial.is_Pow:
            return bool(monomial.exp.is_even) or self._positive(monomial.base)
        if isinstance(monomial, sympy.Mod):
            return self.holds(monomial.args[1] - 1)
        if isinstance(monomial, sympy.floor):
            return self.holds(monomial.args[0])
        return monomial in self.nonnegative

    def _about(self, monomial: Expr) -> Iterator[Linear]:
        """The facts that mention a monomial; also those about one factor of it, times the others if these are >= 0."""
        for fact in (*self.nonnegative, *_facts_of(monomial)):
            terms = _linear(fact)
            if terms.get(monomial, 0) != 0:  # a fact may be 0 >= 0
                yield terms
        if monomial.is_Mul:
            yield from self._products(monomial)

    def _larger_powers(self, monomial: Expr, terms: Linear) -> Iterator[Linear]:
        """``b**e <= b**f`` for those powers ``b**f`` in the terms with b >= 0, f >= e and, as a fact, ``b**f`` >= 1."""
        if not monomial.is_Pow or monomial.exp.is_Integer or not self._positive(monomial.base):
            return
        plain = Facts(tuple(fact for fact in self.nonnegative if not fact.has(sympy.Pow)))  # or there is no end
        for other in terms:
            same = other.is_Pow and other != monomial and other.base == monomial.base
            if same and other - 1 in self.nonnegative and plain.at_most(monomial.exp, other.exp):
                yield {other: sympy.Integer(1), monomial: sympy.Integer(-1)}

    def _products(self, monomial: Expr) -> Iterator[Linear]:
        for factor in monomial.args:
            rest = monomial / factor
            if not self._positive(rest):
                continue
            for fact in (*self.nonnegative, *_facts_of(factor)):
                terms = _linear(_expand(fact * rest))
                if terms.get(monomial, 0) != 0:  # powers of one base may have become another monomial
                    yield terms


# Passes ask the same questions about the same facts over and over: one object for each set of them keeps the answers.


@lru_cache(maxsize=10_000)
def _joined(nonnegative: tuple[Expr, ...], more: tuple[Expr, ...]) -> Facts:
    parts = (part for fact in more for part in _parts(_expand(fact)))
    return _facts(tuple(dict.fromkeys((*nonnegative, *parts))))


@lru_cache(maxsize=10_000)
def _facts(nonnegative: tuple[Expr, ...]) -> Facts:
    return Facts(nonnegative)


def _parts(fact: Expr) -> Iterator[Expr]:
    """The conjunction that a fact stands for, if a Min in it pulls up or a Max pulls down."""
    for monomial, factor in _linear(fact).items():
        if isinstance(monomial, sympy.Min) and factor > 0 or isinstance(monomial, sympy.Max) and factor < 0:
            for argument in monomial.args:
                yield from _parts(_expand(fact + factor * (argument - monomial)))
            return
    yield fact


def _undominated(exprs: list[Expr], at_least_as_good: Callable[[Expr, Expr], bool]) -> list[Expr]:
    kept: list[Expr] = []
    for expr in exprs:
        if not any(at_least_as_good(other, expr) for other in kept):
            kept = [other for other in kept if not at_least_as_good(expr, other)] + [expr]
    return kept


def _facts_of(monomial: Expr) -> tuple[Expr, ...]:
    """What follows from the form of an atom alone."""
    if isinstance(monomial, sympy.floor):
        argument = monomial.args[0]
        grain = sympy.Rational(1, sympy.denom(sympy.together(argument))) if _rational_affine(argument) else 0
        return (argument - monomial, monomial - argument + 1 - grain)
    if isinstance(monomial, sympy.Mod):
        return (monomial.args[1] - 1 - monomial,)
    return ()


def _rational_affine(expr: Expr) -> bool:
    """Whether the expression is an integer after multiplication with a constant."""
    return bool(sympy.denom(sympy.together(expr)).is_Integer)


@lru_cache(maxsize=10_000)
def _expand(expr: Expr) -> Expr:
    return sympy.expand(expr)


@lru_cache(maxsize=10_000)
def _rank(monomial: Expr) -> tuple[int, str]:
    """Which monomial to get rid of first: the one with most symbols."""
    return (len(monomial.free_symbols), str(monomial))


@lru_cache(maxsize=10_000)
def _linear(expr: Expr) -> Linear:
    return dict(expr.as_coefficients_dict())


def _less(terms: Linear, fact: Linear, factor: Expr) -> Linear:
    """``terms - factor * fact``."""
    result = dict(terms)
    for monomial, coefficient in fact.items():
        result[monomial] = result.get(monomial, sympy.Integer(0)) - factor * coefficient
    return {monomial: coefficient for monomial, coefficient in result.items() if coefficient != 0}
