// Tensors that hold the metadata of quarter tensors.
#ifndef poplar_MetadataCreation_hpp
#define poplar_MetadataCreation_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/QuarterMetadata.hpp>
#include <poplar/Tensor.hpp>

namespace poplar {

/// One element of type QUARTER_METADATA on tile 0: a constant, or a variable with that initial value. Throws
/// tensor_metadata_error for a scale outside [-32, 31].
Tensor createConstantMetadataTensor(Graph &graph, QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {});
Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {});

} // namespace poplar

#endif
