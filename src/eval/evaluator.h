#pragma once
// The evaluator: walks the AST, computes host values at once, and adds a node to the global graph for each tensor
// operation.
//
// It evaluates in one of three ways. With an engine it runs. Without one it checks: tensors have types and layouts but
// no numbers, what would come from them is Unknown, and each statement's error is collected instead of ending the
// walk. With a dry engine it plans: it walks as a check does, but errors end it and each cut is costed. The last two
// are called abstract.
//
// The files: statements.cpp (let, assignments, declarations), loops.cpp, branches.cpp, expressions.cpp, operators.cpp,
// functions.cpp, models.cpp, operations.cpp (binding calls to operations' signatures), indexing.cpp, layout_values.cpp
// (`@`, meshes), annotations.cpp, builtins.cpp, modules.cpp, cuts.cpp, reach.cpp (what is still to run may do),
// counters_block.cpp, text_format.cpp, data.cpp.
#include <atomic>
#include <map>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

#include "eval/block_info.h"
#include "eval/host_value.h"
#include "eval/scope.h"
#include "eval/session.h"
#include "graph/builder.h"
#include "syntax/parse.h"

namespace mtf {

enum class Flow : uint8_t { kNext, kReturn };

/// Thrown where a check ends before the program does; why has been reported.
struct CheckEnded {};

/// A block under way: where it is, and whose names it binds.
struct BlockFrame {
  const BlockInfo* info = nullptr;
  size_t statement = 0;
  ScopePtr scope;
  int activation = 0;       ///< the call of a function that it belongs to
  bool keep_all = false;    ///< every name is kept: an instance's, a module's, the REPL's
};

/// A call of a function under way.
struct Activation {
  const void* function = nullptr;   ///< its declaration
  std::string name;
  Span call;
  std::string argument_types;       ///< only in abstract evaluation
  int uncertain = 0;
  HostValue result;
  std::vector<HostValue> maybe_results;  ///< of `return`s under unknown conditions
  const std::optional<ast::Annotation>* result_annotation = nullptr;
};

/// A `counters` block under way: what it has bound or assigned and has not been computed. All of it is.
struct WatchedBlock {
  const Scope* scope = nullptr;
  std::vector<HostValue> values;
};

/// Puts a variable back as it was, however the block is left.
template <typename T>
class Restore {
 public:
  explicit Restore(T& variable) : variable_(variable), before_(variable) {}
  ~Restore() { variable_ = before_; }
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;

 private:
  T& variable_;
  T before_;
};

/// Takes the last element of a list off, however the block is left.
template <typename T>
class PopLast {
 public:
  explicit PopLast(std::vector<T>& list) : list_(list) {}
  ~PopLast() { list_.pop_back(); }
  PopLast(const PopLast&) = delete;
  PopLast& operator=(const PopLast&) = delete;

 private:
  std::vector<T>& list_;
};

class Evaluator {
 public:
  Evaluator(Settings settings, Engine* engine, std::ostream& out);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  Builder builder;
  Settings settings;
  std::ostream& out;
  Diagnostics* diagnostics = nullptr;   ///< where a check collects errors; null: they are thrown
  Engine* engine() const { return engine_; }
  bool abstract() const;
  bool checking() const { return engine_ == nullptr; }

  // ---- programs and modules (modules.cpp) ----
  ScopePtr top;                          ///< the main file's, or the REPL's
  void run_program(std::shared_ptr<ast::Program> program);
  /// The statements of one REPL entry, one after the other in `top`.
  void run_statement(const std::shared_ptr<ast::Program>& program, size_t index);
  ModulePtr import_module(const std::string& path, bool is_file, Span span);
  /// After a whole check: names of functions never called; `--set`s, a `--placement` and layout dims that nothing matched.
  void finish_check();
  std::vector<std::string> visible_names(Scope* scope);
  /// What to do about a name that is not among the `visible`: it may be a standard module, or misspelt.
  std::string help_with_name(Name name, const std::vector<std::string>& visible) const;

