#include "eval/name_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "eval/builtins.h"
#include "eval/conversions.h"
#include "eval/modules.h"
#include "eval/possible_values.h"
#include "eval/replays.h"
#include "eval/set_aside.h"
#include "eval/span_table.h"
#include "eval/suggestions.h"
#include "eval/variables_below.h"
#include "graph/op.h"
#include "ops/registry.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "syntax/foreign.h"
#include "syntax/walk.h"

namespace mtf::eval {
namespace {

/// Suggests a correction for a part of another language after a dot. The part may be a method there and an operation
/// here (`x.relu()`), or an entry of the table of foreign words.
Help help_with_part(Span name, bool of_module) {
  if (of_module) return foreign_help(syntax::Foreign::name, name);
  if (Help foreign = foreign_help(syntax::Foreign::part, name); !foreign.empty()) return foreign;
  const graph::Op* op = ops::find_op(name.text());
  if (!op || op->signature.empty()) return {};
  return help_with(fmt::format("operations are functions, as in `{}`", op->signature), syntax::as_function(name));
}

/// Returns the name in lower case and without underscores, so that different spellings of one word are equal.
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const unsigned char c : name)
    if (c != '_') letters += static_cast<char>(std::tolower(c));
  return letters;
}

/// Returns the name among `parts` that spells `word` differently; empty if there is none.
std::string other_spelling(std::string_view word, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    if (part != word && letters_of(part) == letters_of(word)) return part;
  return {};
}

}  // namespace

HostValue NameLookup::looked_up(Scope::Found found, Name name, Span span, const ScopePtr& scope) {
  if (found.binding) {
    if (spans_) [[unlikely]]
      spans_->use(span, found.binding->span);
    if (found.binding->is_aside) [[unlikely]]
      if (top_ == own_top_) take_up(*found.binding);
    if (found.binding->is_iterations_number) [[unlikely]]
      replays_.reads_number();
    return found.binding->value;
  }
  if (const HostValue* known = builtins_.find(name)) return *known;
  static const Name kInit("init");
  if (name == kInit) {
    HostValue module = modules_.module("init", false, span);
    builtins_.add(name, module);
    return module;
  }
  if (const ast::Ident dim = ast::without_primes({name, span}); dim.name != name) {
    HostValue of = look_up(dim.name, dim.span, scope);
    if (!of.is_known()) return of;
    const Dim found = Conversions::to_dim(of, dim.span);
    return Dim{found.name.followed_by(name.text().substr(dim.name.text().size())), found.size};
  }
  // The name may be declared further down, but is visible only after its declaration.
  for (Scope* s = scope.get(); s; s = s->parent.get()) {
    for (const Binding& binding : s->bindings) {
      if (binding.name == name) {
        fail(Diagnostic(Kind::used_before_declaration, span, fmt::format("`{}` is not declared yet", name.text()))
                 .related(binding.span, "declared here"));
      }
    }
  }
  fail(Diagnostic(Kind::unknown_name, span, fmt::format("`{}` is neither declared nor an operation", name.text()))
           .help(help_with_name(name, span, visible_names(scope.get()))));
}

