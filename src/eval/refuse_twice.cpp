#include "eval/refuse_twice.h"

#include <fmt/format.h>

#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf {

void refuse_twice(const Dims& dims, Span span) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (find_dim(dims, dims[i].name) == static_cast<int>(i)) continue;
    const std::string name = dims[i].name.str();
    std::vector<std::string> names;
    for (size_t k = 0; k < dims.size(); ++k) names.push_back(dims[k].name.str() + (k == i ? "2" : ""));
    fail(Diagnostic(Kind::dim_twice, span, fmt::format("{} stands twice in {}", code(name), to_string(dims)))
             .help(fmt::format("declare another dim of the same size, `dim {}2 = {}`, and write `[{}]`", name, name, join(names, ", "))));
  }
}

}  // namespace mtf
