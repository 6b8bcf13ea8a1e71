#include "schedule/repeat_facts.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "graph/op.h"
#include "schedule/pack.h"
#include "schedule/passes.h"
#include "schedule/same_memory.h"
#include "spmd/collectives.h"
#include "types/saturating.h"

namespace mtf::schedule {
namespace {

/// Returns a copy of the schedule that shares no loop body with it.
Schedule with_own_bodies(const Schedule& schedule) {
  Schedule copy = schedule;
  for (Step& step : copy.steps)
    if (step.iteration) step.iteration = std::make_shared<Schedule>(with_own_bodies(*step.iteration));
  return copy;
}
}  // namespace

StepFacts::StepFacts(const Schedule& schedule) : schedule_(schedule), program_(schedule.program) {
  if (std::any_of(schedule.steps.begin(), schedule.steps.end(), [](const Step& step) { return step.iteration; })) {
    planned_ = with_own_bodies(schedule);
    plan_buffers(planned_);  // a loop needs as much as its body's buffers
  }
  find_memory();
  maker_.assign(program_.values.size(), -1);
  spmd::InstructionCosts costs(program_);
  int results = 0;
  for (int s = 0; s < size(); ++s) {
    facts_.push_back(facts_of(s, costs));
    facts_.back().first_result = results;
    results += static_cast<int>(facts_.back().written.size());
  }
  for (int s = 0; s < size(); ++s)
    for (const int v : facts_[s].reads)
      if (maker_[v] >= 0) written(v).users.push_back(s);
  give_dying_inputs();
  find_kinds();
  for (int s = 0; s < size(); ++s) facts_[s].early = size();
}

void StepFacts::find_memory() {
  memory_.resize(program_.values.size());
  std::iota(memory_.begin(), memory_.end(), 0);
  has_window_.assign(program_.values.size(), false);
  index_.assign(program_.values.size(), 0);
  stays_.assign(program_.values.size(), false);
  for (const Step& step : schedule_.steps)
    if (step.kind == StepKind::kWindow) {
      memory_[step.writes[0]] = memory(step.reads[0]);
      has_window_[memory(step.reads[0])] = true;
    }
  for (const std::vector<int>& output : program_.outputs)
    for (const int v : output) stays_[memory(v)] = true;
}

int64_t StepFacts::bytes(int v) const {
  return padded(saturating_multiply(largest_block(program_.values[v]), size_of(program_.values[v].element)));
}

bool StepFacts::may_repeat(const Step& step) const {
  if (step.kind == StepKind::kWindow || step.kind == StepKind::kIterations) return false;
  const auto stays = [&](int v) { return stays_[v] || has_window_[v]; };
  if (step.kind == StepKind::kFusion ? std::all_of(step.writes.begin(), step.writes.end(), stays)
                                     : std::any_of(step.writes.begin(), step.writes.end(), stays))
    return false;
  return std::all_of(step.instructions.begin(), step.instructions.end(), [&](int i) {
    const spmd::InstructionKind kind = program_.instructions[i].kind;
    return kind != spmd::InstructionKind::kTakeOver && kind != spmd::InstructionKind::kFromOwner &&
           kind != spmd::InstructionKind::kToOwner && kind != spmd::InstructionKind::kRemesh;
  });
}

Facts StepFacts::facts_of(int s, spmd::InstructionCosts& costs) {
  const Step& step = schedule_.steps[s];
  Facts facts;
  facts.end = step.kind == StepKind::kCollective ? std::max(s, step.finish - 1) : s;
  facts.may_repeat = may_repeat(step);
  facts.overwrites =
      step.kind == StepKind::kFusion ||
      (step.kind == StepKind::kKernel && overwrites_operand(program_.instructions[step.instructions[0]]));
  facts.staging =
      staging_bytes(step.iteration ? planned_ : schedule_, step.iteration ? planned_.steps[s] : step,
                    [](const spmd::LocalProgram& program, int v) {
                      return saturating_multiply(largest_block(program.values[v]), size_of(program.values[v].element));
                    });
  for (const int v : step.reads) add_once(facts.reads, memory(v));
  for (const spmd::InstructionCost& cost : costs.of_step(step.instructions))
    facts.cost +=
        static_cast<double>(cost.flops.value()) + spmd::kFlopsPerByteSent * static_cast<double>(cost.wire_bytes);
  if (step.kind == StepKind::kWindow) return facts;
  for (const int v : step.writes) {
    maker_[v] = s, index_[v] = static_cast<int>(facts.written.size());
    facts.written.push_back({v, reads_of(step, v), {}, bytes(v), -1, stays_[v], !stays_[v] && !has_window_[v]});
    facts.cost += spmd::kFlopsPerByteWritten * static_cast<double>(facts.written.back().bytes);
  }
  return facts;
}

void StepFacts::add_once(std::vector<int>& all, int value) {
  if (std::find(all.begin(), all.end(), value) == all.end()) all.push_back(value);
}

std::vector<int> StepFacts::reads_of(const Step& step, int value) const {
  std::vector<int> needed = {value}, reads;
  for (auto i = step.instructions.rbegin(); i != step.instructions.rend(); ++i) {
    const spmd::Instruction& instruction = program_.instructions[*i];
    const bool makes = step.kind != StepKind::kFusion ||
                       std::find(needed.begin(), needed.end(), instruction.results[0]) != needed.end();
    if (makes)
      for (const int v : instruction.operands) add_once(needed, schedule_.alias_of[v]);
  }
  for (const int v : step.reads)
    if (std::find(needed.begin(), needed.end(), schedule_.alias_of[v]) != needed.end()) add_once(reads, memory(v));
  return reads;
}

void StepFacts::give_dying_inputs() {
  std::vector<int> last(program_.values.size(), -1);
  for (int s = 0; s < size(); ++s)
    for (const int v : facts_[s].reads) last[v] = s;
  std::vector<std::pair<int, int64_t>> dying;  // the last step that reads it, bytes
  for (const spmd::Instruction& input : program_.instructions)
    if (input.kind == spmd::InstructionKind::kInput && input.dies && !is_host_number(input))
      dying.emplace_back(last[input.results[0]], bytes(input.results[0]));
  std::sort(dying.begin(), dying.end());
  std::vector<std::pair<int64_t, int>> free;  // a count for each size
  size_t next = 0;
  for (int s = 0; s < size(); ++s) {
    const auto of = [&](int64_t size) {
      return std::find_if(free.begin(), free.end(), [&](const auto& each) { return each.first == size; });
    };
    for (; next < dying.size() && dying[next].first <= s; ++next)
      if (const auto at = of(dying[next].second); at != free.end()) ++at->second;
      else free.emplace_back(dying[next].second, 1);
    for (Written& written : facts_[s].written)
      if (const auto at = of(written.bytes); written.stays && at != free.end() && at->second > 0)
        --at->second, written.bytes = 0;
  }
}

void StepFacts::find_kinds() {
  std::vector<bool> is_owned(program_.values.size());  // only the owner has memory for it
  for (const spmd::Instruction& instruction : program_.instructions)
    if (instruction.kind == spmd::InstructionKind::kToOwner) is_owned[instruction.results[0]] = true;
  MemoryKinds kinds(program_);
  std::vector<bool> of_output;
  for (const Facts& facts : facts_)
    for (const Written& written : facts.written)
      if (written.stays && written.bytes > 0 && !is_owned[written.value]) {
        const auto kind = static_cast<size_t>(kinds.of(written.value));
        if (kind >= of_output.size()) of_output.resize(kind + 1);
        of_output[kind] = true;
      }
  std::vector<int> number(of_output.size(), -1);
  for (size_t kind = 0; kind < of_output.size(); ++kind)
    if (of_output[kind]) number[kind] = kinds_++;
  for (Facts& facts : facts_)
    for (Written& written : facts.written) {
      if (of_output.empty() || written.bytes == 0 || is_owned[written.value]) continue;
      const auto kind = static_cast<size_t>(kinds.of(written.value));
      if (kind < number.size()) written.kind = number[kind];
    }
}

Trial::Trial(const StepFacts& facts, const std::vector<char>& repeated)
    : facts_(facts), at_(static_cast<size_t>(facts.size()), kNever), needed_(static_cast<size_t>(facts.results())) {
  for (int s = facts_.size() - 1; s >= 0; --s) place(s, repeated[s] != 0);
  put_in_order();
}

double Trial::cost() const {
  double cost = 0;
  for (const int s : copies_) cost += facts_[s].cost;
  return cost;
}

bool Trial::reads_copy(int s, int value, int reader) const {
  return at_[s] != kNever && reader > facts_[s].early && facts_.written(value).may_repeat;
}

Trial::Lives Trial::lives() const {
  Lives lives;
  lives.last.assign(needed_.size(), -1), lives.last_of_copy.assign(needed_.size(), -1);
  const auto read = [&](int v, int reader, int position) {
    const int maker = facts_.maker(v);
    if (maker < 0) return;
    int& end = (reads_copy(maker, v, reader) ? lives.last_of_copy : lives.last)[static_cast<size_t>(facts_.result(v))];
    end = std::max(end, position);
  };
  for (int s = 0; s < facts_.size(); ++s)
    for (const int v : facts_[s].reads) read(v, s, position_[facts_[s].end]);
  for (const int s : copies_)
    for (size_t w = 0; w < facts_[s].written.size(); ++w)
      if (needed(s, w))
        for (const int v : facts_[s].written[w].reads) read(v, at_[s], copied_at_[s]);
  find_lent(lives);
  return lives;
}

void Trial::find_lent(Lives& lives) const {
  lives.lent.assign(lives.last.size(), 0), lives.copy_lent.assign(lives.last.size(), 0);
  struct Slots {
    std::vector<std::vector<char*>> lent;  // for each slot
    std::priority_queue<std::pair<int, size_t>, std::vector<std::pair<int, size_t>>, std::greater<>> taken;
    std::vector<size_t> free;
  };
  std::vector<Slots> kinds(static_cast<size_t>(facts_.kinds()));
  for (int position = 0; !kinds.empty() && position < static_cast<int>(at_position_.size()); ++position) {
    const bool is_copy = at_position_[position] < 0;
    const int s = is_copy ? -1 - at_position_[position] : at_position_[position];
    const Facts& facts = facts_[s];
    for (size_t w = 0; w < facts.written.size(); ++w) {
      const Written& written = facts.written[w];
      if (written.kind < 0 || (is_copy && !needed(s, w))) continue;
      const size_t result = static_cast<size_t>(facts.first_result) + w;
      const int until =
          is_copy ? std::max(position, lives.last_of_copy[result]) : std::max(position_[facts.end], lives.last[result]);
      Slots& slots = kinds[static_cast<size_t>(written.kind)];
      for (; !slots.taken.empty() && slots.taken.top().first < position + facts.overwrites; slots.taken.pop())
        slots.free.push_back(slots.taken.top().second);
      if (slots.free.empty()) slots.free.push_back(slots.lent.size()), slots.lent.emplace_back();
      const size_t slot = slots.free.back();
      slots.free.pop_back();
      if (!written.stays || is_copy) {
        slots.lent[slot].push_back(&(is_copy ? lives.copy_lent : lives.lent)[result]);
        slots.taken.emplace(until, slot);
      } else {
        for (char* const lent : slots.lent[slot]) *lent = 1;
      }
    }
  }
}

std::vector<int64_t> Trial::in_use() const {
  std::vector<int64_t> change(position_.size() + copies_.size() + 1, 0);
  const Lives lives = this->lives();
  const auto live = [&](int64_t bytes, int from, int until) {
    change[from] += bytes;
    change[until + 1] -= bytes;
  };
  const int end = static_cast<int>(change.size()) - 2;  // tensors that outlive the run exist while it runs
  for (int s = 0; s < facts_.size(); ++s) {
    const Facts& facts = facts_[s];
    const int from = position_[s], until = position_[facts.end];
    live(facts.staging, from, until);
    const auto first = static_cast<size_t>(facts.first_result);
    for (size_t w = 0; w < facts.written.size(); ++w)
      if (const Written& written = facts.written[w]; !lives.lent[first + w])
        live(written.bytes, written.stays ? 0 : from, written.stays ? end : std::max(until, lives.last[first + w]));
    if (at_[s] == kNever) continue;
    live(facts.staging, copied_at_[s], copied_at_[s]);
    for (size_t w = 0; w < facts.written.size(); ++w)
      if (needed(s, w) && !lives.copy_lent[first + w])
        live(facts.written[w].bytes, copied_at_[s], std::max(copied_at_[s], lives.last_of_copy[first + w]));
  }
  std::vector<int64_t> bytes(change.begin(), change.end() - 1);
  std::partial_sum(bytes.begin(), bytes.end(), bytes.begin());
  for (int s = 0; s < facts_.size(); ++s)
    if (facts_[s].overwrites) {
      bytes[position_[s]] -= overwritten(s, s, position_[s], lives);
      if (at_[s] != kNever) bytes[copied_at_[s]] -= overwritten(s, at_[s], copied_at_[s], lives);
    }
  return bytes;
}

int64_t Trial::peak() const {
  const std::vector<int64_t> bytes = in_use();
  return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

void Trial::place(int s, bool repeated) {
  if (!repeated) return;
  const Facts& facts = facts_[s];
  char* const needed = needed_.data() + facts.first_result;
  for (size_t w = 0; w < facts.written.size(); ++w) {
    if (!facts.written[w].may_repeat) continue;
    for (const int user : facts.written[w].users) {
      int first = user > facts.early ? user : kNever;
      if (const int copy = at_[user]; copy != kNever && copy > facts.early && copy_reads(user, facts.written[w].value))
        first = std::min(first, copy);
      if (first != kNever) needed[w] = 1, at_[s] = std::min(at_[s], first);
    }
  }
  if (facts_.schedule().steps[s].kind != StepKind::kFusion && at_[s] != kNever)
    std::fill_n(needed, facts.written.size(), 1);
}

bool Trial::copy_reads(int s, int value) const {
  for (size_t w = 0; w < facts_[s].written.size(); ++w) {
    const std::vector<int>& reads = facts_[s].written[w].reads;
    if (needed(s, w) && std::find(reads.begin(), reads.end(), value) != reads.end()) return true;
  }
  return false;
}

void Trial::put_in_order() {
  std::vector<int> count(at_.size() + 1, 0);
  for (const int at : at_)
    if (at != kNever) ++count[at + 1];
  std::partial_sum(count.begin(), count.end(), count.begin());
  position_.resize(at_.size());
  for (size_t s = 0; s < at_.size(); ++s) position_[s] = static_cast<int>(s) + count[s + 1];
  copies_.resize(static_cast<size_t>(count.back()));
  at_position_.resize(at_.size() + copies_.size());
  copied_at_.assign(at_.size(), -1);
  for (size_t s = 0; s < at_.size(); ++s) {
    if (at_[s] == kNever) continue;
    const int rank = count[at_[s]]++;
    copies_[rank] = static_cast<int>(s);
    copied_at_[s] = at_[s] + rank;
    at_position_[copied_at_[s]] = -1 - static_cast<int>(s);
  }
  for (size_t s = 0; s < at_.size(); ++s) at_position_[position_[s]] = static_cast<int>(s);
}

int64_t Trial::overwritten(int s, int reader, int position, const Lives& lives) const {
  int64_t bytes = 0;
  const bool is_copy = reader != s;
  std::vector<int64_t> free;
  for (const int v : facts_[s].reads) {
    const int maker = facts_.maker(v);
    if (maker < 0 || facts_.written(v).stays) continue;
    const bool copied = reads_copy(maker, v, reader);
    const auto result = static_cast<size_t>(facts_.result(v));
    if ((copied ? lives.copy_lent : lives.lent)[result]) continue;
    if ((copied ? lives.last_of_copy : lives.last)[result] == position) free.push_back(facts_.written(v).bytes);
  }
  for (size_t w = 0; w < facts_[s].written.size(); ++w) {
    const Written& written = facts_[s].written[w];
    const size_t result = static_cast<size_t>(facts_[s].first_result) + w;
    if ((is_copy && !needed(s, w)) || (is_copy ? lives.copy_lent : lives.lent)[result]) continue;
    const auto at = std::find(free.begin(), free.end(), written.bytes);
    if (at == free.end()) continue;
    bytes += *at;
    free.erase(at);
  }
  return bytes;
}

}  // namespace mtf::schedule
