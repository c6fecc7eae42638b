// Quarter tensors and the metadata that travels with them.
#include "fixture.hpp"

#include <poplar/MetadataCreation.hpp>
#include <poplar/exceptions.hpp>

#include <sstream>

using namespace poplar;
using namespace poplar::program;
using Format = QuarterMetadata::Format;

TEST(metadata_is_packed_into_one_byte) {
  for (const Format format : {Format::F143, Format::F152})
    for (int scale = -32; scale < 32; ++scale)
      CHECK(QuarterMetadata(QuarterMetadata(format, scale).getBinary()) == QuarterMetadata(format, scale));
}

TEST(views_and_clones_keep_metadata) {
  Fixture f;
  const Tensor m = createVariableMetadataTensor(f.graph, Format::F152, -3, "m");
  const Tensor q = f.graph.addVariable(QUARTER, m, {4, 2}, "q");
  f.graph.setTileMapping(q, 1);
  CHECK(q.hasMetadata());
  CHECK(q.getMetadata() == m);
  CHECK(q.transpose()[1].slice(1, 3).getMetadata() == m);
  CHECK(f.graph.clone(q).getMetadata() == m);
  const Tensor other = createConstantMetadataTensor(f.graph, Format::F143, 0);
  CHECK(f.graph.clone(QUARTER, other, q).getMetadata() == other);
  const Tensor c = f.graph.addConstant(QUARTER, other, {2}, static_cast<unsigned char>(7));
  CHECK(c.getMetadata() == other);
  // Code that serves every type passes on whatever a tensor has.
  const Tensor plain = f.variable("plain", {2});
  CHECK(!plain.hasMetadata());
  CHECK(!plain.getMetadata().valid());
  CHECK(!f.graph.addVariable(FLOAT, plain.getMetadata(), {3}, VariableMappingMethod::LINEAR).hasMetadata());
}

TEST(metadata_that_does_not_fit_is_refused) {
  Fixture f;
  const Tensor m = createConstantMetadataTensor(f.graph, Format::F143, 31);
  const Tensor number = f.variable("number", {});
  CHECK_THROWS(createConstantMetadataTensor(f.graph, Format::F143, 32), tensor_metadata_error, "scale 32");
  CHECK_THROWS(f.graph.addVariable(FLOAT, m, {2}), tensor_metadata_error, "has no metadata");
  CHECK_THROWS(f.graph.addVariable(QUARTER, number, {2}), tensor_metadata_error, "needs one element");
  CHECK_THROWS(f.graph.addVariable(QUARTER, Tensor(), {2}), tensor_metadata_error, "needs one element");
  CHECK_THROWS(f.graph.addConstant(QUARTER, m, {2}, 1.5f), type_error, "only its bits");
}

TEST(quarters_and_their_metadata_are_data_and_serialise) {
  Fixture f;
  const Tensor m = createVariableMetadataTensor(f.graph, Format::F152, 5);
  const Tensor q = f.graph.addVariable(QUARTER, m, {2}, "q"), copy = f.graph.addVariable(QUARTER, m, {2}, "copy");
  f.graph.setTileMapping(q, 0);
  f.graph.setTileMapping(copy, 1);
  f.graph.createHostWrite("q", q);
  f.graph.createHostRead("copy", copy);
  f.graph.createHostRead("m", q.getMetadata());
  f.prog.add(Copy(q, copy));
  std::stringstream stream;
  compileGraph(f.graph, {f.prog}).serialize(stream);
  Engine e(Executable::deserialize(stream));
  e.load(f.device);
  const unsigned char bits[2] = {0x12, 0xfe};
  unsigned char back[2] = {}, binary = 0;
  e.writeTensor("q", bits, bits + 2);
  e.run();
  e.readTensor("copy", back, back + 2);
  e.readTensor("m", &binary, &binary + 1);
  CHECK_EQ(back[1], bits[1]);
  CHECK(QuarterMetadata(binary) == QuarterMetadata(Format::F152, 5));
}
