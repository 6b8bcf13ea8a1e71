#include "random_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <set>

#include "generator.h"
#include "samples.h"
#include "session/session.h"

namespace mtf::properties {

Script RandomProgram::script(bool laid_out) const {
  Script script;
  script.inputs = dims + (laid_out ? placing : "") + fmt::format("seed {}\n", seed);
  for (const Line& line : inputs) script.inputs += line.text;
  for (const Line& line : lines) {
    if (laid_out) script.body += line.before;
    const size_t end = line.text.find('\n'), equals = line.text.find(" = ");
    if (laid_out && !line.layout.empty())
      script.body += line.text.substr(0, equals + 3) + "(" + line.text.substr(equals + 3, end - equals - 3) + ") @ " +
                     line.layout + line.text.substr(end);
    else script.body += line.text;
  }
  script.results = results;
  return script;
}

RandomProgram RandomProgram::part_for(size_t result) const {
  RandomProgram part = *this;
  part.results = {results[result]};
  part.tolerances = {tolerances[result]};
  std::set<std::string> needed = {results[result]};
  part.lines.clear();
  std::string uses;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const bool wanted = std::any_of(line->binds.begin(), line->binds.end(),
                                    [&](const std::string& name) { return needed.count(name) > 0; });
    if (!wanted) {
      if (!part.lines.empty() && part.lines.front().before.empty())
        part.lines.front().before = line->before;  // still in force there
      continue;
    }
    needed.insert(line->reads.begin(), line->reads.end());
    part.lines.insert(part.lines.begin(), *line);
  }
  return part;
}

namespace {

/// Returns a description of a violated property, or nothing.
using Check = std::function<std::string(const RandomProgram&)>;

std::string guarded(const Check& check, const RandomProgram& program) {
  try {
    return check(program);
  } catch (const std::exception& error) { return std::string("throws ") + error.what() + "\n"; }
}

std::string compare(const RandomProgram& program, const Outcome& expected, const Outcome& found) {
  std::string text;
  for (size_t i = 0; i < program.results.size(); ++i) {
    const std::string how = tensor_difference(expected.results[i], found.results[i], program.tolerances[i]);
    if (!how.empty()) text += "  " + program.results[i] + how + "\n";
  }
  return text;
}

std::string whole_is_the_reference(const RandomProgram& program) {
  const Script script = program.script(false);
  const std::string wrong = compare(program, run(reference_execution(), script, {}), run(execution(), script, {}));
  return wrong.empty() ? wrong : "the whole run is not the reference:\n" + wrong;
}

Check split_is_whole(const Where& where, bool laid_out) {
  return [=](const RandomProgram& program) {
    const Outcome expected = run(execution(), program.script(false), {});
    const Script script = program.script(laid_out);
    std::string wrong = compare(program, expected, run(execution(), script, where));
    return wrong.empty() ? wrong : "whole and split differ:\n" + wrong;
  };
}

Check loops_of_permutes_change_nothing(const Where& where) {
  return [=](const RandomProgram& program) {
    const Outcome expected = run(execution(), program.script(false), {});
    const Script script = program.script(false);
    const Outcome looped = run(looping_execution(), script, where);
    std::string wrong = compare(program, expected, looped);
    wrong += counter_difference(run(dry_looping_execution(), script, where).counters, looped.counters);
    return wrong.empty() ? wrong : "whole and looped differ:\n" + wrong;
  };
}

Check predicted_is_measured(const Where& where, bool laid_out) {
  return [=](const RandomProgram& program) {
    const Script script = program.script(laid_out);
    const plan::Counters predicted = run(dry_execution(), script, where).counters,
                         measured = run(execution(), script, where).counters;
    std::string wrong = counter_difference(predicted, measured);
    return wrong.empty() ? wrong : "predicted and measured differ:\n" + wrong;
  };
}

Check fusion_changes_nothing(const Where& where) {
  return [=](const RandomProgram& program) {
    const Script script = program.script(false);
    const Outcome fused = run(execution(), script, where), single = run(single_execution(), script, where);
    std::string wrong = compare(program, fused, single) + counter_difference(fused.counters, single.counters, false);
    return wrong.empty() ? wrong : "fused and unfused differ:\n" + wrong;
  };
}

/// The program with a `print` after every line prints the same on one processor and split.
Check prints_the_same(const Where& where) {
  return [=](const RandomProgram& program) {
    Script script = program.script(false);
    std::string text = script.inputs;
    for (const Line& line : program.lines) text += line.text + "print(" + line.binds[0] + ")\n";
    auto printed = [&](const Where& place) {
      std::ostringstream out;
      session::Session(settings_at(place), &execution(), out).run_text("property.mtf", text);
      return out.str();
    };
    const std::string whole = printed({}), split = printed(where);
    return whole == split ? std::string() : "whole prints\n" + whole + "split prints\n" + split;
  };
}

Check passes_the_checks(bool laid_out) {
  return [=](const RandomProgram& program) {
    const std::string text = program.script(laid_out).text();
    const Diagnostics found = session::Session::check_text("property.mtf", text, settings_at({""}));
    return found.has_errors() ? "is refused:\n" + found.render() : std::string();
  };
}

/// Finds the smallest part of a program that still fails, by removing lines or by turning them into inputs.
RandomProgram smallest(RandomProgram program, const Check& check) {
  for (size_t i = 0; i < program.results.size(); ++i) {
    RandomProgram part = program.part_for(i);
    if (guarded(check, part).empty()) continue;
    program = std::move(part);
    break;
  }
  if (program.results.size() > 1) return program;
  for (size_t i = program.lines.size(); i-- > 0;) {
    if (i >= program.lines.size() || program.lines[i].as_input.empty() ||
        program.lines[i].binds[0] == program.results[0])
      continue;
    RandomProgram simpler = program;
    Line& line = simpler.lines[i];
    line.text = line.as_input;
    line.reads.clear();
    simpler.inputs.push_back(line);
    simpler.inputs.back().layout = simpler.inputs.back().before = {};
    simpler.lines.erase(simpler.lines.begin() + static_cast<int64_t>(i));
    simpler = simpler.part_for(0);
    if (!guarded(check, simpler).empty()) program = std::move(simpler);
  }
  for (Line& line : program.lines)
    for (std::string* part : {&line.layout, &line.before}) {
      const std::string before = *part;
      part->clear();
      if (guarded(check, program).empty()) *part = before;
    }
  std::set<std::string> read;
  for (const Line& line : program.lines) read.insert(line.reads.begin(), line.reads.end());
  for (size_t i = program.inputs.size(); i-- > 0;) {
    if (read.count(program.inputs[i].binds[0])) continue;
    RandomProgram simpler = program;
    simpler.inputs.erase(simpler.inputs.begin() + static_cast<int64_t>(i));
    if (!guarded(check, simpler).empty()) program = std::move(simpler);
  }
  return program;
}

std::string report(const RandomProgram& program, const Check& check, const Where& where, bool laid_out) {
  const std::string wrong = guarded(check, program);
  if (wrong.empty()) return {};
  const RandomProgram small = smallest(program, check);
  return fmt::format("--seed {}, {}: {}\nThe smallest part that fails, which\n{}is\n{}\n", program.seed,
                     to_string(where), wrong, guarded(check, small), small.script(laid_out).text());
}

const std::vector<std::string> kMeshesOfPrograms = {"p:1", "p:2", "p:3", "p:4", "r:2;c:2", "r:2;c:3"};

/// Draws a layout under which no two dims of a tensor share an axis.
Where legal_place(const RandomProgram& program, Dice& dice, const std::vector<std::string>& dims) {
  const std::string& mesh = dice.pick(kMeshesOfPrograms);
  for (int tries = 0; tries < 8; ++tries) {
    const Where where{mesh, random_layout(static_cast<uint64_t>(dice.below(1 << 30)), dims, mesh)};
    if (!is_illegal(program.script(false), where)) return where;
  }
  return {mesh, dims.empty() ? "" : dice.pick(dims) + ":" + parse_axes(mesh)[0].name.str()};
}

/// Removes rules from the program's own layouts until they are legal.
void make_legal(RandomProgram& program, Dice& dice) {
  while (is_illegal(program.script(true), {""})) {
    std::vector<size_t> places;
    for (size_t at = program.placing.find(" -> "); at != std::string::npos; at = program.placing.find(" -> ", at + 1))
      places.push_back(at);
    if (places.empty()) {  // layouts given with `@` and `..`
      for (Line& line : program.lines)
        if (line.layout.starts_with("{..")) line.layout.clear();
      return;
    }
    const size_t at = dice.pick(places), first = program.placing.find_last_of("{,", at) + 1;
    size_t last = at;
    for (int depth = 0;
         last < program.placing.size() && (depth > 0 || (program.placing[last] != ',' && program.placing[last] != '}'));
         ++last) {
      if (program.placing[last] == '[') ++depth;
      if (program.placing[last] == ']') --depth;
    }
    program.placing.erase(first, last - first + (program.placing[last] == ',' ? 1 : 0));
    for (size_t comma; (comma = program.placing.find(",}")) != std::string::npos;) program.placing.erase(comma, 1);
  }
}

}  // namespace