  // ---- statements ----
  Flow run_block(const ast::Block& block, const ScopePtr& scope, bool keep_all = false);
  Flow run_statement(const ast::Stmt& stmt, const ScopePtr& scope);
  Flow statement(const ast::Stmt& stmt, const ScopePtr& scope);
  Flow run_for(const ast::ForStmt& stmt, const ScopePtr& scope);
  Flow run_while(const ast::WhileStmt& stmt, const ScopePtr& scope);
  Flow run_if(const ast::IfStmt& stmt, const ScopePtr& scope);
  void assign(const ast::AssignStmt& stmt, const ScopePtr& scope);
  void declare_dims(const ast::DimStmt& stmt, const ScopePtr& scope);
  void declare_mesh(const ast::MeshStmt& stmt, const ScopePtr& scope);
  void declare_layout(const ast::LayoutStmt& stmt, const ScopePtr& scope);
  void use(const ast::UseStmt& stmt, const ScopePtr& scope);
  void declare_option(const ast::OptionStmt& stmt, const ScopePtr& scope);
  void declare_param(const ast::ParamStmt& stmt, const ScopePtr& scope, const std::string& doc);
  void import(const ast::ImportStmt& stmt, const ScopePtr& scope);
  void bind_pattern(const ast::Pattern& pattern, HostValue value, const ScopePtr& scope);
  void bind(const ScopePtr& scope, const ast::Ident& name, HostValue value);
  void assign_binding(Binding& binding, Scope& owner, HostValue value, Span span, Span statement);
  void poison_bindings(const ast::Stmt& stmt, const ScopePtr& scope);

  // ---- expressions ----
  HostValue evaluate(const ast::Expr& expr, const ScopePtr& scope);
  HostValue look_up(Name name, Span span, const ScopePtr& scope);
  HostValue attribute(const HostValue& object, const ast::Ident& name, const ScopePtr& scope);
  HostValue unary(const ast::Expr& expr, const ast::UnaryExpr& unary, const ScopePtr& scope);
  HostValue binary(const ast::Expr& expr, const ast::BinaryExpr& binary, const ScopePtr& scope);
  /// `a op b` of values; `and` and `or` have decided that b is needed.
  HostValue binary_of(const ast::Expr& expr, const ast::BinaryExpr& binary, const HostValue& a, const HostValue& b);
  /// A condition and, if it is a comparison, what it compares: evaluated once.
  HostValue assertion(const ast::Expr& condition, const ScopePtr& scope, std::optional<std::pair<HostValue, HostValue>>& compared);
  HostValue index(const ast::Expr& expr, const ast::IndexExpr& index, const ScopePtr& scope);
  HostValue comprehension(const ast::Expr& expr, const ast::ComprehensionExpr& comprehension, const ScopePtr& scope);
  HostValue at(const ast::Expr& expr, const ast::AtExpr& at, const ScopePtr& scope);
  HostValue counters_block(const ast::CountersExpr& counters, const ScopePtr& scope);
  HostValue text(const ast::StringExpr& string, const ScopePtr& scope);
  HostValue range(const ast::RangeExpr& range, const ScopePtr& scope);

  // ---- calls ----
  HostValue call(const ast::Expr& expr, const ast::CallExpr& call, const ScopePtr& scope);
  HostValue call_value(const HostValue& callee, Arguments& arguments);
  Arguments evaluate_arguments(const ast::CallExpr& call, Span span, const ScopePtr& scope);
  HostValue call_function(const FunctionPtr& function, Arguments& arguments);
  HostValue construct(const ModelClassPtr& model, Arguments& arguments);
  HostValue call_operation(const Op& op, Arguments& arguments);
  HostValue infix(std::string_view symbol, const HostValue& a, Span a_span, const HostValue& b, Span b_span, Span span);
  void bind_parameters(const std::vector<ast::Parameter>& parameters, Arguments& arguments, const ScopePtr& scope,
                       std::string_view name, Span declared);
  /// `f` called with values: a function given a shape, `recompute(f, x)`.
  HostValue call_with(const HostValue& callee, std::vector<HostValue> values, Span span);

