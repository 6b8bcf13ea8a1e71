#pragma once
// Annotations: what a parameter or a result is asked to be, and how a value is asked to lie.
#include <cstdint>
#include <optional>
#include <string>

#include "eval/host_value.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Evaluator;

/// What is asked to be as an annotation says. It becomes words where it is something else.
struct Annotated {
  enum class Kind : uint8_t { kName, kParameter, kResult };
  Kind kind;
  Name name;           ///< of a parameter its own
  Name function = {};  ///< of a parameter: whose it is
  /// "`x`", "`x` of `f`", "the result of `f`".
  std::string text() const;
};

class Annotations {
 public:
  explicit Annotations(Evaluator& evaluator) : evaluator_(evaluator) {}

  /// The value as the annotation asks for it: a dim where an int is wanted is its size, a number where a tensor is
  /// wanted becomes one. Fails at `span` if `what` is something else. `declared`: of a parameter, where it stands; of a
  /// result nothing. `..` in a shape is bound in `scope` by the first argument that has it.
  HostValue check(const ast::Annotation& annotation, HostValue value, Span span, const ScopePtr& scope,
                  const Annotated& what, Span declared);
  /// The dims of a shape; nothing if only the run knows one of them. With `rest`, `..` is no dim but the place where it
  /// stands; else it is what an argument fixed.
  std::optional<Dims> dims_of(const ast::ShapeAnnotation& shape, const ScopePtr& scope,
                              std::optional<size_t>* rest = nullptr);

 private:
  HostValue check_word(const ast::WordAnnotation& annotation, HostValue value, Span span, const Annotated& what,
                       Span asked);
  HostValue check_shape(const ast::ShapeAnnotation& shape, HostValue value, Span span, const ScopePtr& scope,
                        const Annotated& what, Span declared, Span asked);

  Evaluator& evaluator_;
};

/// What `ref`, behind `@` or of a `param`, asks of a tensor of a type. Fails at a rule that names no dim of it. Null if
/// that depends on poison or on what is unknown.
std::shared_ptr<const graph::AskedLayout> asked_by(Evaluator& evaluator, const ast::LayoutRef& ref,
                                                   const TensorType& type, const ScopePtr& scope);

}  // namespace mtf::eval
