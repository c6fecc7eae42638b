// Executes programs of model.py: reads them from the standard input, one operation a line, and prints what they read.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <cstring>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

using Words = std::istringstream;

std::size_t next(Words &words) {
  std::size_t value = 0;
  if (!(words >> value))
    throw std::runtime_error("a number is missing: " + words.str());
  return value;
}

template <typename T> std::vector<T> list(Words &words) {
  std::vector<T> values(next(words));
  for (T &v : values)
    v = static_cast<T>(next(words));
  return values;
}

class RandomGraph {
public:
  RandomGraph(unsigned tiles, bool checked, const std::string &codelets)
      : device_(machine(tiles)), graph_(device_), tiles_(tiles), checked_(checked) {
    graph_.addCodelets(codelets);
    sequences_.emplace_back();
  }

  void line(const std::string &text) {
    Words words(text);
    std::string operation;
    words >> operation;
    if (operation == "variable")
      variable(words);
    else if (operation == "vertices")
      sequences_.back().add(Execute(current_ = graph_.addComputeSet()));
    else if (operation == "vertex")
      vertex(words);
    else if (operation == "copy")
      copy(words);
    else if (operation == "repeat")
      beginRepeat(next(words));
    else if (operation == "end")
      endRepeat();
    else if (operation == "read")
      read(tensor(words));
    else
      tensors_.push_back(view(operation, words));
  }

  void run() {
    Engine engine(graph_, sequences_.back(), {{"debug.checkVertices", checked_ ? "true" : "false"}});
    engine.load(device_);
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const std::vector<std::uint8_t> bytes = initial(i);
      engine.writeTensor("write" + std::to_string(i), bytes.data(), bytes.data() + bytes.size());
    }
    engine.run();
    engine.run();
    for (std::size_t i = 0; i < reads_.size(); ++i)
      print(engine, i);
  }

