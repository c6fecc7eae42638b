#include <poplar/Vertex.hpp>

using namespace poplar;

class Pairs : public MultiVertex {
public:
  Input<Vector<int, VectorLayout::ONE_PTR>> in;
  Output<Vector<int>> out;
  int zero;

  bool compute(unsigned worker) {
    for (unsigned i = worker; i < out.size(); i += numWorkers())
      out[i] = in[2 * i] + in[2 * i + 1];
    return true;
  }
};

class Shifted : public Vertex {
public:
  Input<Vector<int>> in;
  Output<Vector<int>> out;
  int zero;

  bool compute() {
    int *p = &out[0];
    for (unsigned i = 0; i < in.size(); ++i)
      p[i] = in[i];
    return true;
  }
};

class Divided : public Vertex {
public:
  Input<Vector<int>> in;
  Output<Vector<int>> out;
  int zero;

  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = in[0] / zero;
    return true;
  }
};

class Summed : public MultiVertex {
public:
  Input<Vector<int>> in;
  InOut<Vector<int>> out;
  int zero;

  bool compute(unsigned worker) {
    for (unsigned i = worker; i < in.size(); i += numWorkers())
      out[0] += in[i];
    return true;
  }
};

class Marked : public MultiVertex {
public:
  Input<Vector<int>> in;
  Output<Vector<int>> out;
  int zero;

  bool compute(unsigned worker) {
    unsigned char *bytes = reinterpret_cast<unsigned char *>(&out[0]);
    for (unsigned i = worker; i < 4 * out.size(); i += numWorkers())
      bytes[i] = 1;
    return true;
  }
};

class Passed : public MultiVertex {
public:
  Input<Vector<int>> in;
  Output<Vector<int>> out;
  int zero;

  bool compute(unsigned worker) {
    out[worker] = worker == 0 ? in[0] : out[worker - 1] + 1;
    return true;
  }
};
