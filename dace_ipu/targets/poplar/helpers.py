"""Functions that codelets call and C++ does not have. A codelet file gets those that it uses, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["helpers_text", "needs_cmath", "needs_vectors"]


@dataclass(frozen=True)
class _Helper:
    """A definition, the helpers it needs, and whether it needs <cmath> or <ipu_vector_math>."""

    text: str
    needs: tuple[str, ...] = ()
    cmath: bool = False
    vectors: bool = False


# Each goes into the file in this order. The arithmetic ones mean what NumPy does.
_TABLE: dict[str, _Helper] = {
    "min": _Helper("""\
// The lesser of two values; a NaN if there is one.
template <typename A, typename B> inline auto min(A a, B b) -> decltype(a + b) {
  return b != b ? b : b < a ? b : a;
}
"""),
    "max": _Helper("""\
// The greater of two values; a NaN if there is one.
template <typename A, typename B> inline auto max(A a, B b) -> decltype(a + b) {
  return b != b ? b : b > a ? b : a;
}
"""),
    "pairs": _Helper(
        """\
// The elements of a row two by two: rows begin at multiples of eight bytes.
inline float2 *pairs(float *row) { return reinterpret_cast<float2 *>(row); }
inline const float2 *pairs(const float *row) { return reinterpret_cast<const float2 *>(row); }
""",
        vectors=True,
    ),
    "select_pairs": _Helper("""\
// Of each lane `a` where it was found true, else `b`.
inline float2 select(int2 answer, float2 a, float2 b) { return (float2)((answer & (int2)a) | (~answer & (int2)b)); }
"""),
    "min_pairs": _Helper(
        """\
// The lesser value of each lane; a NaN if there is one.
inline float2 min(float2 a, float2 b) { return select(b != b, b, select(b < a, b, a)); }
""",
        needs=("select_pairs",),
    ),
    "max_pairs": _Helper(
        """\
// The greater value of each lane; a NaN if there is one.
inline float2 max(float2 a, float2 b) { return select(b != b, b, select(b > a, b, a)); }
""",
        needs=("select_pairs",),
    ),
    "share": _Helper("""\
// Some of the iterations of a loop: consecutive ones, for one worker.
struct Share {
  int at, last;

  Share begin() const { return *this; }
  Share end() const { return {last, last}; }
  int operator*() const { return at; }
  void operator++() { ++at; }
  bool operator!=(Share other) const { return at != other.at; }
};

// A worker's share of the iterations [begin, end), with borders that lie `phase` behind a multiple of `grain` (2 or 4):
// two workers must never write parts of the same 32-bit word. The machine divides in software, which takes hundreds of
// cycles, so that a product has to do: x / 6.
template <int grain> inline Share share(int begin, int end, int worker, int phase = 0) {
  const int origin = begin - ((begin - phase) & (grain - 1));
  const unsigned grains = end > begin ? static_cast<unsigned>(end - origin + grain - 1) / grain : 0;
  const int each = static_cast<int>((grains + 5) * 0xAAAAAAABull >> 34) * grain, first = origin + worker * each;
  const int last = first + each < end ? first + each : end, at = first > begin ? first : begin;
  return {at < last ? at : last, last};
}
"""),
    "floor_div": _Helper("""\
// The quotient of integers, rounded down as in Python; 0 if the divisor is 0, as in NumPy, where the least number
// divided by -1 is itself.
template <typename A, typename B> inline auto floor_div(A a, B b) -> decltype(a / b) {
  if (b == 0)
    return 0;
  if (b < 0 && b == B(-1))
    return -a;
  const auto quotient = a / b;
  const auto rest = a - quotient * b;
  return rest != 0 && (rest < 0) != (b < 0) ? quotient - 1 : quotient;
}
"""),
    "ceil_div": _Helper(
        """\
// The quotient of integers, rounded up; 0 if the divisor is 0.
template <typename A, typename B> inline auto ceil_div(A a, B b) -> decltype(a / b) {
  if (b == 0)
    return 0;
  const auto quotient = a / b;
  const auto rest = a - quotient * b;
  return rest != 0 && (rest < 0) == (b < 0) ? quotient + 1 : quotient;
}
"""
    ),
    "mod": _Helper("""\
