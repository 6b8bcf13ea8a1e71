// The text of a schedule: the lines of its local program (spmd/local_text.h), in the order of the steps.
//
//   loop -> h                                      a fusion of several instructions, and the values that it writes.
//                                                  Before make_loops these are unknown: `loop` alone
//     h.1: f32[batch=64/rows] = add(x, y)
//     h: f32[batch=64/rows] = relu(h.1)
//   s: f32[] partial over rows = sum(h)
//   t: f32[rest=64/rows] = rename(h -> [rest]) in h
//                                                  shares the memory of h: no step. It comes before its first reader
//   p: f32[io=32] = index(x, 2, over: batch) within x
//                                                  a window: part of the memory of x
//   s'2: f32[] = all_reduce(s) over rows in 2 pieces until y
//   y: f32[batch=64/rows] = mul(t, s'2)
//   memory                                         the buffers, each with its values, the first value first
//     x: input
//     h, y: output
//     s: until s'2                                 in the arena, from the producer of s to the step that makes s'2
//   -> y
//
// `until` of a collective names the first step that begins after its end, from overlap_collectives on. The staging
// memory of a collective is not written: it exists while the collective runs.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "graph/call_text.h"
#include "schedule/passes.h"
#include "schedule/schedule.h"
#include "spmd/collectives.h"
#include "spmd/local_text.h"
#include "support/own_names.h"
#include "support/text.h"

namespace mtf::schedule {
namespace {

class ScheduleWriter {
 public:
  explicit ScheduleWriter(const Schedule& schedule)
      : s_(schedule),
        program_(schedule.program),
        lines_(program_),
        maker_(program_.values.size(), -1),
        made_in_(program_.values.size(), -1),
        is_there_(program_.values.size()) {
    for (int i = 0; i < static_cast<int>(program_.instructions.size()); ++i)
      for (int v : program_.instructions[i].results) maker_[v] = i;
    for (int s = 0; s < static_cast<int>(s_.steps.size()); ++s)
      for (int i : s_.steps[s].instructions)
        for (int v : program_.instructions[i].results) made_in_[v] = s;
  }

  std::string text() {
    text_ = lines_.beginning();
    for (int s = 0; s < static_cast<int>(s_.steps.size()); ++s) write_step(s);
    for (const std::vector<int>& output : program_.outputs)
      for (int v : output) write_view(v, -1);
    write_memory();
    return text_ + lines_.end();
  }

 private:
  /// Writes views that are not written yet. Leaves out views of a result of `step`, unless that step is being written.
  void write_view(int v, int step) {
    if (s_.alias_of[v] == v || is_there_[v]) return;
    const bool is_inside = made_in_[s_.alias_of[v]] == step && step >= 0;
    if (is_inside && !is_in_step_) return;
    is_there_[v] = true;
    const int maker = maker_[v];
    for (int operand : program_.instructions[maker].operands) write_view(operand, step);
    text_ +=
        (is_in_step_ ? "  " : "") + lines_.line(std::span(&maker, 1)) + " in " + lines_.name(s_.alias_of[v]) + "\n";
  }

  void write_step(int s) {
    const Step& step = s_.steps[s];
    const bool is_block = step.kind == StepKind::kFusion && step.instructions.size() > 1;
    for (int i : step.instructions)
      for (int v : program_.instructions[i].operands) write_view(v, s);
    if (!is_block) {
      text_ += lines_.line(step.instructions);
      if (step.kind == StepKind::kWindow) text_ += " within " + lines_.name(step.reads[0]);
      if (step.calls > 1) text_ += fmt::format(" in {} pieces", step.calls);
      if (step.kind == StepKind::kCollective && step.finish > s) text_ += " until " + name_of_step(step.finish);
      text_ += "\n";
      if (step.iteration) text_ += graph::indented(ScheduleWriter(*step.iteration).text());
      return;
    }
    text_ += step.loop ? "loop -> " + lines_.names(step.writes) + "\n" : "loop\n";
    is_in_step_ = true;
    for (const int& i : step.instructions) {
      for (int v : program_.instructions[i].operands) write_view(v, s);
      text_ += "  " + lines_.line(std::span(&i, 1)) + "\n";
    }
    is_in_step_ = false;
  }

  std::string name_of_step(int s) const {
    return s < static_cast<int>(s_.steps.size()) ? lines_.name(s_.steps[s].writes[0]) : "the end";
  }

