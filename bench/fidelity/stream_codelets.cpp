#include <poplar/Vertex.hpp>

using namespace poplar;

using In = Input<Vector<float, VectorLayout::ONE_PTR, 8>>;
using Out = Output<Vector<float, VectorLayout::ONE_PTR, 8>>;

// Pointers that do not overlap, and loops unrolled by eight, as the benchmark writes them.
class Copy : public Vertex {
public:
  In a;
  Out c;
  unsigned size;

  bool compute() {
    const float *__restrict from = &a[0];
    float *__restrict to = &c[0];
#pragma unroll 8
    for (unsigned i = 0; i < size; ++i)
      to[i] = from[i];
    return true;
  }
};

class Mul : public Vertex {
public:
  In c;
  Out b;
  unsigned size;

  bool compute() {
    const float *__restrict from = &c[0];
    float *__restrict to = &b[0];
#pragma unroll 8
    for (unsigned i = 0; i < size; ++i)
      to[i] = 0.4f * from[i];
    return true;
  }
};

class Add : public Vertex {
public:
  In a, b;
  Out c;
  unsigned size;

  bool compute() {
    const float *__restrict left = &a[0], *__restrict right = &b[0];
    float *__restrict to = &c[0];
#pragma unroll 8
    for (unsigned i = 0; i < size; ++i)
      to[i] = left[i] + right[i];
    return true;
  }
};

class Triad : public Vertex {
public:
  In b, c;
  Out a;
  unsigned size;

  bool compute() {
    const float *__restrict left = &b[0], *__restrict right = &c[0];
    float *__restrict to = &a[0];
#pragma unroll 8
    for (unsigned i = 0; i < size; ++i)
      to[i] = left[i] + 0.4f * right[i];
    return true;
  }
};

class Dot : public Vertex {
public:
  In a, b;
  Output<float> sum;
  unsigned size;

  bool compute() {
    const float *__restrict left = &a[0], *__restrict right = &b[0];
    float total = 0;
#pragma unroll 8
    for (unsigned i = 0; i < size; ++i)
      total += left[i] * right[i];
    *sum = total;
    return true;
  }
};

class Sum : public Vertex {
public:
  Input<Vector<float>> partials;
  Output<float> sum;
  unsigned size;

  bool compute() {
    float total = 0;
#pragma unroll 8
    for (unsigned i = 0; i < size; ++i)
      total += partials[i];
    *sum = total;
    return true;
  }
};