// The remainder of integers with the sign of the divisor, as in Python; 0 if the divisor is 0, as in NumPy.
template <typename A, typename B> inline auto mod(A a, B b) -> decltype(a % b) {
  if (b == 0 || (b < 0 && b == B(-1)))
    return 0;
  const auto rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
"""),
    "mod_float": _Helper(
        """\
// The remainder with the sign of the divisor, as in Python.
inline float mod(float a, float b) {
  const float r = std::fmod(a, b);
  if (r == 0.0f)
    return std::copysign(0.0f, b);
  return (r < 0.0f) != (b < 0.0f) ? r + b : r;
}
""",
        cmath=True,
    ),
    "floor_div_float": _Helper(
        """\
// The quotient rounded down, as NumPy computes it: from the remainder, so that (a // b) * b + a % b is a.
inline float floor_div(float a, float b) {
  if (b == 0.0f)
    return a / b;
  const float quotient = (a - mod(a, b)) / b;
  if (quotient == 0.0f)
    return std::copysign(0.0f, a / b);
  const float down = std::floor(quotient);
  return quotient - down > 0.5f ? down + 1.0f : down;
}
""",
        needs=("mod_float",),
        cmath=True,
    ),
    "ipow": _Helper("""\
// base to the power of an exponent that is not negative, by squaring.
template <typename T> inline T ipow(T base, unsigned exponent) {
  T power = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1)
      power = power * base;
    base = base * base;
  }
  return power;
}
"""),
    "absolute": _Helper("""\
// The magnitude of an integer.
template <typename T> inline T absolute(T x) { return x < 0 ? -x : x; }
"""),
    "sign": _Helper("""\
// -1, 0 or 1; a NaN stays one.
template <typename T> inline T sign(T x) { return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? T(0) : x; }
"""),
    "heaviside": _Helper("""\
// 0 below zero, 1 above, `middle` at zero.
inline float heaviside(float x, float middle) { return x == 0.0f ? middle : x < 0.0f ? 0.0f : x > 0.0f ? 1.0f : x; }
"""),
    "gcd": _Helper(
        """\
