#include <dace_ipu/programs.hpp>

#include "engine.hpp"
#include "json.hpp"

#include <poplar/exceptions.hpp>

#include <cxxabi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <typeinfo>
#include <utility>
#include <vector>

namespace dace_ipu {

std::string SymbolValue::text() const { return isInteger ? std::to_string(integer) : std::to_string(number); }

std::int64_t SymbolValue::key() const {
  std::int64_t bits = integer;
  if (!isInteger)
    std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

class Programs {
public:
  Programs(const char *name, const char *codelets, Settings settings, std::initializer_list<Note> notes)
      : name(name), codelets(codelets), defaults(std::move(settings)), notes(notes) {}

  /// Runs a program on these arrays, after building it if there is no graph for these values. Keeps the first error
  /// and does nothing from then on, until the error was taken.
  void run(const char *program, std::initializer_list<SymbolValue> symbols, std::initializer_list<HostArray> arrays,
           const Build &build) noexcept {
    if (failed)
      return;
    guarded(program, symbols, [&] {
      Family &family = families[program];
      find(family, program, symbols, build).run(arrays);
    });
    const auto family = families.find(program);
    if (failed && family != families.end()) // whatever state the engine is in: the next call builds a new one
      family->second.entries.remove_if([&](const Entry &entry) { return matches(entry.key, symbols); });
  }

  void forEachStep(const char *program, const TakeCycles &take) noexcept {
#ifdef DACE_IPU_SIMULATOR
    if (!failed)
      guarded(program, {}, [&] {
        for (const dace_ipu_sim::StepCycles &step : families.at(program).entries.front().program->newCycles())
          take(step.name.c_str(), step.cycles);
      });
#else
    static_cast<void>(take);
    guarded(program, {}, [] {
      throw std::runtime_error("InstrumentationType.IPU_Cycles needs the simulator: hardware does not tell the "
                               "cycles of each step");
    });
#endif
  }

  /// The text of the error, which counts as taken with that; null if there is none. Valid until the next error.
  const char *takeError() noexcept {
    if (!failed)
      return nullptr;
    failed = false;
    return error.c_str();
  }

  void clearError() noexcept { failed = false; }

  /// Why each graph was built, and the profile of each that is alive, as JSON. Valid until the next call.
  const char *report() noexcept {
    guarded("report", {}, [&] { reported = reportText(); });
    return failed ? "{}" : reported.c_str();
  }

private:
  using Key = std::vector<std::int64_t>;

  struct Entry {
    Key key;
    std::string symbols;
    std::unique_ptr<BuiltProgram> program;
  };

  /// One program's graphs for different symbol values, the most recently used first.
  struct Family {
    std::list<Entry> entries;
    std::set<Key> dropped;
    std::vector<SymbolValue> last;
  };

  struct BuildRecord {
    std::string program, symbols, reason;
    double seconds;
  };

  BuiltProgram &find(Family &family, const char *program, std::initializer_list<SymbolValue> symbols,
                     const Build &build) {
    if (!family.entries.empty() && matches(family.entries.front().key, symbols))
      return *family.entries.front().program;
    for (auto entry = family.entries.begin(); entry != family.entries.end(); ++entry) {
      if (matches(entry->key, symbols)) {
        family.entries.splice(family.entries.begin(), family.entries, entry);
        family.last = symbols;
        return *entry->program;
      }
    }
    return add(family, program, symbols, build);
  }

  BuiltProgram &add(Family &family, const char *program, std::initializer_list<SymbolValue> symbols,
                    const Build &build) {
    const Settings settings = defaults.withEnvironment();
    const Key key = keyOf(symbols);
    while (family.entries.size() >= settings.graphCacheSize) {
      family.dropped.insert(family.entries.back().key);
      family.entries.pop_back();
    }
    const auto start = std::chrono::steady_clock::now();
    auto built = std::make_unique<BuiltProgram>(program, codelets, settings, build);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    builds.push_back({program, text(symbols), reason(family, key, symbols, *built), spent.count()});
    family.last = symbols;
    family.entries.push_front({key, text(symbols), std::move(built)});
    return *family.entries.front().program;
  }

  static std::string reason(const Family &family, const Key &key, std::initializer_list<SymbolValue> symbols,
                            const BuiltProgram &built) {
    std::string why;
    if (family.dropped.count(key) != 0)
      why = text(symbols) + " was evicted from the cache (compiler.ipu.graph_cache_size)";
    else if (family.last.empty())
      why = symbols.size() == 0 ? "first call" : "first call with " + text(symbols);
    else
      why = changes(family.last, symbols);
    if (!built.keptVariables().empty() && !family.last.empty())
      why += "; persistent data starts anew: " + joined(built.keptVariables());
    return why;
  }

  static std::string changes(const std::vector<SymbolValue> &before, std::initializer_list<SymbolValue> now) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (before[i].key() != now.begin()[i].key())
        parts.push_back(std::string(before[i].name) + " changed " + before[i].text() + " → " + now.begin()[i].text());
    return parts.empty() ? "the call before failed" : joined(parts);
  }

  /// Runs `action`; an exception becomes the error of this object.
  template <typename Action>
  void guarded(const char *where, std::initializer_list<SymbolValue> symbols, Action action) noexcept {
    try {
      try {
        action();
      } catch (const poplar::graph_memory_allocation_error &e) {
        fail(where, symbols, typeName(typeid(e)) + ": " + e.what() + howToFit(e.what()));
      } catch (const std::exception &e) {
        fail(where, symbols, typeName(typeid(e)) + ": " + e.what());
      } catch (...) {
        fail(where, symbols, "an exception that is no std::exception");
      }
    } catch (...) { // the text of the error found no memory; a short string needs none
      failed = true;
      error = "out of memory";
    }
  }

  void fail(const char *where, std::initializer_list<SymbolValue> symbols, const std::string &what) {
    failed = true;
    error = std::string(where) + (symbols.size() == 0 ? "" : " with " + text(symbols)) + ": " + what;
  }

  /// What helps against tiles that are full.
  std::string howToFit(const std::string &what) const {
    const Settings settings = defaults.withEnvironment();
    std::string text = ofLargest(what) + "\n  hint: smaller arrays, or fewer of them at a time; float16 in place of float32";
    if (settings.tiles != 0)
      text += "\n  hint: more tiles: compiler.ipu.tiles is " + std::to_string(settings.tiles) + ", 0 means all";
    return text + "\n  hint: more IPUs: compiler.ipu.ipus is " + std::to_string(settings.ipus) + onOneTile();
  }

  /// What helps against the category that takes most, if that is not what the program itself stores.
  static std::string ofLargest(const std::string &what) {
    const auto begin = what.find("Largest categories: "), end = what.find(' ', begin + 20);
    const std::string category = begin == what.npos ? "" : what.substr(begin + 20, end - begin - 20);
    if (category == "temporary")
      return "\n  hint: temporaries are what the vertices of a step read of other tiles: let an iteration read a smaller "
             "part of an array, or read the arrays in several maps";
    if (category.size() > 4 && category.substr(category.size() - 4) == "Code" && category != "vertexCode")
      return "\n  hint: code of an exchange grows with the pieces that move: store arrays in the order in which they are "
             "read";
    return "";
  }

  /// The loops and maps that could not be spread over tiles: all that one of them uses has to fit into one.
  std::string onOneTile() const {
    std::string text;
    for (const Note &note : notes) {
      const std::string line = note.text;
      if (line.find(" runs on one tile: ") != line.npos && line.find("a single computation") == line.npos)
        text += "\n  note: " + line;
    }
    return text.empty() ? text : text + "\n  hint: all that a step on one tile uses lies there: make a map of it";
  }

  std::string reportText() const {
    Json json;
    json.open("{").key("name").text(name);
    json.key("builds").open("[");
    for (const BuildRecord &record : builds) {
      json.open("{").key("program").text(record.program).key("symbols").text(record.symbols);
      json.key("reason").text(record.reason).key("seconds").number(record.seconds).close("}");
    }
    json.close("]").key("programs").open("[");
    for (const auto &family : families)
      for (const Entry &entry : family.second.entries)
        entryText(json, family.first, entry);
    return json.close("]").close("}").result();
  }

  void entryText(Json &json, const std::string &program, const Entry &entry) const {
    json.open("{").key("program").text(program).key("symbols").text(entry.symbols);
    json.key("runs").number(static_cast<double>(entry.program->numRuns())).key("notes").open("[");
    for (const Note &note : notes)
      if (program == note.program)
        json.text(note.text);
    json.close("]").key("profile");
#ifdef DACE_IPU_SIMULATOR
    json.raw(dace_ipu_sim::profileJson(entry.program->getEngine()));
#else
    json.raw("null");
#endif
    json.close("}");
  }

  static bool matches(const Key &key, std::initializer_list<SymbolValue> symbols) {
    return std::equal(key.begin(), key.end(), symbols.begin(), symbols.end(),
                      [](std::int64_t bits, const SymbolValue &symbol) { return bits == symbol.key(); });
  }

  static Key keyOf(std::initializer_list<SymbolValue> symbols) {
    Key key;
    for (const SymbolValue &symbol : symbols)
      key.push_back(symbol.key());
    return key;
  }

  static std::string text(std::initializer_list<SymbolValue> symbols) {
    std::vector<std::string> parts;
    for (const SymbolValue &symbol : symbols)
      parts.push_back(std::string(symbol.name) + "=" + symbol.text());
    return joined(parts);
  }

  static std::string joined(const std::vector<std::string> &parts) {
    std::string result;
    for (const std::string &part : parts)
      result += (result.empty() ? "" : ", ") + part;
    return result;
  }

  static std::string typeName(const std::type_info &type) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void *)> plain(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                        std::free);
    return status == 0 ? plain.get() : type.name();
  }

  const std::string name;
  const char *const codelets;
  const Settings defaults;
  const std::vector<Note> notes;
  std::map<std::string, Family> families;
  std::vector<BuildRecord> builds;
  std::string error, reported;
  bool failed = false;
};

Programs *create(const char *name, const char *codelets, Settings settings,
                 std::initializer_list<Note> notes) noexcept {
  try {
    return new Programs(name, codelets, std::move(settings), notes);
  } catch (...) {
    return nullptr;
  }
}

void destroy(Programs *programs) noexcept { delete programs; }

void run(Programs *programs, const char *program, std::initializer_list<SymbolValue> symbols,
                std::initializer_list<HostArray> arrays, const Build &build) noexcept {
  if (programs != nullptr)
    programs->run(program, symbols, arrays, build);
}

void forEachStep(Programs *programs, const char *program, const TakeCycles &take) noexcept {
  if (programs != nullptr)
    programs->forEachStep(program, take);
}

const char *takeError(Programs *programs) noexcept {
  return programs == nullptr ? "out of memory: the program has no context" : programs->takeError();
}

void clearError(Programs *programs) noexcept {
  if (programs != nullptr)
    programs->clearError();
}

const char *report(Programs *programs) noexcept { return programs == nullptr ? "{}" : programs->report(); }

} // namespace dace_ipu