RandomProgram random_program(uint64_t seed) {
  RandomProgram program = Generator(seed).make();
  Dice dice(seed + 1000003);
  make_legal(program, dice);
  return program;
}

std::string wrong_with(uint64_t seed) {
  const RandomProgram program = random_program(seed);
  if (program.results.empty()) return {};
  Dice dice(seed + 2000003);
  std::string wrong;
  auto expect = [&](const Check& check, const Where& where, bool laid_out) {
    if (wrong.empty()) wrong = report(program, check, where, laid_out);
  };
  expect(whole_is_the_reference, {}, false);
  const std::vector<std::string> dims = dims_of(program.script(false));
  for (int i = 0; i < 3; ++i) {
    Where where = legal_place(program, dice, dims);
    expect(split_is_whole(where, false), where, false);
    if (!program.has_loop) expect(predicted_is_measured(where, false), where, false);
    if (i == 0) expect(fusion_changes_nothing(where), where, false);
    if (i == 0) expect(loops_of_permutes_change_nothing(where), where, false);
    if (i == 1 && program.tolerances[0].kind != Tolerance::Kind::kDistance) {
      const bool exact = std::all_of(program.tolerances.begin(), program.tolerances.end(),
                                     [](const Tolerance& t) { return t.kind <= Tolerance::Kind::kNumbers; });
      if (exact) expect(prints_the_same(where), where, false);
    }
    where.cut_each = true;
    if (i == 2) expect(split_is_whole(where, false), where, false);
    if (i == 2 && !program.has_loop) expect(predicted_is_measured(where, false), where, false);
  }
  const Where own{""};
  expect(passes_the_checks(true), own, true);
  expect(split_is_whole(own, true), own, true);
  if (!program.has_loop) expect(predicted_is_measured(own, true), own, true);
  return wrong;
}

bool show_random_program(uint64_t seed) {
  const RandomProgram program = random_program(seed);
  std::cout << program.script(true).text() << std::flush;
  const std::string wrong = wrong_with(seed);
  std::cout << (wrong.empty() ? "# All holds.\n" : wrong);
  return wrong.empty();
}

}  // namespace mtf::properties
