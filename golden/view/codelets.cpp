#include <poplar/Vertex.hpp>

// Some of the iterations of a loop: consecutive ones, for one worker.
struct Share {
  int at, last;

  Share begin() const { return *this; }
  Share end() const { return {last, last}; }
  int operator*() const { return at; }
  void operator++() { ++at; }
  bool operator!=(Share other) const { return at != other.at; }
};

// x / 6, rounded up. The machine divides in software, which takes hundreds of cycles; a product will do.
inline int sixth(unsigned x) { return static_cast<int>((x + 5) * 0xAAAAAAABull >> 34); }

// One of the equal shares that six workers have in the iterations [begin, end).
inline Share share(int begin, int end, int worker) {
  const int each = sixth(end > begin ? end - begin : 0), first = begin + worker * each;
  return {first < end ? first : end, first + each < end ? first + each : end};
}

// The quotient of integers, rounded down as in Python; 0 if the divisor is 0, as in NumPy.
template <typename A, typename B> inline auto floor_div(A a, B b) -> decltype(a / b) {
  if (b == 0)
    return 0;
  const auto quotient = a / b;
  const auto rest = a - quotient * b;
  return rest != 0 && (rest < 0) != (b < 0) ? quotient - 1 : quotient;
}

// The remainder of integers with the sign of the divisor, as in Python; 0 if the divisor is 0, as in NumPy.
template <typename A, typename B> inline auto mod(A a, B b) -> decltype(a % b) {
  if (b == 0)
    return 0;
  const auto rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// test_golden.py:4   B[:] = flat + 1
class update_B : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  poplar::Vector<poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> B;
  int i0_size;
  int i1_size;
  int i0_begin;
  int i1_begin;
  int A_begin_0;

  bool compute(unsigned worker) {
    for (int i0 : share(0, i0_size, worker)) {
      for (int i1 = 0; i1 < i1_size; ++i1) {
        B[i0][i1] = A[6 * floor_div(4 * i0 + 4 * i0_begin + i1 + i1_begin,
            6) + mod(4 * i0 + 4 * i0_begin + i1 + i1_begin, 6) - 6 * A_begin_0] + 1.0f;
      }
    }
    return true;
  }
};