  // ---- annotations ----
  HostValue check_annotation(const ast::Annotation& annotation, HostValue value, Span span, const ScopePtr& scope,
                             std::string_view what, Span declared);
  Dims dims_of(const ast::ShapeAnnotation& shape, const ScopePtr& scope, std::optional<size_t>* rest = nullptr);

  // ---- conversions; each fails at `span` with what was expected and found ----
  Value to_tensor(const HostValue& value, Span span);
  Value number_tensor(const HostValue& value, ElementType element);
  Value number_tensor(const HostValue& value);
  Dim to_dim(const HostValue& value, Span span);
  Dims to_dims(const HostValue& value, Span span);
  std::optional<int64_t> to_int(const HostValue& value, Span span, std::string_view what);
  std::optional<double> to_number(const HostValue& value, Span span, std::string_view what);
  /// A bool, an unknown one as nothing. A tensor without dims is read: a cut.
  std::optional<bool> to_condition(const HostValue& value, Span span);
  /// A tensor without dims as its number: a cut.
  HostValue read_number(const Value& value, Span span);
  HostTensor fetch(const Value& value, Span span);
  std::string display(const HostValue& value, bool nested = false);
  std::string display_tensor(const Value& value);
  std::string display_list(const ListPtr& value);
  std::string format_value(const HostValue& value, const std::string& format, Span span, Span format_span);

  // ---- layouts ----
  Sharding sharding_of_reference(const ast::LayoutRef& ref, const TensorType& type, const Sharding& present,
                                 const ScopePtr& scope, Span span);
  void check_mesh(Span span);
  /// Fails (unknown_axis) unless some mesh has the axis: one of the program, also where it is not in force, the command
  /// line's, or no mesh's `all`.
  void check_axis(const std::string& axis, Span span) const;

  // ---- places ----
  void assign_place(const PlacePtr& place, const HostValue& value, Span span, Span statement);
  Value converted_for(const HostValue& value, const TensorType& type, Span span, std::string_view what, Span declared);
  std::vector<PlacePtr> places_of(const HostValue& value, bool trainable);

  // ---- cuts ----
  void cut(const Values& needed, Span span);
  HostValue grad(Arguments& arguments);
  HostValue recompute(Arguments& arguments);

  /// The scope of a block inside `scope`.
  ScopePtr nested(const ScopePtr& scope) const;
  void add_diagnostic(const UserError& error);
  /// Ends a check that has found a hundred errors: each takes time to explain, and nobody reads more.
  void end_after_many_errors() const;
  /// An error inside a standard module as the program's line that called it sees it; nothing if it is not one.
  std::optional<Diagnostic> seen_from(const Diagnostic& diagnostic, Span call) const;

  std::function<void(const LoopProgress&)> on_progress;
  std::function<void(const StatementReport&)> on_statement;
  std::function<void(Span)> on_cut;
  bool interactive = false;            ///< at the prompt: more statements may come
  /// Set by whoever wants the evaluation to end; shared with the evaluators that work for this one.
  std::shared_ptr<std::atomic<bool>> interrupt = std::make_shared<std::atomic<bool>>(false);
  /// Fails (interrupted) at `span` if that is wanted. Called at each statement, turn and cut.
  void poll(Span span) const {
    if (interrupt->load(std::memory_order_relaxed)) fail(Kind::interrupted, span);
  }
  bool collect_costs = false;
  std::vector<StatementReport> reports;       ///< of the top-level statement under way

  /// What a REPL does to take back a statement that failed, last first. Null: nobody will.
  UndoLog* undo = nullptr;