  void write_memory() {
    if (s_.buffer_of.empty()) return;
    std::vector<std::vector<int>> lie_in(s_.buffers.size());
    for (size_t b = 0; b < s_.buffers.size(); ++b)
      if (s_.buffers[b].kind != BufferKind::kStaging) lie_in[b].push_back(s_.buffers[b].value);
    for (int v = 0; v < static_cast<int>(s_.buffer_of.size()); ++v)
      if (const int b = s_.buffer_of[v]; b >= 0 && s_.alias_of[v] == v && s_.buffers[b].value != v)
        lie_in[b].push_back(v);
    for (std::vector<int>& values : lie_in)  // in the order of steps, whatever the numbers of the values
      if (!values.empty())
        std::stable_sort(values.begin() + 1, values.end(), [&](int a, int b) { return made_in_[a] < made_in_[b]; });
    text_ += "memory\n";
    for (size_t b = 0; b < s_.buffers.size(); ++b) {
      const Buffer& buffer = s_.buffers[b];
      if (buffer.kind == BufferKind::kStaging) continue;
      text_ += "  " + lines_.names(lie_in[b]) + ": ";
      if (buffer.kind == BufferKind::kArena) text_ += "until " + name_of_step(buffer.last) + "\n";
      else text_ += buffer.kind == BufferKind::kInput ? "input\n" : "output\n";
    }
  }

  const Schedule& s_;
  const spmd::LocalProgram& program_;
  spmd::LocalWriter lines_;
  std::vector<int> maker_;      ///< for each value: the instruction
  std::vector<int> made_in_;    ///< for each value: the step, or -1
  std::vector<bool> is_there_;  ///< for each value: it is a view whose line is written
  bool is_in_step_ = false;
  std::string text_;
};

class ScheduleReader {
 public:
  ScheduleReader(TextReader& reader, bool has_loops) : reader_(reader), lines_(reader), has_loops_(has_loops) {}

  Schedule read() {
    lines_.read_beginning();
    bool more = reader_.next_line();
    while (more && reader_.peek() != "->" && !is_header("memory")) {
      if (is_header("loop")) {
        more = read_loop();
        continue;
      }
      read_line(nullptr);
      if (lines_.begins_iteration() && s_.steps.back().kind == StepKind::kIterations) read_iteration();
      more = reader_.next_line();
    }
    const bool has_memory = more && is_header("memory");
    if (has_memory) read_memory();
    lines_.read_end();
    finish(has_memory);
    return std::move(s_);
  }

 private:
  /// Reads the lines of an iteration of the loop that is the latest step.
  void read_iteration() {
    const auto margin = reader_.further_in();
    Step& step = s_.steps.back();
    step.iteration = std::make_shared<Schedule>(ScheduleReader(reader_, has_loops_).read());
    lines_.set_iteration(step.iteration->program);
  }

  bool is_header(std::string_view word) const { return reader_.peek() == word && reader_.peek(1) != ":"; }

  /// Reads a line with instructions: a step, a part of the fusion `loop`, or a view.
  void read_line(std::vector<int>* loop) {
    const Span place = reader_.line();
    const std::vector<int> made = lines_.read_line();
    const spmd::LocalProgram& program = lines_.program;
    each_is_its_own();
    const spmd::Instruction& first = program.instructions[made[0]];
    if (reader_.peek() == "in" && find_collective(first.kind) == nullptr) {
      reader_.expect("in");
      const int memory = lines_.value();
      if (!shares_memory(program, first) || s_.alias_of[first.operands[0]] != memory)
        reader_.fail_at(place, "this is not the memory of {}", code(program.values[memory].name));
      s_.alias_of[first.results[0]] = memory;
    } else if (loop) {
      if (!is_loop(first)) reader_.fail_at(place, "this cannot be part of a loop");
      loop->push_back(made[0]);
    } else {
      add_step(made);
      Step& step = s_.steps.back();
      if (step.kind == StepKind::kCollective) read_collective(step);
      if (reader_.take("within")) {
        const int memory = lines_.value();
        if (!is_window(program, first) || memory != first.operands[0])
          reader_.fail_at(place, "this is no window of {}", code(program.values[memory].name));
        step.kind = StepKind::kWindow;
      }
    }
    reader_.expect_end();
  }

  void add_step(std::vector<int> instructions) {
    const bool is_iterations = lines_.begins_iteration() != nullptr;
    s_.steps.push_back(step_of(lines_.program, std::move(instructions)));
    if (is_iterations) s_.steps.back().kind = StepKind::kIterations;
    written_.emplace_back();
    waits_.emplace_back();
  }

  void read_collective(Step& step) {
    step.calls = 1;
    if (reader_.take("in")) {
      step.calls = reader_.integer(1, int64_t{1} << 40);
      reader_.expect("pieces");
    }
    if (reader_.take("until")) waits_.back() = read_step();
  }

  /// The name of a step, which may come later.
  struct StepName {
    std::string name;
    Span place;
  };
  /// A buffer: its values, and the last step that reads one of them.
  struct LineOfMemory {
    std::vector<int> values;
    BufferKind kind = BufferKind::kArena;
    StepName last = {};
  };
  StepName read_step() {
    const Span place = reader_.place();
    if (reader_.take_words({"the", "end"})) return {"", place};
    return {std::string(reader_.name("the name of a value, or `the end`")), place};
  }
  int find(const StepName& step) const {
    if (step.name.empty()) return static_cast<int>(s_.steps.size());
    const auto at = begins_.find(step.name);
    if (at == begins_.end()) reader_.fail_at(step.place, "no step makes {} first", code(step.name));
    return at->second;
  }

