// VectorList: a rank-2 edge whose row pointers the device stores compressed.
#ifndef poplar_VectorListTypes_hpp
#define poplar_VectorListTypes_hpp

#include "VectorTypes.hpp"

#include <cstddef>

namespace poplar {

enum class VectorListLayout : unsigned { DELTAN, DELTANELEMENTS, COMPACT_DELTAN };

/// Rows of T; `list[i][j]`, `list.size()`, `list[i].size()`.
template <typename T, VectorListLayout Layout, std::size_t MinAlign = alignof(T), bool Interleaved = false>
class VectorList : public Vector<Vector<T, VectorLayout::SPAN, MinAlign, Interleaved>> {};

} // namespace poplar

#endif
