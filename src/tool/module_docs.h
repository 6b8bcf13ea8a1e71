#pragma once
// The documentation of what is no operation: the standard modules, from their `##` lines, and built-in functions.
#include <optional>
#include <string>
#include <vector>

namespace mtf::tool {

/// A function, a model, or an option of a module.
struct MemberDoc {
  std::string name;
  std::string signature;  ///< as declared: `fn normal(stddev: float = 1)`
  std::string doc;
};

struct ModuleDoc {
  std::string name;                ///< `nn`
  std::string doc;                 ///< what stands at the file's start
  std::vector<MemberDoc> members;  ///< those that are documented, in the order written
};

/// Every module in `folder`, by name. A module that cannot be read is left out: `mtf check` says why.
std::vector<ModuleDoc> read_module_docs(const std::string& folder);

/// The functions of the language itself that are no operations: print, grad, zip …
std::vector<MemberDoc> builtin_docs();

}  // namespace mtf::tool
