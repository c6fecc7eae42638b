// What codelets must not do is found in the checked mode, and named; faults are found always.
#include "fixture.hpp"

#include <string>

using namespace poplar;
using namespace poplar::program;

namespace {

// As in codelets_by_hand.cpp.
enum Mistake { doNothing, readIn, readOut, writeIn, writeOut, divide, wildAddress, readAsIndex, countCalls, skipOne };

const OptionFlags checked{{"debug.checkVertices", "true"}};

/// A vertex on tile 2 with `in` = ints[2, 6), which holds 0, 1, 2, 3, and `out`, which holds nothing before.
struct Suspect : Fixture {
  Tensor ints, out;

  explicit Suspect(Mistake what, int at, bool strided = false, bool hasInput = true) {
    const std::vector<std::size_t> shape = strided ? std::vector<std::size_t>{8, 2} : std::vector<std::size_t>{8};
    const Tensor whole = variable("ints", shape, 0, INT);
    ints = strided ? whole.transpose()[1] : whole;
    out = variable("out", {5}, 3, INT);
    if (hasInput)
      graph.setInitialValue(ints.slice(2, 6), {0, 1, 2, 3});
    const ComputeSet cs = graph.addComputeSet("mistakes");
    vertex(cs, "Mistake", 2,
           {{"in", ints.slice(2, 6)}, {"out", out}, {"what", static_cast<int>(what)}, {"at", at}, {"state", 0}});
    prog.add(Execute(cs));
  }

  void run(const OptionFlags &options = checked) { engine(options).run(); }
};

const std::string who = "vertex 'Mistake' (number 0 of compute set 'mistakes', tile 2), a codelet of ";

} // namespace

TEST(a_vertex_that_does_nothing_wrong_passes_the_check) {
  for (const bool strided : {false, true})
    for (const int at : {0, 3}) {
      Suspect(doNothing, at, strided).run();
      Suspect(readIn, at, strided).run();
      Suspect(writeOut, at, strided).run();
      Suspect(readAsIndex, at, strided).run();
    }
}

TEST(writes_outside_of_an_edge) {
  for (const bool strided : {false, true}) {
    CHECK_THROWS(Suspect(writeOut, 5, strided).run(), application_runtime_error,
                 "writes element 5 of field 'out', which has 5 elements");
    CHECK_THROWS(Suspect(writeOut, -1, strided).run(), application_runtime_error,
                 "writes element -1 of field 'out', which has 5 elements");
    CHECK_THROWS(Suspect(writeIn, 4, strided).run(), application_runtime_error,
                 "writes element 4 of field 'in', which has 4 elements");
    CHECK_THROWS(Suspect(writeIn, 30, strided).run(), application_runtime_error, "writes element 30 of field 'in'");
    CHECK_THROWS(Suspect(writeIn, 2, strided).run(), application_runtime_error,
                 "writes element 2 of field 'in', which is an input");
  }
  CHECK_THROWS(Suspect(writeOut, 5).run(), application_runtime_error, who);
  CHECK_THROWS(Suspect(writeOut, 5).run(), application_runtime_error, "codelets_by_hand.cpp:");
}

TEST(reads_outside_of_an_edge) {
  for (const bool strided : {false, true}) {
    CHECK_THROWS(Suspect(readIn, 4, strided).run(), application_runtime_error,
                 "reads element 4 of field 'in', which has 4 elements");
    CHECK_THROWS(Suspect(readIn, -2, strided).run(), application_runtime_error,
                 "reads element -2 of field 'in', which has 4 elements");
    CHECK_THROWS(Suspect(readAsIndex, 5, strided).run(), application_runtime_error, "Mistake");
  }
}

TEST(reads_of_elements_that_were_never_written) {
  for (const bool strided : {false, true}) {
    Suspect s(readIn, 3, strided, false);
    s.graph.setInitialValue(s.ints.slice(2, 5), {0, 1, 2});
    CHECK_THROWS(s.run(), application_runtime_error, "reads element 3 of field 'in', which was never written");
    Suspect good(readIn, 2, strided, false);
    good.graph.setInitialValue(good.ints.slice(2, 5), {0, 1, 2});
    good.run();
  }
  CHECK_THROWS(Suspect(readOut, 4).run(), application_runtime_error,
               "reads element 4 of field 'out', which was never written");
}

// What an output leaves out stays unwritten, and only that.
TEST(outputs_that_are_not_written_stay_uninitialised) {
  for (const int read : {1, 2}) {
    Suspect s(skipOne, 2);
    const ComputeSet cs = s.graph.addComputeSet("later");
    const Tensor other = s.variable("other", {1}, 4, INT);
    s.vertex(cs, "Mistake", 4,
             {{"in", s.out}, {"out", other}, {"what", static_cast<int>(readIn)}, {"at", read}, {"state", 0}});
    s.prog.add(Execute(cs));
    if (read == 1)
      s.run();
    else
      CHECK_THROWS(s.run(), application_runtime_error, "reads element 2 of field 'in', which was never written");
  }
}

TEST(the_vertex_that_faults_is_named_among_its_like) {
  for (const OptionFlags &options : {OptionFlags(), checked}) {
    Suspect s(doNothing, 0);
    const ComputeSet cs = s.graph.addComputeSet("many");
    for (const Mistake what : {doNothing, readIn, wildAddress, doNothing}) {
      const Tensor out = s.variable("out" + std::to_string(s.graph.getNumVertices()), {5}, 3, INT);
      s.vertex(cs, "Mistake", 2,
               {{"in", s.ints.slice(2, 6)}, {"out", out}, {"what", static_cast<int>(what)}, {"at", 1}, {"state", 0}});
    }
    s.prog.add(Execute(cs));
    CHECK_THROWS(s.run(options), application_runtime_error, "vertex 'Mistake' (number 2 of compute set 'many', tile 2)");
  }
}

