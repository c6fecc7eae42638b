// Input, Output and InOut: the edges of a vertex.
#ifndef poplar_FieldTypes_hpp
#define poplar_FieldTypes_hpp

#include "VectorListTypes.hpp"
#include "VectorTypes.hpp"

#include <cstddef>

namespace poplar {
namespace detail {

/// An edge to one element: behaves as a reference to it, and as a pointer to it. Assigning writes the element.
template <typename T> class ScalarEdge {
public:
  using value_type = T;

  ScalarEdge() = default;
  ScalarEdge(const ScalarEdge &) = default;
  ScalarEdge &operator=(const ScalarEdge &other) {
    *data_ = *other.data_;
    return *this;
  }

  T &operator*() const { return *data_; }
  T *operator->() const { return data_; }
  operator T &() const { return *data_; }

#define POPLAR_ASSIGNMENT(OP)                                                                                          \
  template <typename U> T &operator OP(const U &value) { return *data_ OP value; }
  POPLAR_ASSIGNMENT(+=)
  POPLAR_ASSIGNMENT(-=)
  POPLAR_ASSIGNMENT(*=)
  POPLAR_ASSIGNMENT(/=)
  POPLAR_ASSIGNMENT(%=)
  POPLAR_ASSIGNMENT(&=)
  POPLAR_ASSIGNMENT(|=)
  POPLAR_ASSIGNMENT(^=)
  POPLAR_ASSIGNMENT(<<=)
  POPLAR_ASSIGNMENT(>>=)
#undef POPLAR_ASSIGNMENT
  T &operator++() { return ++*data_; }
  T &operator--() { return --*data_; }
  T operator++(int) { return (*data_)++; }
  T operator--(int) { return (*data_)--; }

protected:
  T *data_;
  std::size_t size_; // 1
};

} // namespace detail

// The three directions differ in what libpoplar does before and after the compute set, not in what a codelet may write:
// public programs read their outputs back and write through inputs that live on the same tile.
#define POPLAR_EDGE(Edge)                                                                                              \
  template <typename T> class Edge : public detail::ScalarEdge<T> {                                                    \
  public:                                                                                                              \
    Edge() = default;                                                                                                  \
    Edge(const Edge &) = default;                                                                                      \
    Edge &operator=(const Edge &) = default;                                                                           \
    template <typename U> Edge &operator=(const U &value) {                                                            \
      *this->data_ = value;                                                                                            \
      return *this;                                                                                                    \
    }                                                                                                                  \
  };                                                                                                                   \
  template <typename T, VectorLayout Layout, std::size_t MinAlign, bool Interleaved>                                   \
  class Edge<Vector<T, Layout, MinAlign, Interleaved>> : public Vector<T, Layout, MinAlign, Interleaved> {             \
  public:                                                                                                              \
    const Edge &operator*() const { return *this; }                                                                    \
    const Edge *operator->() const { return this; }                                                                    \
  };                                                                                                                   \
  template <typename T, VectorListLayout Layout, std::size_t MinAlign, bool Interleaved>                               \
  class Edge<VectorList<T, Layout, MinAlign, Interleaved>> : public VectorList<T, Layout, MinAlign, Interleaved> {     \
  public:                                                                                                              \
    const Edge &operator*() const { return *this; }                                                                    \
    const Edge *operator->() const { return this; }                                                                    \
  };

POPLAR_EDGE(Input)
POPLAR_EDGE(Output)
POPLAR_EDGE(InOut)
#undef POPLAR_EDGE

} // namespace poplar

#endif
