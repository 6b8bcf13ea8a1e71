#include "eval/host_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "eval/limits.h"
#include "eval/scope.h"
#include "graph/op.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "types/saturating.h"

namespace mtf::eval {

int64_t bytes_kept_by(const HostValue& value) {
  constexpr size_t kMostLooks = size_t{1} << 16;
  int64_t bytes = 0;
  std::vector<const HostValue*> stack = {&value};
  std::unordered_set<const void*> seen;
  for (size_t looks = 0; !stack.empty() && looks < kMostLooks; ++looks) {
    const HostValue& at = *stack.back();
    stack.pop_back();
    if (const graph::Value* tensor = tensor_of(at)) {
      bytes = saturating_add(bytes, saturating_multiply(size_of(tensor->dims()), size_of(tensor->element())));
    } else if (auto* list = at.as<ListPtr>()) {
      if (!seen.insert(list->get()).second) continue;
      const std::vector<HostValue>& items = (*list)->items;
      for (size_t i = 0; i < std::min(items.size(), kMostLooks); ++i) stack.push_back(&items[i]);
    } else if (auto* instance = at.as<InstancePtr>()) {
      if (!seen.insert(instance->get()).second) continue;
      for (const Binding& binding : (*instance)->scope->bindings) stack.push_back(&binding.value);
    }
  }
  return bytes;
}

void check_length(size_t length, std::string_view what, Span span) {
  constexpr size_t kMostElements = size_t{1} << 26;
  if (length > kMostElements)
    fail(Kind::limit_exceeded, span, "expected {} of at most {}, found {}", what, kMostElements, length);
}

void check_list_length(size_t length, Span span) {
  constexpr size_t kMostElements = size_t{1} << 24;
  if (length > kMostElements)
    fail(Kind::limit_exceeded, span, "expected a list of at most {}, found {}", kMostElements, length);
}

HostValue make_text(std::string text) { return Text(std::make_shared<const std::string>(std::move(text))); }

HostValue make_list(std::vector<HostValue> items) {
  auto list = std::make_shared<List>();
  list->items = std::move(items);
  return list;
}

HostValue make_tuple(std::vector<HostValue> items) {
  auto list = std::make_shared<List>();
  list->items = std::move(items);
  list->tuple = true;
  return list;
}

std::optional<double> number_of(const HostValue& value) {
  if (auto* i = value.as<int64_t>()) return static_cast<double>(*i);
  if (auto* d = value.as<double>()) return *d;
  if (auto* b = value.as<bool>()) return *b ? 1 : 0;
  if (auto* dim = value.as<Dim>()) return static_cast<double>(dim->size);
  return std::nullopt;
}

std::string describe(const HostValue& value) {
  struct Describe {
    std::string operator()(const None&) const { return "none"; }
    std::string operator()(const Poison&) const { return "a value in error"; }
    std::string operator()(const Unknown& u) const {
      switch (u.kind) {
        case UnknownKind::kAny: return "a value that is known when the program runs";
        case UnknownKind::kNumber: return "a number that is known when the program runs";
        case UnknownKind::kInt: return "an int that is known when the program runs";
        case UnknownKind::kFloat: return "a float that is known when the program runs";
        case UnknownKind::kBool: return "a bool that is known when the program runs";
        case UnknownKind::kString: return "a string that is known when the program runs";
        case UnknownKind::kTensor: return "a tensor whose shape is known when the program runs";
      }
      return "";
    }
    std::string operator()(bool b) const { return b ? "the bool true" : "the bool false"; }
    std::string operator()(int64_t i) const { return fmt::format("the int {}", i); }
    std::string operator()(double d) const { return fmt::format("the float {:g}", without_sign_of_nan(d)); }
    std::string operator()(ElementType e) const { return fmt::format("the element type {}", name(e)); }
    std::string operator()(const Dim& dim) const { return "the dim " + to_string(dim); }
    std::string operator()(const Range&) const { return "a range"; }
    std::string operator()(const graph::Handle& v) const { return to_string(v.value().type()); }
    std::string operator()(const Text&) const { return "a string"; }
    std::string operator()(const ListPtr& list) const {
      return fmt::format("a {} of {}", list->tuple ? "tuple" : "list", list->items.size());
    }
    std::string operator()(const SequencePtr& s) const { return s->what; }
    std::string operator()(const VariablePtr& p) const {
      return fmt::format("the {} {}: {}", p->trainable ? "param" : "state", p->path, to_string(p->type));
    }
    std::string operator()(const FunctionPtr& f) const {
      return f->name.empty() ? std::string("a function") : "the function " + f->name.str();
    }
    std::string operator()(const ModelClassPtr& m) const { return "the model " + m->declaration->name.name.str(); }
    std::string operator()(const InstancePtr& i) const {
      return "an instance of " + i->model->declaration->name.name.str();
    }
    std::string operator()(const ModulePtr& m) const { return "the module " + m->name.str(); }
    std::string operator()(const OperationPtr& o) const { return "the operation " + std::string(o->name); }
    std::string operator()(const BuiltinPtr& b) const { return "the function " + b->signature->name.str(); }
    std::string operator()(const ObjectPtr& o) const { return std::string(o->kind()); }
    std::string operator()(const MeshPtr& m) const { return "the mesh " + m->name().str(); }
    std::string operator()(const LayoutPtr& l) const { return "the layout " + l->name.str(); }
  };
  return std::visit(Describe(), value.data);
}

namespace {

/// Compares element by element, including nested lists. Compares each pair of lists only once, because a list may
/// contain another one many times.
std::optional<bool> equal_lists(const ListPtr& a, const ListPtr& b) {
  struct Level {
    const List* a;
    const List* b;
    size_t next;
  };
  std::vector<Level> levels;
  std::set<std::pair<const List*, const List*>> met;
  auto enter = [&](const ListPtr& x, const ListPtr& y) {
    if (x->items.size() != y->items.size()) return false;
    if (met.emplace(x.get(), y.get()).second) levels.push_back({x.get(), y.get(), 0});
    return true;
  };
  if (!enter(a, b)) return false;
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.next == level.a->items.size()) {
      levels.pop_back();
      continue;
    }
    const HostValue& x = level.a->items[level.next];
    const HostValue& y = level.b->items[level.next++];
    auto* x_list = x.as<ListPtr>();
    auto* y_list = y.as<ListPtr>();
    if (x_list && y_list) {
      if (!enter(*x_list, *y_list)) return false;
    } else if (const std::optional<bool> same = equal(x, y); !same || !*same) {
      return same;
    }
  }
  return true;
}

}  // namespace

