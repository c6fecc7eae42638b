"""Integer expressions (sympy) as C++ text: indices, ranges, extents."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import sympy

from dace_ipu.tile_graph.body import Expr

__all__ = ["IndexPrinter", "IndexStyle", "is_nonnegative_form"]

# Precedence of C++ operators, as far as needed here.
_ATOM, _UNARY, _PRODUCT, _SUM, _LOOSE = 4, 3, 2, 1, 0
_Text = tuple[str, int]


@dataclass(frozen=True)
class IndexStyle:
    """How operations without an operator are called, and whether all values are known not to be negative."""

    floor_div: str = "floor_div"
    mod: str = "mod"
    minimum: str = "min"
    maximum: str = "max"
    power: str = "ipow"
    nonnegative: bool = False
    shifts: bool = False  # divide by powers of two with >> and &, which round down


@dataclass
class IndexPrinter:
    """Prints expressions; ``names`` gives the C++ text of a symbol, ``used`` collects the functions that were called.

    Symbols in ``leading`` (counters) come before others in a product.

    A quotient outside of ``floor`` is exact by construction (``N*(N + 1)/2``): ``/`` of the whole numerator is right.
    Raises ``ValueError`` for what is no integer arithmetic.
    """

    style: IndexStyle = IndexStyle()
    names: Mapping[str, str] | Callable[[str], str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    leading: Collection[str] = ()

    def text(self, expr: Expr | int) -> str:
        """The text of an expression, to stand where any operator of lower precedence than ``+`` may surround it."""
        return self._at_least(self._print(sympy.sympify(expr)), _SUM)

    def bare(self, expr: Expr | int) -> str:
        """The text of an expression, to stand alone: in brackets, or as an argument."""
        return self._print(sympy.sympify(expr))[0]

    def factor(self, expr: Expr | int) -> str:
        """The text of an expression, in parentheses if need be to stand as a factor."""
        return self._at_least(self._print(sympy.sympify(expr)), _PRODUCT)

    def _print(self, expr: sympy.Basic) -> _Text:
        numerator, denominator = _fraction(expr)
        if denominator != 1:
            divisor = self._at_least(self._print(denominator), _UNARY)
            return f"{self._at_least(self._print(numerator), _PRODUCT)} / {divisor}", _PRODUCT
        handler = self._handlers().get(_kind(expr))
        if handler is None:
            raise ValueError(f"no integer arithmetic in C++ for '{expr}' ({type(expr).__name__})")
        return handler(expr)

    def _handlers(self) -> dict[str, Callable[[sympy.Basic], _Text]]:
        return {
            "Symbol": self._symbol,
            "Integer": self._integer,
            "Add": self._sum,
            "Mul": self._product,
            "Pow": self._power,
            "Mod": lambda e: self._division("%", self.style.mod, *e.args),
            "floor": lambda e: self._floor(e.args[0]),
            "ceiling": lambda e: self._ceiling(e.args[0]),
            "int_floor": lambda e: self._division("/", self.style.floor_div, *e.args),
            "int_ceil": lambda e: self._division("/", self.style.floor_div, e.args[0] + e.args[1] - 1, e.args[1]),
            "Min": lambda e: self._fold(self.style.minimum, e),
            "Max": lambda e: self._fold(self.style.maximum, e),
        }

    def _symbol(self, expr: sympy.Basic) -> _Text:
        name = str(expr)
        text = self.names(name) if callable(self.names) else self.names.get(name, name)
        return text, _ATOM

    def _integer(self, expr: sympy.Basic) -> _Text:
        value = int(expr)
        suffix = "" if -(2**31) < value < 2**31 else "LL"
        return f"{value}{suffix}", _ATOM if value >= 0 else _UNARY

    def _sum(self, expr: sympy.Basic) -> _Text:
        positive: list[sympy.Basic] = []
        negative: list[sympy.Basic] = []
        for term in sympy.Add.make_args(expr):
            coefficient = term.as_coeff_Mul()[0]
            (negative if coefficient.is_negative else positive).append(term)
        if not positive:
            return f"-({self._print(-expr)[0]})", _UNARY
        text = " + ".join(self._at_least(self._print(t), _SUM) for t in sorted(positive, key=self._order))
        for term in sorted(negative, key=self._order):
            text += f" - {self._at_least(self._print(-term), _PRODUCT)}"
        return text, _SUM

    def _product(self, expr: sympy.Basic) -> _Text:
        coefficient, rest = expr.as_coeff_Mul()
        if coefficient == -1:
            return f"-{self._at_least(self._print(rest), _ATOM)}", _UNARY
        factors = [] if coefficient == 1 else [coefficient]
        factors += sorted(sympy.Mul.make_args(rest), key=self._order)
        return " * ".join(self._at_least(self._print(f), _PRODUCT) for f in factors), _PRODUCT

    def _power(self, expr: sympy.Basic) -> _Text:
        base, exponent = expr.args
        if exponent.is_Integer and 2 <= int(exponent) <= 4:
            return " * ".join([self._at_least(self._print(base), _UNARY)] * int(exponent)), _PRODUCT
        return self._call(self.style.power, base, exponent), _ATOM

    def _floor(self, argument: sympy.Basic) -> _Text:
        numerator, denominator = _fraction(argument)
        return (
            self._print(numerator)
            if denominator == 1
            else self._division("/", self.style.floor_div, numerator, denominator)
        )

    def _ceiling(self, argument: sympy.Basic) -> _Text:
        numerator, denominator = _fraction(argument)
        if denominator.is_Integer:
            return self._floor((numerator + denominator - 1) / denominator)
        return self._print(-sympy.floor(-argument))

    def _division(self, operator: str, function: str, dividend: sympy.Basic, divisor: sympy.Basic) -> _Text:
        if self.style.nonnegative:
            left = self._at_least(self._print(dividend), _PRODUCT)
            return f"{left} {operator} {self._at_least(self._print(divisor), _UNARY)}", _PRODUCT
        if self.style.shifts and divisor.is_Integer and divisor > 0 and divisor & (divisor - 1) == 0:
            left = self._at_least(self._print(dividend), _UNARY)
            text = f"{left} >> {int(divisor).bit_length() - 1}" if operator == "/" else f"{left} & {divisor - 1}"
            return text, _LOOSE
        return self._call(function, dividend, divisor), _ATOM

    def _fold(self, function: str, expr: sympy.Basic) -> _Text:
        args = sorted(expr.args, key=self._order)
        text = self._print(args[0])[0]
        for arg in args[1:]:
            text = f"{function}({text}, {self._print(arg)[0]})"
        self.used.add(function)
        return text, _ATOM

    def _call(self, function: str, *args: sympy.Basic) -> str:
        self.used.add(function)
        return f"{function}({', '.join(self._print(a)[0] for a in args)})"

    def _order(self, expr: sympy.Basic) -> tuple[int, bool, str]:
        """Symbols before numbers, products before symbols, otherwise alphabetical: ``i + 1``, ``i * n + j``."""
        degree = 0 if expr.is_number else 2 if expr.is_Mul or expr.is_Pow else 1
        return -degree, str(expr) not in self.leading, str(expr)

    def _at_least(self, text: _Text, precedence: int) -> str:
        return text[0] if text[1] >= precedence else f"({text[0]})"


def is_nonnegative_form(expr: Expr) -> bool:
    """Whether an expression in numbers that are not negative has no difference anywhere, so that unsigned is safe."""
    if expr.is_Integer:
        return int(expr) >= 0
    if expr.is_Rational:
        return False  # a quotient that is exact only as a whole
    return bool(expr.is_Symbol or (expr.args and all(is_nonnegative_form(a) or _is_inverse(a) for a in expr.args)))


def _is_inverse(expr: Expr) -> bool:
    """1/c inside of floor(x/c)."""
    if expr.is_Rational:
        return int(expr.p) == 1
    return bool(expr.is_Pow and expr.args[1] == -1 and is_nonnegative_form(expr.args[0]))


def _kind(expr: sympy.Basic) -> str:
    if expr.is_Integer:
        return "Integer"
    return "Symbol" if expr.is_Symbol else str(type(expr).__name__)


def _fraction(expr: sympy.Basic) -> tuple[sympy.Basic, sympy.Basic]:
    """Numerator and denominator, brought to one fraction only if there is something to bring."""
    if not (expr.is_Rational or expr.is_Add or expr.is_Mul or expr.is_Pow):
        return expr, sympy.Integer(1)
    numerator, denominator = sympy.fraction(expr)
    if expr.is_Add and any(sympy.fraction(t)[1] != 1 for t in expr.args):
        numerator, denominator = sympy.fraction(sympy.together(expr))
    return numerator, denominator