TEST(faults_are_exceptions_with_and_without_the_check) {
  for (const OptionFlags &options : {OptionFlags(), checked}) {
    Suspect good(divide, 1);
    good.run(options);
#ifdef __x86_64__ // other processors give a result
    CHECK_THROWS(Suspect(divide, 0).run(options), application_runtime_error, "divides an integer by zero");
    CHECK_THROWS(Suspect(divide, 0).run(options), application_runtime_error, who);
#endif
    CHECK_THROWS(Suspect(wildAddress, 8).run(options), application_runtime_error, "memory that does not exist");
  }
  for (const int far : {5000000, 200000}) // behind the guard zone, where without the check anything may be
    CHECK_THROWS(Suspect(writeOut, far).run(), application_runtime_error, "memory that does not exist");
}

namespace {

enum Race { ownElements, ownWords, sameValue, otherValue, increment, readNeighbour, halvesOfWords, sharedState };

std::vector<int> runRace(Race what, const OptionFlags &options = checked) {
  Fixture f;
  const Tensor out = f.variable("out", {6}, 0, INT), bits = f.variable("bits", {12}, 0, UNSIGNED_SHORT);
  f.graph.setInitialValue(out, 0);
  f.graph.setInitialValue(bits, 0);
  const ComputeSet cs = f.graph.addComputeSet("races");
  f.vertex(cs, "Race", 1, {{"out", out}, {"bits", bits}, {"what", static_cast<int>(what)}, {"state", 0}});
  f.prog.add(Execute(cs));
  Engine e = f.engine(options);
  e.run();
  std::vector<int> v(6);
  e.readTensor("out", v.data(), v.data() + v.size());
  return v;
}

} // namespace

TEST(workers_that_race) {
  CHECK_EQ(runRace(ownElements), (std::vector<int>{1, 2, 3, 4, 5, 6}));
  CHECK_EQ(runRace(sameValue), (std::vector<int>{0, 0, 5, 0, 0, 0}));
  runRace(ownWords);
  CHECK_THROWS(runRace(otherValue), application_runtime_error,
               "vertex 'Race' (number 0 of compute set 'races', tile 1), a codelet of ");
  CHECK_THROWS(runRace(otherValue), application_runtime_error,
               "races: its workers 0 and 1 write different values to element 2 of field 'out'");
  CHECK_THROWS(runRace(increment), application_runtime_error, "races: element 3 of field 'out' is another if");
  CHECK_THROWS(runRace(readNeighbour), application_runtime_error, "races: element 1 of field 'out' is another if");
  CHECK_THROWS(runRace(halvesOfWords), application_runtime_error,
               "workers 0 and 1 write into the 4 bytes of elements 0 to 1 of field 'bits'");
  CHECK_THROWS(runRace(sharedState), application_runtime_error,
               "workers 1 and 2 write different values to field 'state'");
  CHECK_EQ(runRace(increment, {}), (std::vector<int>{0, 0, 0, 6, 0, 0}));
}

// The minimum of what was never written and a negative number is that number.
TEST(minima_and_maxima_of_elements_that_were_never_written) {
  for (const float first : {-1.0f, 1.0f})
    for (const char *type : {"Minimum", "Maximum"}) {
      Fixture f;
      const Tensor x = f.variable("x", {4}), y = f.variable("y", {});
      f.graph.setInitialValue(x.slice(0, 2), first);
      const ComputeSet cs = f.graph.addComputeSet("cs");
      f.vertex(cs, type, 0, {{"in", x}, {"sum", y}});
      f.prog.add(Execute(cs));
      CHECK_THROWS(f.engine(checked).run(), application_runtime_error, "of field 'in', which was never written");
    }
}

// A codelet with a static variable gives another result every time: that is not a read of what it must not read.
TEST(codelets_that_never_do_the_same_are_not_blamed) { Suspect(countCalls, 0).run(); }

TEST(the_check_changes_no_results) {
  const auto run = [](const OptionFlags &options) {
    Fixture f;
    const Tensor x = f.spread("x", 12, 4), y = f.spread("y", 12, 3), counter = f.variable("n", {}, 0, INT);
    const Tensor more = f.variable("more", {}, 0, BOOL), one = f.graph.addConstant(FLOAT, {}, 1.0f);
    f.graph.setTileMapping(one, 0);
    const ComputeSet cs = f.graph.addComputeSet("cs");
    f.vertex(cs, "Axpy<float>", 1, {{"x", x.reverse(0)}, {"y", y}, {"out", x}, {"a", 2.0f}}); // in place
    const ComputeSet second = f.graph.addComputeSet("second");
    f.vertex(second, "Count", 0, {{"counter", counter}, {"more", more}, {"calls", 0}, {"limit", 3}});
    f.vertex(second, "AddTo", 2, {{"data", x.slice(0, 6)}, {"amount", one}});
    f.vertex(second, "AddTo", 2, {{"data", x.slice(0, 6)}, {"amount", one}}); // shares them
    f.prog.add(RepeatWhileTrue(Sequence({Execute(cs), Execute(second)}), more, Sequence()));
    Engine e = f.engine(options);
    write(e, "x", iota(12));
    write(e, "y", iota(12, 5));
    e.run();
    return readFloats(e, "x", 12);
  };
  CHECK_EQ(run({}), run(checked));
}