std::optional<bool> equal(const HostValue& a, const HostValue& b) {
  if (auto* x = a.as<Dim>()) {
    if (auto* y = b.as<Dim>()) return *x == *y;
  }
  if (auto* x = a.as<int64_t>()) {
    if (auto* y = b.as<int64_t>()) return *x == *y;
  }
  auto x_number = number_of(a), y_number = number_of(b);
  if (x_number && y_number) return *x_number == *y_number;
  if (auto* x = a.as<Text>()) {
    if (auto* y = b.as<Text>()) return **x == **y;
  }
  if (auto* x = a.as<ElementType>()) {
    if (auto* y = b.as<ElementType>()) return *x == *y;
  }
  if (auto* x = a.as<ListPtr>()) {
    if (auto* y = b.as<ListPtr>()) return equal_lists(*x, *y);
  }
  if ((a.is<ListPtr>() && b.is<Dim>()) || (a.is<Dim>() && b.is<ListPtr>())) return false;
  if (a.data.index() == b.data.index() && !tensor_of(a)) return a.data == b.data;
  return std::nullopt;
}

UnknownKind unknown_kind(const HostValue& value) {
  if (auto* u = value.as<Unknown>()) return u->kind;
  if (value.is<bool>()) return UnknownKind::kBool;
  if (value.is<int64_t>()) return UnknownKind::kInt;
  if (value.is<double>()) return UnknownKind::kFloat;
  if (value.is<Text>()) return UnknownKind::kString;
  return UnknownKind::kAny;
}

std::optional<int64_t> Range::size(Span span) const {
  if (open_first || open_last) fail(Kind::not_iterable, span, "this range has no {}", open_last ? "end" : "beginning");
  if (!known) return std::nullopt;
  if (last <= first) return 0;
  int64_t count = 0;
  if (__builtin_sub_overflow(last, first, &count))
    fail(Kind::integer_overflow, span, "{}..{} has more than 2^63 - 1 numbers", first, last);
  return count;
}

}  // namespace mtf::eval
