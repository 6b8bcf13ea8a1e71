// The exact parts of whole programs: tensors of i32, numbers of the host, and conditions on them.
#include <fmt/format.h>

#include <algorithm>

#include "draw.h"

namespace mtf::properties {

Drawn WholeProgramDrawer::integer(const DimSet& dims, int depth) {
  std::vector<Atom> fitting;
  for (Atom& atom : atoms(Type::Kind::kInteger))
    if (atom.dims == dims) fitting.push_back(std::move(atom));
  const std::string type = integer_type(dims);
  cost_ += iterations_;
  if (depth > 0) {
    switch (dice_.below(7)) {
      case 0: {
        const Drawn x = integer(dims, depth - 1), y = integer(subset(dims, 50), depth - 1);
        return {{"($0 + $1)", {x.expression, y.expression}, type}, x.bound + y.bound};
      }
      case 1: {
        const Drawn x = integer(dims, depth - 1), y = integer(subset(dims, 50), depth - 1);
        return {{"($0 * $1)", {x.expression, y.expression}, type}, x.bound * y.bound};
      }
      case 2: {
        const std::optional<int> extra = other_dim(dims);
        if (!extra) break;
        DimSet more = dims;
        more.push_back(*extra);
        std::sort(more.begin(), more.end());
        const Drawn x = integer(more, depth - 1);
        const std::string what = dice_.pick(std::vector<std::string>{"sum", "max", "min"});
        return {{fmt::format("{}($0, over: {})", what, dim(*extra)), {x.expression}, type},
                what == "sum" ? x.bound * size(*extra) : x.bound};
      }
      case 3: {
        const Drawn x = integer(dims, depth - 1);
        return {{"($0 + $1)", {x.expression, number(1)}, type}, x.bound + 30};
      }
      case 4: {
        const Drawn x = integer(dims, depth - 1), y = integer(dims, depth - 1);
        return {{fmt::format("where($0 > {}, $0, $1)", dice_.below(6)), {x.expression, y.expression}, type},
                std::max(x.bound, y.bound)};
      }
      default: break;
    }
  }
  if (!fitting.empty()) return {{dice_.pick(fitting).text, {}, type}, 6};
  if (dims.size() == 1 && dice_.chance(50)) return {{fmt::format("range({})", dim(dims[0])), {}, type}, 6};
  return {{fmt::format("fill({}, {}, i32)", shape(dims), dice_.below(6)), {}, type}, 6};
}

Expression WholeProgramDrawer::number(int depth) {
  const std::vector<const Named*> known = named(Type::Kind::kNumber);
  if (depth > 0 && dice_.chance(25)) {
    if (has(Feature::kHostReads) && has(Feature::kIntegers) && dice_.chance(40)) {
      program_.reads_decide = true;
      const Drawn i = integer({}, 1);
      return {"(int($0) % 4)", {i.expression}, "number"};
    }
    return {"($0 + $1)", {number(depth - 1), number(0)}, "number"};
  }
  if (!known.empty() && dice_.chance(75)) return {dice_.pick(known)->name, {}, "number"};
  return {std::to_string(dice_.below(4)), {}, "number"};
}

Expression WholeProgramDrawer::condition(bool& on_tensor) {
  const std::string compare = dice_.pick(std::vector<std::string>{">", "<", ">=", "==", "!="});
  on_tensor = has(Feature::kTensorBranches) && has(Feature::kIntegers) && dice_.chance(50);
  if (on_tensor && has(Feature::kFloatConditions) && dice_.chance(20)) {
    program_.reads_decide = true;
    const DimSet dims = some_dims(2);
    const Expression x = fit(real(dims, 1), dims, 2);
    return {fmt::format("mean($0) {} 2.5", dice_.chance(50) ? "<" : ">"), {x}, "condition"};
  }
  if (on_tensor) {
    program_.reads_decide = true;
    const DimSet dims = some_dims(2);
    return {fmt::format("sum($0) {} {}", compare, dice_.below(12)), {integer(dims, 1).expression}, "condition"};
  }
  return {fmt::format("$0 {} {}", compare, dice_.below(4)), {number(1)}, "condition"};
}

}  // namespace mtf::properties