  std::vector<BlockFrame> frames;
  std::vector<Activation> activations;
  int loops = 0;                        ///< under way
  int64_t planned_turns = 0;            ///< of loops, that a plan has walked
  int uncertain = 0;                    ///< unknown conditions and loops walked once around this place
  int64_t turns = 1;                    ///< in a plan, how often what is evaluated now will run; 0: unknown
  int activation = 0;                   ///< of the call under way
  int last_activation = 0;
  BlockInfos infos;
  std::unordered_map<Name, HostValue> builtins;
  ScopePtr native;                      ///< what only the standard modules see
  std::vector<std::shared_ptr<ast::Program>> programs;
  int64_t next_place = 0;
  int64_t next_region = 0;

 private:
  friend class CountersScope;
  void register_builtins();
  void register_data();
  void hoist(const ast::Block& block, const ScopePtr& scope);
  /// Lets go of the names that no later statement of a block can read, and cuts where too much is pending.
  void end_statement(const BlockInfo& info, size_t statement, Scope& scope, bool keep_all);
  /// Of a block that functions may outlive: keeps what they name.
  void end_block(const BlockInfo& info, Scope& scope, bool keep_all) const;
  /// If `counters` is counting what `scope` binds: the value is one.
  void watch(const Scope& scope, const HostValue& value);
  void watch_here(const HostValue& value);
  bool gradients_may_come();
  bool carries_variables(const BlockInfo& body, const std::vector<ast::Ident>& own, const ScopePtr& scope);
  void report_costs();
  HostValue merge_results(Activation& activation, HostValue last, Span span);
  bool walks_every_turn(const BlockInfo& info, const std::vector<ast::Ident>& variables, const ScopePtr& scope);
  void make_unknown(const NameSet& names, const ScopePtr& scope);
  void lists_become_unknown(const NameSet& names, const ScopePtr& scope);
  Flow run_turn(const ast::ForStmt& stmt, HostValue item, const ScopePtr& scope);
  /// A loop's body for all of its turns: `times`, 0 for nobody knows. A check walks it again if a number that it assigns
  /// has become another kind of number.
  void walk_once(const std::function<Flow()>& turn, const NameSet& assigned, const ScopePtr& scope, int64_t times, bool carried, Span span);
  bool bind_argument(Call& call, size_t parameter, const HostValue& value, Span span);
  std::string module_file(const std::string& name) const;
  std::optional<std::string> setting(const std::string& name);
  HostValue convert_setting(const std::string& text, const HostValue& like, const std::string& name, Span span);
  void check_names(const FunctionPtr& function);
  /// Counts the expressions that a check evaluates; ends the check (check_cut_short) when there are too many.
  void count_check_steps(Span span, size_t steps);
  /// Adds what a statement of a check fails with.
  void note_failure(const UserError& error);
  void check_placement();
  void warn_layouts();

  Engine* engine_ = nullptr;
  ScopePtr own_top_;                     ///< `top` may be another session's
  std::map<std::string, ModulePtr> modules_;
  std::vector<std::pair<std::string, Span>> importing_;
  std::string module_prefix_;
  std::vector<WatchedBlock> watched_;   ///< of `counters` under way
  std::vector<FunctionPtr> declared_functions_;
  std::unordered_set<const void*> entered_;
  std::vector<ModelClassPtr> declared_models_;
  std::vector<LayoutPtr> declared_layouts_;
  std::vector<std::string> settable_;  ///< what --set can reach: the options and top-level dims met so far
  NameSet dim_names_;
  NameSet axis_names_;
  const Mesh* checked_mesh_ = nullptr;
  bool placement_fits_ = false;          ///< a mesh that is used has as many processors as the placement
  std::string unplaced_mesh_;            ///< the first that has not
  bool places_changed_ = false;          ///< since the last cut
  size_t next_read_ = 0;                 ///< of settings.reads, in a plan
  int64_t check_steps_ = 0;
  bool calls_end_ = false;               ///< a check came to the limit of calls: it enters none from there on
};

}  // namespace mtf