std::vector<std::string> NameLookup::visible_names(Scope* scope) const {
  std::vector<std::string> names;
  if (scope) scope->visible_names(names);
  builtins_.append_names(names);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Help NameLookup::help_with_name(Name name, Span span, const std::vector<std::string>& visible) const {
  if (modules_.is_standard(name)) return fmt::format("`import {}` makes the standard module known", name.text());
  if (Help foreign = foreign_help(syntax::Foreign::name, span, name.text()); !foreign.empty()) return foreign;
  const std::string_view before = trim(std::string_view(span.file->text()).substr(0, span.begin));
  if (before.ends_with("//") && before.data() + before.size() >
                                    span.file->text().data() + span.file->line_start(span.file->line_of(span.begin))) {
    const auto begin = static_cast<std::uint32_t>(before.size() - 2 + (before.data() - span.file->text().data()));
    return mtf::help_with("a comment begins with `#`", {{{span.file, begin, begin + 2}, "#"}});
  }
  if (const std::string spelt = other_spelling(name.text(), visible); !spelt.empty())
    return Help(fmt::format("did you mean `{}`?", spelt), {{span, spelt}});
  for (const std::string& part : modules_.standard_parts()) {
    const size_t dot = part.find('.');
    if (letters_of(part.substr(dot + 1)) == letters_of(name.text()))
      return fmt::format("`import {}` makes `{}` known", part.substr(0, dot), part);
  }
  return mtf::did_you_mean(span, name.text(), visible);
}

HostValue NameLookup::attribute(const HostValue& object, const ast::Ident& name) {
  if (!object.is_known()) return part_of_unknown(object);
  std::vector<std::string> parts;
  static const Name kParams("params"), kStates("states");
  const HoldsVariables holds =
      name.name == kParams || name.name == kStates ? holds_variables(object) : HoldsVariables::kNo;
  if (holds == HoldsVariables::kUnknown) return unknown(UnknownKind::kAny);
  if (holds == HoldsVariables::kYes) {
    std::vector<HostValue> items;
    bool all_known = true;
    for (VariablePtr& variable : variables_below(object, name.name == kParams, &all_known))
      items.push_back(std::move(variable));
    if (!all_known) return unknown(UnknownKind::kAny);
    return make_list(std::move(items));
  }
  if (auto* instance = object.as<InstancePtr>()) {
    Scope& scope = *(*instance)->scope;
    if (Binding* binding = scope.find_own(name.name)) {
      if (spans_) spans_->use(name.span, binding->span);
      return binding->value;
    }
    for (const Binding& binding : scope.bindings) parts.push_back(binding.name.str());
    for (const Binding& binding : scope.hoisted) parts.push_back(binding.name.str());
    parts.push_back("params");
  } else if (auto* module = object.as<ModulePtr>()) {
    if ((*module)->is_operations) {
      const std::string full = (*module)->name.str() + "." + name.name.str();
      if (const graph::Op* op = ops::find_op(full); op && !op->signature.empty()) return OperationPtr(op);
      const std::string prefix = (*module)->name.str() + ".";
      for (const graph::Op* op : ops::all_ops()) {
        if (op->name.substr(0, prefix.size()) == prefix) parts.emplace_back(op->name.substr(prefix.size()));
      }
    } else {
      if (Binding* binding = (*module)->scope->find_own(name.name)) {
        if (spans_) spans_->use(name.span, binding->span);
        return binding->value;
      }
      for (const Binding& binding : (*module)->scope->bindings) parts.push_back(binding.name.str());
      for (const Binding& binding : (*module)->scope->hoisted) parts.push_back(binding.name.str());
    }
  } else if (auto* native = object.as<ObjectPtr>()) {
    if (auto value = (*native)->attribute(name.name)) return *value;
    parts = (*native)->attributes();
  } else if (const graph::Value* tensor = tensor_of(object)) {
    const std::string_view wanted = name.name.text();
    auto list_of = [](const Dims& dims) { return make_list(std::vector<HostValue>(dims.begin(), dims.end())); };
    if (wanted == "shape" || wanted == "dims") return list_of(tensor->dims());
    if (wanted == "element_type") return tensor->element();
    if (auto* variable = object.as<VariablePtr>()) {
      if (wanted == "path") return make_text((*variable)->path);
      if (wanted == "name") return make_text((*variable)->name);
      if (wanted == "model") return make_text((*variable)->model.str());
      if (wanted == "declared") return list_of((*variable)->declared_dims);
      if (wanted == "start") return (*variable)->start;
      parts = {"path", "name", "model", "declared", "start"};
    }
    parts.insert(parts.end(), {"shape", "dims", "element_type"});
  } else if (auto* dim = object.as<Dim>()) {
    if (name.name.text() == "name") return make_text(dim->name.plain().str());
    if (name.name.text() == "size") return dim->size;
    parts = {"name", "size"};
  } else if (auto* model = object.as<ModelClassPtr>()) {
    const std::string called = (*model)->declaration->name.name.str();
    const Span instance = object_of(name.span);
    Diagnostic diagnostic(Kind::unknown_attribute, name.span,
                          fmt::format("{} has no `{}`", describe(object), name.name.text()));
    diagnostic.help(help_with(fmt::format("`{}` is a model, whose instances have parts", called),
                              instance.is_known() ? as_instance(**model, instance, top_) : std::vector<Edit>()));
    fail(std::move(diagnostic));
  }
  Diagnostic diagnostic(Kind::unknown_attribute, name.span,
                        fmt::format("{} has no `{}`", describe(object), name.name.text()));
  constexpr std::size_t kMostParts = 40;
  const std::string spelt = object.is<ModulePtr>() ? other_spelling(name.name.text(), parts) : std::string();
  Help help =
      spelt.empty() ? help_with_part(name.span, object.is<ModulePtr>()) : mtf::help_with("", {{name.span, spelt}});
  if (help.empty()) help = mtf::did_you_mean(name.span, name.name.text(), parts);
  if (help.empty() && !parts.empty() && parts.size() <= kMostParts) help = "it has " + mtf::join(parts, ", ");
  diagnostic.help(std::move(help));
  fail(std::move(diagnostic));
}

}  // namespace mtf::eval