// The greatest common divisor of two integers, not negative.
template <typename T> inline T gcd(T a, T b) {
  while (b != 0) {
    const T rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}
"""
    ),
    "lcm": _Helper(
        """\
// The least common multiple of two integers, not negative.
template <typename T> inline T lcm(T a, T b) {
  if (a == 0 || b == 0)
    return 0;
  const T multiple = a / gcd(a, b) * b;
  return multiple < 0 ? -multiple : multiple;
}
""",
        needs=("gcd",),
    ),
    "circular": _Helper(
        """\
// sin(x + quarters * pi / 2), to two units in the last place for |x| < 100: without the quarters of a turn that are in x
// (pi / 2 has four parts here, three of which are so short that products with them are exact), by the polynomials that
// deviate least on [-pi / 4, pi / 4].
inline float circular(float x, int quarters) {
  const float turned = std::rint(x * 0.63661977f) + 0.0f;
  const float near = x - turned * 1.5703125f - turned * 4.8375130e-4f - turned * 7.5495336e-8f;
  const float r = near - turned * 2.5633440e-12f, z = r * r;
  const float s = r * (1.0f + z * (-0.16666654f + z * (8.3321370e-3f + z * -1.9512029e-4f)));
  const float c = 1.0f - (0.5f * z - z * z * (4.1666646e-2f + z * (-1.3887284e-3f + z * 2.4429439e-5f)));
  quarters += static_cast<int>(turned);
  const float size = quarters & 1 ? c : s;
  return quarters & 2 ? -size : size;
}
""",
        cmath=True,
    ),
    "sine": _Helper(
        """\
// The library's function takes fifty times as long, but knows enough of pi for large arguments.
inline float sine(float x) { return std::fabs(x) < 10000.0f ? circular(x, 0) : std::sin(x); }
""",
        needs=("circular",),
    ),
    "cosine": _Helper(
        """\
inline float cosine(float x) { return std::fabs(x) < 10000.0f ? circular(x, 1) : std::cos(x); }
""",
        needs=("circular",),
    ),
    "angle": _Helper(
        """\
// atan2(y, x), to two units in the last place: by the polynomial that deviates least from the arctangent of the smaller
// over the larger. Zeros, infinities and NaN are left to the library.
inline float angle(float y, float x) {
  const float width = std::fabs(x), height = std::fabs(y);
  const float larger = height > width ? height : width, smaller = height > width ? width : height;
  if (!(larger > 0.0f && larger < INFINITY))
    return std::atan2(y, x);
  const float t = smaller / larger, z = t * t;
  const float high = 4.3211866e-2f + z * (-1.6367931e-2f + z * 2.9206930e-3f);
  const float low = -0.14211056f + z * (0.10666005f + z * (-7.5522147e-2f + z * high));
  float result = t + t * z * (-0.33333153f + z * (0.19993773f + z * low));
  result = height > width ? 1.5707964f - result : result;
  result = x < 0.0f ? 3.1415927f - result : result;
  return std::copysign(result, y);
}
""",
        cmath=True,
    ),
    "complex64": _Helper("""\
// A complex number, stored as real and imaginary part.
struct complex64 {
  float re, im;

  complex64() = default;
  complex64(float re, float im = 0.0f) : re(re), im(im) {}
};

inline complex64 operator+(complex64 a, complex64 b) { return {a.re + b.re, a.im + b.im}; }
inline complex64 operator-(complex64 a, complex64 b) { return {a.re - b.re, a.im - b.im}; }
inline complex64 operator-(complex64 a) { return {-a.re, -a.im}; }
inline complex64 operator*(complex64 a, complex64 b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline complex64 &operator+=(complex64 &a, complex64 b) { return a = a + b; }
inline complex64 &operator*=(complex64 &a, complex64 b) { return a = a * b; }
inline bool operator==(complex64 a, complex64 b) { return a.re == b.re && a.im == b.im; }
inline bool operator!=(complex64 a, complex64 b) { return !(a == b); }
"""),
    "complex_div": _Helper(
        """\
// Scales by the larger part of the divisor (Smith, Algorithm 116), so that nothing overflows on the way.
inline complex64 operator/(complex64 a, complex64 b) {
  if (std::fabs(b.re) >= std::fabs(b.im)) {
    const float ratio = b.im / b.re, scale = 1.0f / (b.re + b.im * ratio);
    return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
  }
  const float ratio = b.re / b.im, scale = 1.0f / (b.im + b.re * ratio);
  return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}
""",
        needs=("complex64",),
        cmath=True,
    ),
    "complex_abs": _Helper(
        "inline float abs(complex64 z) { return std::hypot(z.re, z.im); }\n", needs=("complex64",), cmath=True
    ),
    "conj": _Helper("inline complex64 conj(complex64 z) { return {z.re, -z.im}; }\n", needs=("complex64",)),
    "complex_exp": _Helper(
        """\
inline complex64 exp(complex64 z) {
  const float radius = std::exp(z.re);
  return {radius * cosine(z.im), radius * sine(z.im)};
}
""",
        needs=("complex64", "sine", "cosine"),
        cmath=True,
    ),
    "complex_log": _Helper(
        """\
inline complex64 log(complex64 z) { return {std::log(std::hypot(z.re, z.im)), angle(z.im, z.re)}; }
""",
        needs=("complex64", "angle"),
        cmath=True,
    ),
    "complex_log10": _Helper(
        """\
inline complex64 log10(complex64 z) { return log(z) * complex64(0.4342944819f); }
""",
        needs=("complex_log",),
    ),
    "complex_log2": _Helper(
        """\
inline complex64 log2(complex64 z) { return log(z) * complex64(1.442695041f); }
""",
        needs=("complex_log",),
    ),
    "complex_log1p": _Helper(
        """\
inline complex64 log1p(complex64 z) { return log(z + complex64(1.0f)); }
""",
        needs=("complex_log",),
    ),
    "complex_expm1": _Helper(
        """\
inline complex64 expm1(complex64 z) { return exp(z) - complex64(1.0f); }
""",
        needs=("complex_exp",),
    ),
    "complex_exp2": _Helper(
        """\
inline complex64 exp2(complex64 z) { return exp(z * complex64(0.6931471806f)); }
""",
        needs=("complex_exp",),
    ),
    "complex_sinh": _Helper(
        """\
inline complex64 sinh(complex64 z) { return {std::sinh(z.re) * cosine(z.im), std::cosh(z.re) * sine(z.im)}; }
""",
        needs=("complex64", "sine", "cosine"),
        cmath=True,
    ),
    "complex_cosh": _Helper(
        """\
inline complex64 cosh(complex64 z) { return {std::cosh(z.re) * cosine(z.im), std::sinh(z.re) * sine(z.im)}; }
""",
        needs=("complex64", "sine", "cosine"),
        cmath=True,
    ),
    "complex_tanh": _Helper(
        """\
// Beyond 20 it is 1 in float32, and the quotient would be one of infinities.
inline complex64 tanh(complex64 z) {
  if (std::fabs(z.re) > 20.0f)
    return {std::copysign(1.0f, z.re), 0.0f};
  const float scale = 1.0f / (std::cosh(2.0f * z.re) + cosine(2.0f * z.im));
  return {std::sinh(2.0f * z.re) * scale, sine(2.0f * z.im) * scale};
}
""",
        needs=("complex64", "sine", "cosine"),
        cmath=True,
    ),
    "complex_sin": _Helper(
        """\
inline complex64 sin(complex64 z) { return {sine(z.re) * std::cosh(z.im), cosine(z.re) * std::sinh(z.im)}; }
""",
        needs=("complex64", "sine", "cosine"),
        cmath=True,
    ),
    "complex_cos": _Helper(
        """\
inline complex64 cos(complex64 z) { return {cosine(z.re) * std::cosh(z.im), -sine(z.re) * std::sinh(z.im)}; }
""",
        needs=("complex64", "sine", "cosine"),
        cmath=True,
    ),
    "complex_tan": _Helper(
        """\
inline complex64 tan(complex64 z) {
  const complex64 turned = tanh(complex64(-z.im, z.re));
  return {turned.im, -turned.re};
}
""",
        needs=("complex_tanh",),
    ),
    "complex_pow": _Helper(
        """\
// exp(exponent * log(base)), exact where NumPy is: for whole exponents below 100 in magnitude, and for a base of zero.
inline complex64 pow(complex64 base, complex64 exponent) {
  const int whole = std::fabs(exponent.re) < 100.0f ? static_cast<int>(exponent.re) : 0;
  if (exponent.re == 0.0f && exponent.im == 0.0f)
    return {1.0f, 0.0f};
  if (base.re == 0.0f && base.im == 0.0f)
    return exponent.re > 0.0f ? complex64{0.0f, 0.0f} : complex64{NAN, NAN};
  if (exponent.im == 0.0f && exponent.re == static_cast<float>(whole)) {
    const complex64 power = ipow(base, static_cast<unsigned>(whole < 0 ? -whole : whole));
    return whole < 0 ? complex64{1.0f, 0.0f} / power : power;
  }
  return exp(exponent * log(base));
}
""",
        needs=("ipow", "complex_div", "complex_exp", "complex_log"),
        cmath=True,
    ),
    "complex_sqrt": _Helper(
        """\
// The root with a real part that is not negative.
inline complex64 sqrt(complex64 z) {
  if (z.re == 0.0f && z.im == 0.0f)
    return {0.0f, z.im};
  const float half_sum = std::sqrt(0.5f * (std::fabs(z.re) + std::hypot(z.re, z.im)));
  const float rest = 0.5f * std::fabs(z.im) / half_sum;
  if (z.re >= 0.0f)
    return {half_sum, std::copysign(rest, z.im)};
  return {rest, std::copysign(half_sum, z.im)};
}
""",
        needs=("complex64",),
        cmath=True,
    ),
    "load": _Helper(
        """\
// Element `index` of a field of complex numbers, which Poplar knows as floats.
template <typename Field> inline complex64 load(Field &field, unsigned index) {
  return {field[2 * index], field[2 * index + 1]};
}
""",
        needs=("complex64",),
    ),
    "store": _Helper(
        """\
template <typename Field> inline void store(Field &field, unsigned index, complex64 value) {
  field[2 * index] = value.re;
  field[2 * index + 1] = value.im;
}
""",
        needs=("complex64",),
    ),
}


def helpers_text(used: Iterable[str]) -> str:
    """The definitions of the helpers of these names and of those they need, in a fixed order.

    Raises ``KeyError`` for a name that is not in the table.
    """
    needed = _closure(used)
    return "\n".join(helper.text for name, helper in _TABLE.items() if name in needed)


def needs_cmath(used: Iterable[str]) -> bool:
    """Whether one of these helpers calls a function of <cmath>."""
    return any(_TABLE[name].cmath for name in _closure(used))


def needs_vectors(used: Iterable[str]) -> bool:
    """Whether one of these helpers uses the machine's vector types."""
    return any(_TABLE[name].vectors for name in _closure(used))


def _closure(used: Iterable[str]) -> set[str]:
    needed: set[str] = set()
    pending = list(used)
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending.extend(_TABLE[name].needs)
    return needed
