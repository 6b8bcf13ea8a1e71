#include "eval/evaluator.h"

#include <algorithm>

#include "eval/set_aside.h"
#include "plan/program_record.h"
#include "plan/runtime.h"

namespace mtf::eval {
namespace {

std::unique_ptr<LibraryState> state_for(const HostLibrary* library) {
  return library && library->new_state ? library->new_state() : nullptr;
}

}  // namespace

Evaluator::Evaluator(Settings given, plan::Execution* execution, std::ostream& output)
    : settings(std::move(given)),
      out(output),
      domain(execution),
      builtins(settings.library),
      blocks(builtins),
      cuts(execution, builder, domain, blocks, reports, replays, interrupt, settings.reads),
      convert(builder, cuts),
      display(builder, cuts, domain),
      options(settings.set),
      meshes(settings, builder.context, findings),
      modules(*this),
      uncalled(domain),
      doubts(domain, builder, cuts, reports),
      names(builtins, modules, replays, own_top_, top_, spans_),
      annotations(*this),
      operations(builder, convert, meshes, names, findings, doubts),
      variables(*this),
      calls(*this),
      loops(*this),
      branches(*this),
      caller({settings, out, domain, builder, cuts, doubts, convert, display, findings, meshes, variables, calls},
             execution, state_for(settings.library)),
      execution_(execution),
      table_(std::make_shared<graph::ValueTable>()),
      own_top_(std::make_shared<Scope>(nullptr, 0, 0)),
      top_(own_top_) {
  builder.table = table_;
  builtins.of_standard_modules()->is_of_the_program_of(*own_top_);
  if (execution_) execution_->set_memory(settings.memory);
  if (execution_) execution_->set_remat(settings.remat);
  cuts.on_failure([this](const Diagnostic& diagnostic) { return calls.seen_by_caller(diagnostic); });
  if (execution_) builder.on_add = [&on = runtime()](graph::Node& node) { on.added(node); };
  if (execution_ && execution_->record()) {
    builder.record = execution_->record()->layouts();
    reports.set_record(execution_->record());
  }
  builder.context.mesh = std::make_shared<const Mesh>(Name(), std::vector<Axis>{{Name("all"), settings.ranks}});
  builder.context.check_finite = settings.check_finite && !domain.is_abstract();
  if (execution_) {
    builder.context.frame = std::make_shared<const graph::CallFrame>();
    builder.on_frame = [this] {
      replays.happens_in_place();
      calls.make_frames();
    };
  }
  if (settings.mesh) builder.context.mesh = std::make_shared<const Mesh>(Name("mesh"), *settings.mesh);
  if (settings.layout) builder.context.layout = std::make_shared<const Layout>(*settings.layout);
}

Evaluator::~Evaluator() {
  table_->on_unread(nullptr);
  own_top_->release();
}

void Evaluator::stand_in(const Evaluator& other) {
  top_ = other.top_;
  writes_down_.emplace(top_->changes, &undo);
  const graph::CallFrameRef own_frame = builder.context.frame;  // in a plan it has the calls that lead to each cost
  const bool own_check = builder.context.check_finite;
  builder.context = other.builder.context;
  builder.context.frame = own_frame;
  builder.context.check_finite = own_check;
  interrupt = other.interrupt;
  domain.learn_from(other.domain);
  variables.number_behind(other.variables);
  meshes.declare_all_of(other.meshes);
}

void Evaluator::run_program(std::shared_ptr<const ast::Program> program) {
  modules.keep(program);
  hoist(program->body, top_);
  const ast::BlockFacts& info = *program->body.facts;
  meshes.declare_all(*program->facts);
  if (domain.is_plan()) unread.watch(*builder.table, *program->file);
  const Modules::Evaluating here = modules.evaluating(program->file->name());
  OpenBlocks::Entered block = blocks.enter(info, top_, true);
  for (size_t i = 0; i < program->body.statements.size(); ++i) {
    block.at(i);
    const ast::Stmt& stmt = program->body.statements[i];
    const HeedsInterrupt heeds(interrupt, stmt.span);
    reports.begin_statement();
    run_statement(stmt, top_);
    if (i + 1 == program->body.statements.size()) cuts.end_program(stmt.span);
    cuts.end_statement(info, i, *top_, false);
    reports.end_statement(stmt.span);
  }
  reports.begin_statement();
  if (domain.is_plan()) unread.end(*builder.table, *top_);
}

void Evaluator::run_entry_statement(const std::shared_ptr<const ast::Program>& program, size_t index) {
  if (!modules.keeps(*program)) {
    modules.keep(program);
    hoist(program->body, top_);
  }
  OpenBlocks::Entered block = blocks.enter(*program->body.facts, top_, false);
  block.at(index);
  const HeedsInterrupt heeds(interrupt, program->body.statements[index].span);
  run_statement(program->body.statements[index], top_);
}

void Evaluator::end_file_statement(const ast::Program& program, size_t index) {
  const ast::BlockFacts& info = *program.body.facts;
  if (index + 1 == program.body.statements.size()) cuts.end_program(program.body.statements[index].span);
  NameSet expired;
  for (Name name : info.expires[index])
    if (!info.captured.contains(name)) expired.insert(name);
  set_aside(*top_, expired);
  cuts.end_statement(info, index, *top_, true);
}

void Evaluator::end_file(const ast::Program& program) { set_aside(*top_, program.body.facts->bound); }

void Evaluator::finish_check() {
  uncalled.check_names(names, builtins, findings);
  options.report_unmatched(findings);
  meshes.report_placement(findings);
  meshes.report_layouts(findings);
}

}  // namespace mtf::eval
