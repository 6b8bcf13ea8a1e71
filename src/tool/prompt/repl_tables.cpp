// `:mesh`, `:layout`, `:dims`, `:vars`, `:params`: the current settings and values.
#include <algorithm>
#include <functional>

#include "support/text.h"
#include "tool/present/table.h"
#include "tool/prompt/prompt_options.h"
#include "tool/prompt/repl_commands.h"

namespace mtf::tool {
namespace {

// Returns the axes of a rule: `rows` for `batch` split over rows. If the mesh lacks the axis, returns
// `rows (no axis of the mesh)`.
std::string axes_text(const LayoutRule& rule, const Mesh& mesh) {
  std::string text;
  for (const Name axis : rule.axes) {
    text += (text.empty() ? "" : "+") + axis.str();
    if (mesh.find(axis) < 0) text += " (no axis of the mesh)";
  }
  return text;
}

AxisList axes_of(const LayoutRule& rule, const Mesh& mesh) {
  AxisList axes;
  for (const Name axis : rule.axes)
    if (const int found = mesh.find(axis); found >= 0) axes.push_back(found);
  return axes;
}

std::vector<Dim> dims_of(const session::Session& session) {
  std::vector<Dim> dims;
  for (const session::HeldName& held : session.held())
    if (const Dim* dim = held.type.dim()) dims.push_back({held.name, dim->size});
  return dims;
}

// Returns the named meshes or layouts, as `shown` writes them. `shown` returns nothing for other values, and for the
// current mesh or layout.
std::string others(const session::Session& session, const std::function<std::string(const eval::ValueType&)>& shown) {
  Table table("ll");
  bool any = false;
  for (const session::HeldName& held : session.held()) {
    const std::string text = shown(held.type);
    if (text.empty()) continue;
    any = true;
    table.row({held.name, text});
  }
  return any ? "also there\n" + table.text("    ") : "";
}

// True for values that a program computes with; false for its declarations.
bool is_value(const eval::ValueType& type) {
  using Kind = eval::ValueType::Kind;
  return type.kind == Kind::kTensor || type.kind == Kind::kInstance || type.kind == Kind::kOperation ||
         type.kind == Kind::kOther;
}

// The totals of a table; nothing for a total of 0.
std::string bytes_of(std::int64_t bytes) { return bytes == 0 ? "" : bytes_text(bytes); }

}  // namespace

void mesh_command(Repl& repl, const std::string&) {
  const session::Session& session = repl.session();
  const Mesh& mesh = session.mesh();
  std::string text = fmt::format("{}   {}{}\n", to_string(mesh), count_text(mesh.size(), "processor"),
                                 repl.settings().mesh ? ", as the command line says" : "");
  Table table("lrl");
  for (const Axis& axis : mesh.axes()) {
    std::string splits;
    for (const LayoutRule& rule : session.layout().rules)
      if (std::find(rule.axes.begin(), rule.axes.end(), axis.name) != rule.axes.end())
        splits += (splits.empty() ? "" : ", ") + rule.dim.str();
    table.row({axis.name.str(), thousands(axis.size), splits.empty() ? "splits nothing" : "splits " + splits});
  }
  repl.say(text + table.text("    ") + others(session, [&](const eval::ValueType& type) {
             const Mesh* const other = type.mesh();
             return other != nullptr && other->axes() != mesh.axes() ? to_string(*other) : "";
           }));
}

void layout_command(Repl& repl, const std::string& given) {
  const session::Session& session = repl.session();
  const Layout layout = given.empty() ? session.layout() : layout_given(repl.session(), given_word(given));
  std::string text = to_string(layout);
  if (layout.rules.empty() && layout.by_path.empty()) text += "   nothing is split";
  if (repl.settings().layout && given.empty()) text += "   as the command line says";
  Table table("lrlr");
  const std::vector<Dim> dims = dims_of(session);
  for (const LayoutRule& rule : layout.rules) {
    const auto dim = std::find_if(dims.begin(), dims.end(), [&](const Dim& each) { return each.name == rule.dim; });
    const bool is_there = dim != dims.end();
    table.row(
        {rule.dim.str(), is_there ? thousands(dim->size) : "no such dim", "over " + axes_text(rule, session.mesh()),
         is_there ? thousands(block_size(dim->size, axes_of(rule, session.mesh()), session.mesh())) + " per processor"
                  : ""});
  }
  repl.say(text + "\n" + table.text("    ") + others(session, [&](const eval::ValueType& type) {
             const Layout* const other = type.layout();
             return other != nullptr && !same_rules(*other, layout) ? to_string(*other) : "";
           }));
}

void dims_command(Repl& repl, const std::string&) {
  const session::Session& session = repl.session();
  Table table("lrlrl");
  for (const Dim& dim : dims_of(session)) {
    const LayoutRule* const rule = session.layout().find(dim.name);
    if (rule == nullptr) {
      table.row({dim.name.str(), thousands(dim.size), "", "", ""});
      continue;
    }
    const AxisList axes = axes_of(*rule, session.mesh());
    table.row({dim.name.str(), thousands(dim.size), "over " + axes_text(*rule, session.mesh()),
               thousands(block_size(dim.size, axes, session.mesh())) + " per processor",
               splits_evenly(dim.size, axes, session.mesh()) ? "" : "unevenly"});
  }
  const std::string text = table.text();
  repl.say(text.empty() ? "there are no dims; `dim batch = 64` declares one\n" : text);
}

void vars_command(Repl& repl, const std::string&) {
  Table table("llr");
  std::int64_t bytes = 0;
  bool any = false;
  for (const session::HeldName& held : repl.session().held()) {
    if (!is_value(held.type)) continue;
    any = true;
    bytes += held.bytes;
    table.row({held.name, to_string(held.type), bytes_of(held.bytes)});
  }
  if (any) table.row({"", "per processor", bytes_text(bytes)});
  repl.say(any ? table.text() : "no name stands for a value; `let x = ones([batch])` binds one\n");
}

void show_command(Repl& repl, const std::string& expression) {
  need_argument(expression, ":show", "an expression", "x[batch: 0..4]");
  const plan::HostTensor tensor = repl.session().read(expression, repl.name_of_entry());
  const Room room{repl.columns(), 0, static_cast<int>(repl.options().digits)};
  repl.say(to_string(TensorType{tensor.type.element, settled(tensor.type.dims)}) + "\n" +
           (tensor.type.dims.empty() ? fmt::format("{:.{}g}\n", tensor.number(0), room.digits)
                                     : tensor_table(tensor, room)));
}

void params_command(Repl& repl, const std::string& expression) {
  need_argument(expression, ":params", "a model's instance", "net");
  const std::vector<session::HeldVariable> variables = repl.session().variables(expression, repl.name_of_entry());
  if (variables.empty()) return repl.say("it has no params or states\n");
  Table table("lllrr");
  std::int64_t elements = 0, own = 0, bytes = 0;
  for (const session::HeldVariable& variable : variables) {
    elements += variable.elements;
    own += variable.own_elements;
    bytes += variable.bytes;
    table.row({variable.path, variable.trainable ? "" : "state", to_string(variable.tensor),
               thousands(variable.elements), bytes_text(variable.bytes)});
  }
  table.row({"total", "",
             fmt::format("{} in {}", count_text(elements, "value"),
                         count_text(static_cast<std::int64_t>(variables.size()), "variable")),
             thousands(elements), bytes_text(bytes)});
  repl.say(table.text() + fmt::format("{} and {} on each processor\n", count_text(own, "value"), bytes_text(bytes)));
}

}  // namespace mtf::tool