private:
  static Device machine(unsigned tiles) {
    IPUModel model;
    model.tilesPerIPU = tiles;
    return model.createDevice();
  }

  static Type typeNamed(const std::string &name) {
    return name == "float" ? FLOAT : name == "uint" ? UNSIGNED_INT : UNSIGNED_CHAR;
  }

  const Tensor &tensor(Words &words) const { return tensors_.at(next(words)); }

  void read(const Tensor &t) {
    graph_.createHostRead("read" + std::to_string(reads_.size()), t);
    reads_.push_back(t);
  }

  // variable <type> <grain> <step> <shape>: block k of `grain` elements goes to tile k * step.
  void variable(Words &words) {
    std::string type;
    words >> type;
    const std::size_t grain = next(words), step = next(words);
    const Tensor t = graph_.addVariable(typeNamed(type), list<std::size_t>(words), "v");
    const Tensor flat = t.flatten();
    for (std::size_t b = 0, k = 0; b < flat.numElements(); b += grain, ++k)
      graph_.setTileMapping(flat.slice(b, std::min(b + grain, flat.numElements())), k * step % tiles_);
    graph_.createHostWrite("write" + std::to_string(variables_.size()), t);
    variables_.push_back(t);
    tensors_.push_back(t);
  }

  template <typename T> static std::vector<std::uint8_t> values(std::size_t count, std::size_t variable) {
    std::vector<std::uint8_t> bytes(count * sizeof(T));
    for (std::size_t k = 0; k < count; ++k) {
      const T value = static_cast<T>((7 * k + 13 * variable) % 100);
      std::memcpy(bytes.data() + k * sizeof(T), &value, sizeof(T));
    }
    return bytes;
  }

  std::vector<std::uint8_t> initial(std::size_t i) const {
    const Tensor &t = variables_[i];
    if (t.elementType() == FLOAT)
      return values<float>(t.numElements(), i);
    if (t.elementType() == UNSIGNED_INT)
      return values<unsigned>(t.numElements(), i);
    return values<unsigned char>(t.numElements(), i);
  }

  Tensor view(const std::string &operation, Words &words) {
    if (operation == "concat") {
      const unsigned dim = next(words);
      std::vector<Tensor> parts;
      for (const std::size_t i : list<std::size_t>(words))
        parts.push_back(tensors_.at(i));
      return concat(parts, dim);
    }
    const Tensor t = tensor(words);
    if (operation == "reshape")
      return t.reshape(list<std::size_t>(words));
    if (operation == "shuffle")
      return t.dimShuffle(list<unsigned>(words));
    const unsigned dim = next(words);
    if (operation == "reverse")
      return t.reverse(dim);
    if (operation == "expand")
      return t.expand({dim});
    if (operation == "roll")
      return t.dimRoll(dim, next(words));
    const std::size_t a = next(words);
    if (operation == "slice")
      return t.slice(a, next(words), dim);
    if (operation == "index")
      return t.dimRoll(dim)[a];
    if (operation == "sample")
      return t.subSample(a, dim);
    if (operation == "broadcast")
      return t.broadcast(a, dim);
    if (operation == "upsample")
      return t.upsample(a, dim, UpsampleMethod::REPEAT);
    throw std::runtime_error("unknown operation " + operation);
  }

  void copy(Words &words) {
    const Tensor src = tensor(words), dst = tensor(words);
    sequences_.back().add(Copy(src, dst));
  }

  // vertex <class> <tile> <in> <out>
  void vertex(Words &words) {
    std::string type;
    words >> type;
    const unsigned tile = next(words);
    Tensor in = tensor(words), out = tensor(words);
    if (type != "AddRows") {
      in = in.flatten();
      out = out.flatten();
    }
    const VertexRef v = graph_.addVertex(current_, type + "<" + in.elementType().toString() + ">",
                                         {{"in", in}, {"out", out}});
    graph_.setTileMapping(v, tile);
  }

  void beginRepeat(std::size_t count) {
    repeats_.push_back(count);
    sequences_.emplace_back();
  }

  void endRepeat() {
    const Sequence body = sequences_.back();
    sequences_.pop_back();
    sequences_.back().add(Repeat(static_cast<unsigned>(repeats_.back()), body));
    repeats_.pop_back();
  }

  template <typename T> static void printAs(const std::vector<char> &bytes) {
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) {
      T value;
      std::memcpy(&value, &bytes[i], sizeof(T));
      std::cout << static_cast<double>(value) << ' ';
    }
    std::cout << '\n';
  }

  void print(Engine &engine, std::size_t i) {
    const Tensor &t = reads_[i];
    std::vector<char> bytes(t.numElements() * graph_.getTarget().getTypeSize(t.elementType()));
    engine.readTensor("read" + std::to_string(i), bytes.data(), bytes.data() + bytes.size());
    if (t.elementType() == FLOAT)
      printAs<float>(bytes);
    else if (t.elementType() == UNSIGNED_INT)
      printAs<unsigned>(bytes);
    else
      printAs<unsigned char>(bytes);
  }

  Device device_;
  Graph graph_;
  unsigned tiles_;
  bool checked_;
  ComputeSet current_;
  std::vector<Sequence> sequences_;
  std::vector<std::size_t> repeats_;
  std::vector<Tensor> tensors_, variables_, reads_;
};

} // namespace

// Each program: "program <tiles> <checked>", its operations, "run". What it reads comes a line each, then "done".
int main(int, char **argv) {
  std::cout.precision(17);
  std::unique_ptr<RandomGraph> program;
  for (std::string text; std::getline(std::cin, text);) {
    try {
      if (text.compare(0, 8, "program ") == 0) {
        Words words(text.substr(8));
        const auto tiles = static_cast<unsigned>(next(words));
        program = std::make_unique<RandomGraph>(tiles, next(words) != 0, argv[1]);
      } else if (text == "run") {
        if (program)
          program->run();
        std::cout << "done\n";
      } else if (program) {
        program->line(text);
      }
    } catch (const std::exception &e) {
      std::cout << "error at '" << text << "': " << e.what() << '\n';
      program.reset();
      if (text == "run")
        std::cout << "done\n";
    }
  }
}
