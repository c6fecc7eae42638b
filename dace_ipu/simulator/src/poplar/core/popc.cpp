// Running popc as a subprocess.
#include "codelets.hpp"

#include <poplar/exceptions.hpp>

#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace dace_ipu_sim {

namespace {

struct CommandResult {
  int status;
  std::string out;
  std::string err;
};

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

// Words as a POSIX shell splits them: blanks separate, quotes and backslashes protect. Nothing is expanded.
std::vector<std::string> splitWords(const std::string &text) {
  std::vector<std::string> words;
  bool inWord = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!quote && std::isspace(static_cast<unsigned char>(c))) {
      inWord = false;
      continue;
    }
    if (!inWord)
      words.emplace_back();
    inWord = true;
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < text.size();
    if (escapes && (!quote || text[i + 1] == '"' || text[i + 1] == '\\'))
      words.back() += text[++i];
    else if (c == quote)
      quote = 0;
    else if (!quote && (c == '"' || c == '\''))
      quote = c;
    else
      words.back() += c;
  }
  if (quote)
    throw poplar::graph_object_creation_error("unterminated quote in: " + text);
  return words;
}

// A file that is removed at the end of the scope.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &suffix) {
    const std::string folder = environment("TMPDIR");
    path_ = (folder.empty() ? P_tmpdir : folder) + "/dace_ipu_XXXXXX" + suffix;
    const int fd = mkstemps(&path_[0], static_cast<int>(suffix.size()));
    if (fd < 0)
      throw poplar::graph_object_creation_error("cannot create a temporary file " + path_);
    close(fd);
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile &) = delete;
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

std::string contentOf(const std::string &path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

[[noreturn]] void becomeCommand(const std::vector<std::string> &words, const std::string &out, const std::string &err) {
  std::vector<char *> argv;
  for (const std::string &w : words)
    argv.push_back(const_cast<char *>(w.c_str()));
  argv.push_back(nullptr);
  if (!freopen(out.c_str(), "w", stdout) || !freopen(err.c_str(), "w", stderr))
    _exit(126);
  execvp(argv[0], argv.data());
  std::fprintf(stderr, "%s: not found\n", argv[0]);
  std::fflush(stderr);
  _exit(127);
}

CommandResult runCommand(const std::vector<std::string> &words) {
  const TemporaryFile out(".out");
  const TemporaryFile err(".err");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0)
    throw poplar::graph_object_creation_error("cannot start " + words[0]);
  if (child == 0)
    becomeCommand(words, out.path(), err.path());
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, contentOf(out.path()), contentOf(err.path())};
}

std::vector<std::string> popcCommand() {
  std::vector<std::string> words = splitWords(environment("DACE_IPU_POPC"));
  if (words.empty())
    words = {"popc"};
  words.push_back("--cached");
  return words;
}

std::string lastLine(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
    text.pop_back();
  return text.substr(text.find_last_of('\n') + 1);
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &w : words)
    text += (text.empty() ? "" : " ") + w;
  return text;
}

std::string runPopc(const std::vector<std::string> &options, const std::vector<std::string> &files,
                    const std::string &what) {
  std::vector<std::string> words = popcCommand();
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), files.begin(), files.end());
  const CommandResult result = runCommand(words);
  if (result.status == 127)
    throw poplar::graph_object_creation_error("cannot compile " + what + ": the codelet compiler '" + words[0] +
                                              "' was not found; set DACE_IPU_POPC or put popc on PATH\n" + result.err);
  const std::string path = lastLine(result.out);
  if (result.status != 0 || path.empty())
    throw poplar::graph_object_creation_error("cannot compile " + what + " (" + joined(words) + "):\n" + result.err);
  std::fputs(result.err.c_str(), stderr); // the compiler's warnings
  return path;
}

std::vector<std::string> optionsFor(const std::string &flags, const std::string &target) {
  std::vector<std::string> options = splitWords(flags);
  if (!target.empty())
    options.push_back("-target=" + target);
  return options;
}

// FNV-1a, 64 bits.
std::string hexHash(const std::string &text) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) {
    h ^= static_cast<unsigned char>(c);
    h *= 0x100000001b3u;
  }
  std::array<char, 17> hex{};
  std::snprintf(hex.data(), hex.size(), "%016llx", static_cast<unsigned long long>(h));
  return hex.data();
}

} // namespace

std::string compileCodelets(const std::vector<std::string> &files, const std::string &flags,
                            const std::string &target) {
  for (const std::string &f : files)
    if (access(f.c_str(), R_OK) != 0)
      throw poplar::graph_object_creation_error("cannot open codelet file '" + f + "'");
  return runPopc(optionsFor(flags, target), files, "'" + joined(files) + "'");
}

std::string compileCodeletText(const std::string &source, const std::string &flags, const std::string &target,
                               const std::string &extension) {
  const std::string nul(1, '\0');
  const std::string key = hexHash(source + nul + flags + nul + environment("DACE_IPU_POPC_KEY"));
  const std::string cache = environment("DACE_IPU_CODELET_CACHE");
  const std::string cached = cache + "/" + key + ".gp";
  if (!cache.empty() && access(cached.c_str(), R_OK) == 0)
    return cached;
  const TemporaryFile file(extension);
  std::ofstream(file.path()) << source;
  std::vector<std::string> options = optionsFor(flags, target);
  options.insert(options.begin(), "--key=" + key);
  return runPopc(options, {file.path()}, "codelet source text");
}

} // namespace dace_ipu_sim
