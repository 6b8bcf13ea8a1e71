#include "types/dim.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/own_names.h"
#include "types/text_reader.h"

namespace mtf {

int find_dim(const Dims& dims, Name name) {
  for (size_t i = 0; i < dims.size(); ++i)
    if (dims[i].name == name) return static_cast<int>(i);
  return -1;
}

Names names_of(const Dims& dims) {
  Names names;
  for (const Dim& dim : dims) names.push_back(dim.name);
  return names;
}

bool is_subset(const Dims& inner, const Dims& outer) {
  for (const Dim& dim : inner) {
    int at = find_dim(outer, dim.name);
    if (at < 0 || outer[at].size != dim.size) return false;
  }
  return true;
}

bool same_set(const Dims& a, const Dims& b) { return a.size() == b.size() && is_subset(a, b); }

std::optional<int64_t> checked_size(const Dims& dims) {
  constexpr int64_t kLimit = int64_t{1} << 62;
  bool empty = false;
  for (const Dim& dim : dims) empty = empty || dim.size == 0;
  if (empty) return 0;
  int64_t n = 1;
  for (const Dim& dim : dims) {
    if (n > kLimit / dim.size) return std::nullopt;
    n *= dim.size;
  }
  return n;
}

int64_t size_of(const Dims& dims) {
  int64_t n = 1;
  for (const Dim& dim : dims) n *= dim.size;
  return n;
}

Dims settled(Dims dims) {
  std::vector<std::string> texts;
  for (const Dim& dim : dims) texts.push_back(to_string(dim));  // the size marks the name as a dim
  std::vector<std::string*> all;
  for (std::string& text : texts) all.push_back(&text);
  settle(all);
  for (size_t d = 0; d < dims.size(); ++d) dims[d].name = texts[d].substr(0, texts[d].rfind('='));
  return dims;
}

std::string to_string(const Dim& dim) { return dim.name.str() + "=" + std::to_string(dim.size); }

std::string to_string(const Dims& dims) {
  std::string text = "[";
  for (const Dim& dim : dims) text += (text.size() > 1 ? ", " : "") + to_string(dim);
  return text + "]";
}

std::string to_string(const TensorType& type) { return std::string(name(type.element)) + to_string(type.dims); }

StorageOrder written_order(size_t dims) {
  StorageOrder order(dims);
  std::iota(order.begin(), order.end(), int8_t{0});
  return order;
}

std::string stored_text(const StorageOrder& order, const Dims& dims) {
  if (order.empty() || order == written_order(dims.size())) return "";
  std::string text;
  for (int8_t d : order) text += (text.empty() ? " stored [" : ", ") + dims[d].name.str();
  return text + "]";
}

StorageOrder read_stored(TextReader& reader, const Dims& dims) {
  StorageOrder order;
  const Span place = reader.place();
  reader.expect("[");
  while (!reader.take("]")) {
    if (!order.empty()) reader.expect(",");
    order.push_back(static_cast<int8_t>(find_dim(dims, reader.dim_name())));
  }
  StorageOrder sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != written_order(dims.size()))
    reader.fail_at(place, "expected the names of " + to_string(dims) + " in some order");
  return order;
}

}  // namespace mtf
