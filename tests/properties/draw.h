#pragma once
// Draws whole programs, statement by statement, from the names in scope and the known facts about them.
#include <fmt/format.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "generator.h"
#include "samples.h"
#include "whole_program.h"

namespace mtf::properties {

/// The generator's knowledge of a value.
struct Type {
  enum class Kind { kReal, kInteger, kNumber, kList, kTuple, kFunction, kModel };
  Kind kind = Kind::kReal;
  std::vector<int> dims = {};    ///< of a tensor: indices in the table of dims, ascending
  std::vector<Type> parts = {};  ///< a list's element, a tuple's parts, a function's argument and result
  int length = 0;                ///< the least number of elements of a list
  int model = -1;
  bool operator==(const Type&) const = default;
};
using DimSet = std::vector<int>;

/// A name in scope.
struct Named {
  std::string name;
  Type type;
  double bound = 2;  ///< of its elements, approximately
  double cost = 0;   ///< of a call, in operations
  bool assignable = true;
  std::set<std::string> from = {};  ///< names that its value may depend on
};

struct Drawn {
  Expression expression;
  double bound = 2;
};

struct ModelClass {
  std::string name;
  Type call;  ///< a function's
  double cost = 0;
  struct Place {
    std::string path;
    DimSet dims;
  };
  std::vector<Place> params, states;  ///< its own and its submodels'
  std::vector<std::string> methods;   ///< without arguments; they assign a state
};

class WholeProgramDrawer {
 public:
  WholeProgramDrawer(uint64_t seed, FeatureSet allowed);
  WholeProgram make();

 private:
  using Option = std::optional<Drawn>;

  // draw_exact.cpp. `depth` bounds the nesting of expressions.
  Drawn integer(const DimSet& dims, int depth);
  Expression number(int depth);  ///< of the host, from 0 to some tens
  Expression condition(bool& on_tensor);

  // draw_values.cpp
  Drawn real(const DimSet& dims, int depth);
  Option real_atom(const DimSet& dims);
  Drawn fresh_real(const DimSet& dims);
  Option unary(const DimSet& dims, int depth);
  Option binary(const DimSet& dims, int depth);
  Option reduced(const DimSet& dims, int depth);
  Option contracted(const DimSet& dims, int depth);
  Option taken_apart(const DimSet& dims, int depth);
  Option selected(const DimSet& dims, int depth);
  Option called(const DimSet& dims, int depth);
  Option chosen(const DimSet& dims, int depth);
  Option annotated(const DimSet& dims, int depth);
  Option reordered(const DimSet& dims, int depth);
  Option gradient(const DimSet& dims, int depth);

  // draw_gradients.cpp
  Drawn loss_of(const Expression& of, const DimSet& dims, double bound);
  std::optional<Statements> gradient_statement();
  std::optional<Statements> gradient_of_known();
  std::optional<Statements> second_gradient();
  std::optional<Statements> training();
  std::optional<Statements> micro_batches();
  std::optional<Statements> gradient_of_argument();
  Statements updates(const std::string& net, const Expression& gradients);

  // draw_statements.cpp
  Statements block(int count);
  Statements statement();
  std::optional<Statements> draw_one();
  std::optional<Statements> let();
  std::optional<Statements> let_list();
  std::optional<Statements> let_tuple();
  std::optional<Statements> alias();
  std::optional<Statements> assignment();
  std::optional<Statements> place_assignment();
  std::optional<Statements> grown_list();
  std::optional<Statements> print();
  std::optional<Statements> assertion();
  std::optional<Statements> branch();
  std::optional<Statements> leaving();
  std::optional<Statements> counters();
  std::optional<Statements> no_grad();
  std::optional<Statements> setting();
  std::optional<Statements> with();

  // draw_operations.cpp
  std::optional<Statements> sampled();
  Expression sample_input(const Sample& sample, const SampleInput& input, const std::string& written_shape,
                          const DimSet& dims, int64_t ids);
  std::optional<TensorType> type_of(const Sample& sample, const Sizes& sizes);

  // draw_loops.cpp
  std::optional<Statements> loop();
  std::optional<Statements> carried();
  Statements carried_loop(const std::string& name, const DimSet& dims);
  std::optional<Statements> list_loop();
  std::optional<Statements> while_loop();

