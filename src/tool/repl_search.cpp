// `:search`.
#include <utility>

#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/program_options.h"
#include "tool/prompt_options.h"
#include "tool/repl_commands.h"
#include "tool/search_text.h"

namespace mtf::tool {

namespace {

constexpr PromptOption kSearchOptions[] = {{"--processors"}, {"--memory"}, {"--machine"}, {"--axes"}, {"--annotations", false}, {"--whole", true, true}, {"--mesh"}, {"--layout"}};

}  // namespace

void search_command(Repl& repl, const std::string& argument) {
  const PromptOptions options(":search", argument, kSearchOptions);
  const std::string& statement = options.statement();
  need_argument(statement, ":search", "a statement", "net(x)");
  SearchRequest request;
  SearchQuestion& question = request.question;
  const Assumption pinned = assumption_of(repl.session(), options);
  const auto processors = options.value("--processors");
  question.processors = processors ? number_of_processors(*processors) : pinned.mesh ? Mesh(Name("mesh"), *pinned.mesh).size() : repl.session().mesh().size();
  if (question.processors < 2)
    fail(Diagnostic(Kind::bad_usage, {}, "how many processors there are is not said").help("`:search --processors 16 net(x)`, or a mesh in force"));
  if (const auto bytes = options.value("--memory")) question.memory = bytes_option(*bytes);
  if (const auto file = options.value("--machine")) request.machine = machine_option(*file);
  request.axes = options.number("--axes", 1, 4, request.axes);
  question.annotations = options.has("--annotations");
  question.mesh = pinned.mesh;
  if (pinned.layout) question.pinned = *pinned.layout;
  for (const std::string& dim : options.values("--whole")) question.pinned.push_back({Name(dim), {}, {}});
  const auto heed_interrupts = [&] {
    if (repl.is_interrupted()) fail(Kind::interrupted, {});
  };
  request.poll = heed_interrupts;
  question.on_progress = [&, show = shown_progress([&](const std::string& text) { repl.show_status(text); })](const SearchProgress& progress) {
    heed_interrupts();
    show(progress);
  };
  repl.say(search_text(search_layouts(WhatIf::statement(repl.session(), statement, repl.name_of_entry()), std::move(request)), repl.columns()));
}

}  // namespace mtf::tool
