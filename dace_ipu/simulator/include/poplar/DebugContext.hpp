// DebugContext and its relatives: names given to graph elements, for messages and profiles only.
#ifndef poplar_DebugContext_hpp
#define poplar_DebugContext_hpp

#include <poplar/ProfileValue.hpp>
#include <poplar/SerializationFormat.hpp>
#include <poplar/StringRef.hpp>

#include <cstdint>
#include <string>

namespace poplar {

using DebugId = std::uint64_t;

/// A place in the user's source. The simulator keeps it but does not print it.
class SourceLocation {
public:
  SourceLocation() = default;
  SourceLocation(const char *function, const char *file, unsigned line)
      : function_(function), file_(file), line_(line) {}
  const char *getFunctionName() const { return function_; }
  const char *getFileName() const { return file_; }
  unsigned getLineNumber() const { return line_; }
  bool isValid() const { return line_ != 0; }
  // The functions of the compiler that Poplar's own default arguments would name are not asked: nothing prints places.
  static SourceLocation Current(const char *function = "", const char *file = "", unsigned line = 0) {
    return SourceLocation(function, file, line);
  }

private:
  const char *function_ = "";
  const char *file_ = "";
  unsigned line_ = 0;
};

class DebugInfo;

/// A name below a parent path.
class DebugNameAndId {
public:
  DebugNameAndId(std::string name = "", DebugId id = {}, std::string parentPath = "")
      : path_(join(parentPath, name)), id_(id) {}
  DebugNameAndId(const char *name) : path_(name) {}
  DebugNameAndId(DebugId id) : id_(id) {}
  DebugNameAndId(const DebugInfo &info, std::string name = "");
  DebugNameAndId(const DebugNameAndId &parent, StringRef name)
      : path_(join(parent.path_, name.cloneAsString())), id_(parent.id_) {}

  const std::string &getPathName() const { return path_; }
  DebugId getParentId() const { return id_; }
  static std::string join(const std::string &parent, const std::string &name) {
    return parent.empty() ? name : name.empty() ? parent : parent + "/" + name;
  }

private:
  std::string path_;
  DebugId id_ = 0;
};

/// What every function that creates something takes as its last argument: a path name.
class DebugContext {
public:
  DebugContext(SourceLocation = SourceLocation::Current()) {}
  DebugContext(const char *name, SourceLocation = SourceLocation::Current()) : path_(name) {}
  DebugContext(StringRef name, SourceLocation = SourceLocation::Current()) : path_(name) {}
  DebugContext(std::string name, SourceLocation = SourceLocation::Current()) : path_(name) {}
  DebugContext(const DebugInfo &info, std::string name = "", SourceLocation = SourceLocation::Current());
  DebugContext(const DebugNameAndId &parent, std::string name = "", SourceLocation = SourceLocation::Current())
      : path_(DebugNameAndId::join(parent.getPathName(), name)) {}
  DebugContext(const DebugContext &parent, StringRef name)
      : path_(DebugNameAndId::join(parent.path_, name.cloneAsString())) {}

  const std::string &getPathName() const { return path_; }

private:
  std::string path_;
};

/// A named piece of debug information. Values set on it are kept, never written to a file.
class DebugInfo {
public:
  DebugInfo(const DebugContext &context, std::string layer) : path_(context.getPathName()), layer_(layer) {}
  virtual ~DebugInfo() = default;

  DebugId getId() const { return 0; }
  const std::string &getPathName() const { return path_; }
  bool setValue(std::string name, const ProfileValue &value) {
    values_[name] = value;
    return true;
  }
  static void initializeStreamer(const std::string &, DebugSerializationFormat = DebugSerializationFormat::CBOR) {}
  static void closeStreamer() {}

private:
  std::string path_;
  std::string layer_;
  ProfileValue::Map values_;
};

inline DebugNameAndId::DebugNameAndId(const DebugInfo &info, std::string name)
    : path_(join(info.getPathName(), name)), id_(info.getId()) {}
inline DebugContext::DebugContext(const DebugInfo &info, std::string name, SourceLocation)
    : path_(DebugNameAndId::join(info.getPathName(), name)) {}

} // namespace poplar

#endif