  // draw_scans.cpp
  std::optional<Statements> scanned();
  std::optional<Statements> scanned_parts();
  std::optional<Statements> stacked_model();
  /// Runs `write`, which writes the body of a loop over a dim. The body has nothing that the host would do in each
  /// iteration.
  void in_iteration(double iterations, const std::function<void()>& write);
  std::optional<int> loop_dim();
  DimSet without(DimSet dims, int d) const;
  std::string real_cast(const std::string& value) const { return fmt::format("cast({}, {})", value, element()); }
  std::string element() const { return doubles_ ? "f64" : "f32"; }
  Statement same(const std::string& one, const std::string& other) const;

  // draw_functions.cpp
  std::optional<Statements> function();
  std::optional<Statements> closure();
  std::optional<Statements> closure_list();
  std::optional<Statements> maker();
  std::optional<Statements> recursion();
  std::optional<Statements> model();
  std::optional<Statements> instance();
  std::optional<Statements> method_call();

  /// Runs `write`, which writes a function's body. Returns the cost of a call.
  double in_function(const std::function<void()>& write);
  /// Runs `write`, which writes a block with names of its own that runs `iterations` times.
  void in_block(double iterations, const std::function<void()>& write);
  std::string annotation(const DimSet& dims);

  // The known facts, and how they are written.
  bool has(Feature feature) const { return (features_ & bit(feature)) != 0; }
  std::string fresh(const std::string& stem) { return stem + std::to_string(++names_); }
  std::string shape(const DimSet& dims) const;
  std::string real_type(const DimSet& dims) const { return (doubles_ ? "f64" : "f32") + shape(dims); }
  std::string integer_type(const DimSet& dims) const { return "i32" + shape(dims); }
  std::string dim(int d) const { return dims_[static_cast<size_t>(d)].name; }
  int size(int d) const { return dims_[static_cast<size_t>(d)].size; }
  DimSet some_dims(size_t most);
  DimSet subset(const DimSet& dims, int percent);
  DimSet shuffled(DimSet dims);
  /// Returns a value that has some of these dims, with all of them in another order of storage.
  std::string in_another_order(const std::string& value, const DimSet& dims);
  std::optional<int> other_dim(const DimSet& dims);
  Expression fit(const Drawn& drawn, const DimSet& dims, double limit);
  Expression fit_integer(const Drawn& drawn, const DimSet& dims);
  Drawn made(const std::string& text, std::vector<Expression> operands, const DimSet& dims, double bound);
  /// The tensors of this kind that names in scope lead to: `x`, `l[1]`, `t[0]`, `net.part.w`.
  struct Atom {
    std::string text;
    DimSet dims;
    double bound;
    bool place;
    bool assignable;
  };
  std::vector<Atom> atoms(Type::Kind kind, bool assignable = false) const;
  std::vector<const Named*> named(Type::Kind kind) const;
  void declare(const std::string& name, const Type& type, double bound = 2, bool assignable = true) {
    scope_.push_back({name, type, bound, 0, assignable});
  }
  /// Notes that the value of `name` may depend on the names in this text.
  void depends(const std::string& name, const std::string& text);
  bool affordable(double cost) const { return cost_ + iterations_ * cost < kMostOperations; }
  std::string text_of_number(double value) const;
  void preamble();

  static constexpr double kMostOperations = 1500;
  struct DimRecord {
    std::string name;
    int size;
  };

  Dice dice_;
  FeatureSet features_;
  WholeProgram program_;
  std::vector<DimRecord> dims_;
  std::vector<Named> scope_;
  std::vector<ModelClass> models_;
  std::vector<std::string> layouts_, meshes_, settings_;
  bool doubles_ = false;
  int names_ = 0;
  int functions_ = 0;  ///< number of functions being written, one inside the other
  int loops_ = 0;
  int unknown_ = 0;  ///< enclosing branches on tensors
  int blocks_ = 0;   ///< enclosing blocks of any kind
  int counting_ = 0;
  int gradients_ = 0;      ///< enclosing gradient expressions
  double iterations_ = 1;  ///< how often the present position runs in a call
  double cost_ = 0;        ///< of the code written in this function
  int statements_left_ = 0;
};

}  // namespace mtf::properties