  bool read_loop() {
    reader_.expect("loop");
    const bool is_made = reader_.take("->");
    std::vector<StepName> written;
    const Span place = reader_.line();
    if (is_made != has_loops_)
      reader_.fail_at(place, has_loops_ ? "expected `loop -> x`, as loops say what they write here"
                                        : "expected `loop`: what loops write is not known yet");
    while (is_made && (written.empty() || reader_.take(","))) written.push_back(read_step());
    reader_.expect_end();
    std::vector<int> instructions;
    bool more = false;
    while ((more = reader_.next_line()) && reader_.is_indented()) read_line(&instructions);
    if (instructions.empty()) reader_.fail_at(place, "expected indented lines behind this one");
    add_step(std::move(instructions));
    written_.back() = std::move(written);
    return more;
  }

  /// Reads the lines of memory. The next line is then the first line after them.
  void read_memory() {
    reader_.expect("memory");
    reader_.expect_end();
    while (reader_.next_line() && reader_.is_indented()) {
      LineOfMemory& line = memory_.emplace_back();
      do line.values.push_back(lines_.value());
      while (reader_.take(","));
      reader_.expect(":");
      if (reader_.take("input")) {
        line.kind = BufferKind::kInput;
      } else if (reader_.take("output")) {
        line.kind = BufferKind::kOutput;
      } else {
        reader_.expect("until");
        line.last = read_step();
      }
      reader_.expect_end();
    }
  }

  /// Gives each value read since the last call its own memory, until a line says otherwise.
  void each_is_its_own() {
    for (int v = static_cast<int>(s_.alias_of.size()); v < static_cast<int>(lines_.program.values.size()); ++v)
      s_.alias_of.push_back(v);
  }

  void finish(bool has_memory) {
    each_is_its_own();
    s_.program = std::move(lines_.program);
    const std::vector<bool> is_number = host_numbers(s_.program);
    std::vector<int> made(s_.program.values.size(), 0);
    for (int s = 0; s < static_cast<int>(s_.steps.size()); ++s) {
      Step& step = s_.steps[s];
      if (step.kind == StepKind::kFusion && has_loops_) make(step, written_[s], is_number);
      for (int v : step.writes) made[v] = s;
      begins_.emplace(s_.program.values[step.writes[0]].name, s);
    }
    for (size_t s = 0; s < s_.steps.size(); ++s)
      if (waits_[s]) s_.steps[s].finish = find(*waits_[s]);
    if (!has_memory) return;
    s_.buffer_of.assign(s_.program.values.size(), -1);
    for (const LineOfMemory& line : memory_) {
      for (int v : line.values) s_.buffer_of[v] = static_cast<int>(s_.buffers.size());
      s_.buffers.push_back({line.kind, line.values[0], made[line.values[0]], find(line.last)});
    }
    for (size_t v = 0; v < s_.buffer_of.size(); ++v) s_.buffer_of[v] = s_.buffer_of[s_.alias_of[v]];
    for (int s = 0; s < static_cast<int>(s_.steps.size()); ++s)
      if (const Step& step = s_.steps[s]; step.kind == StepKind::kCollective || step.kind == StepKind::kIterations)
        s_.buffers.push_back({BufferKind::kStaging, step.reads.empty() ? step.writes[0] : step.reads[0], s,
                              std::max(s, step.kind == StepKind::kIterations ? s : step.finish - 1)});
  }

  void make(Step& step, const std::vector<StepName>& written, const std::vector<bool>& is_number) {
    std::vector<bool> kept(s_.program.values.size(), written.empty());
    for (const StepName& each : written) {
      const auto at = std::find_if(step.writes.begin(), step.writes.end(),
                                   [&](int v) { return s_.program.values[v].name == each.name; });
      if (at == step.writes.end()) reader_.fail_at(each.place, "the loop does not make {}", code(each.name));
      kept[*at] = true;
    }
    make_loop(s_, step, kept, is_number);
  }

  TextReader& reader_;
  spmd::LocalReader lines_;
  const bool has_loops_;
  Schedule s_;
  std::vector<std::vector<StepName>> written_;  ///< for each fusion: the values that its line names
  std::vector<std::optional<StepName>> waits_;  ///< for each collective: the step that waits for it
  std::vector<LineOfMemory> memory_;
  std::unordered_map<std::string, int> begins_;  ///< each step, by the first value that it writes
};

}  // namespace

std::string to_string(const Schedule& schedule) { return settled(ScheduleWriter(schedule).text()); }

Schedule read_schedule(TextReader& reader, bool has_loops) { return ScheduleReader(reader, has_loops).read(); }

}  // namespace mtf::schedule
