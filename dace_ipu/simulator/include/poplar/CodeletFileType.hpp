#ifndef poplar_CodeletFileType_hpp
#define poplar_CodeletFileType_hpp

#include <string>

namespace poplar {

/// Kinds of codelet files. Auto goes by the extension of the name.
enum class CodeletFileType { PreprocessedAsmSource, AsmSource, CSource, CppSource, IrSource, Object, Auto };

std::string toString(CodeletFileType type);
/// The kind that the extension of `path` stands for. Throws graph_object_load_error for an unknown one.
CodeletFileType getCodeletFileType(const char *path);
/// The extension of such files, such as ".cpp"; of Object ".gp", of Auto none.
std::string getExtensionFromFileType(CodeletFileType type);
/// What a compiler's option -x takes for such files, such as "c++"; "none" if it goes by the extension.
std::string getLanguageOption(CodeletFileType type);

} // namespace poplar

#endif
