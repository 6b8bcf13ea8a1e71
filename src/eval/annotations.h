#pragma once
// Annotations: the required type of a parameter or a result, and the required layout of a value.
#include <cstdint>
#include <optional>
#include <string>

#include "eval/host_value.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Evaluator;

/// The parameter, result or name that must match an annotation. Error messages show its text().
struct Annotated {
  enum class Kind : uint8_t { kName, kParameter, kResult };
  Kind kind;
  Name name;           ///< of the name, of the parameter, or of the function with the result
  Name function = {};  ///< of a parameter: its function
  /// "`x`", "`x` of `f`", "the result of `f`".
  std::string text() const;
};

class Annotations {
 public:
  explicit Annotations(Evaluator& evaluator) : evaluator_(evaluator) {}

  /// Converts the value as the annotation demands. A dim becomes its size where an int is expected. A number becomes a
  /// tensor where a tensor is expected. Fails at `span` if `what` does not match the annotation. `declared`: the place
  /// of a parameter's declaration; unknown for a result. The first argument whose shape has `..` binds `..` in `scope`.
  HostValue check(const ast::Annotation& annotation, HostValue value, Span span, const ScopePtr& scope,
                  const Annotated& what, Span declared);
  /// Returns the dims of a shape; nothing if only the run knows one of them. If `rest` is given, it gets the position
  /// of `..`. Otherwise `..` stands for the dims that an argument has fixed.
  std::optional<Dims> dims_of(const ast::ShapeAnnotation& shape, const ScopePtr& scope,
                              std::optional<size_t>* rest = nullptr);

 private:
  HostValue check_word(const ast::WordAnnotation& annotation, HostValue value, Span span, const Annotated& what,
                       Span asked);
  HostValue check_shape(const ast::ShapeAnnotation& shape, HostValue value, Span span, const ScopePtr& scope,
                        const Annotated& what, Span declared, Span asked);

  Evaluator& evaluator_;
};

/// Returns the layout that `ref` (behind `@`, or of a `param`) demands for a tensor of a type. Fails at a rule that
/// names no dim of the tensor. Null if the layout depends on poison or on an unknown value.
std::shared_ptr<const graph::AskedLayout> asked_by(Evaluator& evaluator, const ast::LayoutRef& ref,
                                                   const TensorType& type, const ScopePtr& scope);

}  // namespace mtf::eval
