// Calls operations as a script does, with arguments by name.
#pragma once

#include <map>

#include "ops/call.h"
#include "ops/registry.h"
#include "whole_graph.h"

namespace mtf::test {

/// A value of a named argument.
struct NamedArgument {
  Dims dims;
  std::optional<double> number;
  std::string tensor;
  NamedArgument(std::initializer_list<Dim> d) : dims(d) {}
  NamedArgument(double n) : number(n) {}             // NOLINT
  NamedArgument(const char* name) : tensor(name) {}  // NOLINT
};

class CallText {
 public:
  CallText(WholeGraph& graph, std::map<std::string, graph::Value> values) : graph_(graph), values_(std::move(values)) {}

  /// Calls the operation `name` on tensors, by their names, with other arguments and an arrow. Dims of the arrow are as
  /// given.
  graph::Value operator()(std::string_view name, const std::vector<std::string>& tensors,
                          const std::map<std::string, NamedArgument>& named = {},
                          std::optional<Dims> arrow = std::nullopt) {
    const graph::Op& op = *ops::find_op(name);
    ops::Call call(graph_.builder, op, ops::signature_of(op));
    size_t next = 0;
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      ops::Argument& argument = call.arguments[i];
      const syntax::Parameter& parameter = call.signature.parameters[i];
      const auto given = named.find(parameter.name.str());
      if (given != named.end()) {
        argument.given = true;
        argument.dims = given->second.dims;
        if (given->second.number) argument.number = *given->second.number;
        if (!given->second.tensor.empty()) argument.values = {values_.at(given->second.tensor)};
      } else if (parameter.is_variadic) {
        argument.given = true;
        while (next < tensors.size()) argument.values.push_back(values_.at(tensors[next++]));
      } else if (parameter.kind == syntax::ParameterKind::kTensor && next < tensors.size()) {
        argument.given = true;
        argument.values = {values_.at(tensors[next++])};
      }
    }
    call.arrow = arrow;
    return op.build(call)[0];
  }

 private:
  WholeGraph& graph_;
  std::map<std::string, graph::Value> values_;
};

}  // namespace mtf::test
