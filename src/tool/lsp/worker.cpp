#include "tool/lsp/worker.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/records.h"
#include "tool/lsp/answers.h"

namespace mtf::tool {
namespace {

/// How long a text must have stood still before it is planned.
constexpr std::chrono::milliseconds kPauseBeforeCosts{200};

/// How many interrupted steps may free their memory while another step works.
constexpr std::size_t kMostEnding = 3;

}  // namespace

void Worker::work() {
  std::unique_lock lock(documents_.mutex);
  while (!documents_.end) {
    if (!documents_.questions.empty()) {
      answer_plan(lock);
      continue;
    }
    const auto unchecked = std::find_if(documents_.by_uri.begin(), documents_.by_uri.end(),
                                        [](const auto& entry) { return entry.second.checked != entry.second.changes; });
    if (unchecked == documents_.by_uri.end()) {
      documents_.wakes.wait(lock);
      continue;
    }
    const eval::Settings settings = settings_of(documents_.options, 1);
    until_interrupted(lock, [this, uri = unchecked->first, document = unchecked->second, settings] {
      find_out(uri, document, settings);
    });
  }
  join_ended(lock, 0);
}

/// Runs `work` until it ends or is interrupted.
void Worker::until_interrupted(std::unique_lock<std::mutex>& lock, const std::function<void()>& work) {
  documents_.interrupt = Interrupt();
  Step& step = steps_.emplace_back();
  step.thread = std::thread([this, &step, work, own = documents_.interrupt] {
    {
      const HeedsInterrupt heeds(own, {});
      work();
    }
    const std::lock_guard ending(documents_.mutex);
    step.has_ended = true;
    documents_.wakes.notify_all();
  });
  documents_.wakes.wait(lock, [&] { return step.has_ended || documents_.interrupt.is_wanted(); });
  join_ended(lock, kMostEnding);
}

/// Joins the steps that have ended, and waits until at most `most` others are there.
void Worker::join_ended(std::unique_lock<std::mutex>& lock, std::size_t most) {
  const auto has_ended = [](const Step& step) { return step.has_ended; };
  const auto running = [&] {
    return steps_.size() - static_cast<std::size_t>(std::count_if(steps_.begin(), steps_.end(), has_ended));
  };
  documents_.wakes.wait(lock, [&] { return running() <= most; });
  std::list<Step> ended;
  for (auto step = steps_.begin(); step != steps_.end();)
    if (const auto next = std::next(step); has_ended(*std::exchange(step, next)))
      ended.splice(ended.end(), steps_, std::prev(next));
  lock.unlock();
  for (Step& step : ended) step.thread.join();
  lock.lock();
}

/// Answers the first question for a plan, with the JSON of the reference. An edit interrupts it; after an edit of
/// another document it is asked again.
void Worker::answer_plan(std::unique_lock<std::mutex>& lock) {
  const PlanQuestion question = documents_.questions.front();
  documents_.questions.pop_front();
  const Document* const asked = documents_.still(question.uri, question.changes);
  if (!asked) return editor_.refuse(question.id, {kContentModified, "the document has changed"});
  const eval::Settings settings = settings_of(documents_.options, 1);
  until_interrupted(lock, [this, question, name = asked->name, text = asked->text.text(), settings] {
    try {
      session::Session::check_text(name, text, settings).throw_first();
      editor_.answer_text(question.id, to_json(plan_of_program(name, text, settings, run::DryRuntime(), {})));
    } catch (const UserError& error) {
      const std::lock_guard asking(documents_.mutex);
      if (error.diagnostic().kind() == Kind::interrupted) documents_.questions.push_back(question);
      else editor_.refuse(question.id, {kRequestFailed, error.what()});
    }
  });
}

/// Checks and plans one state of a document. An edit interrupts it.
void Worker::find_out(const std::string& uri, const Document& document, const eval::Settings& settings) {
  const std::int64_t changes = document.changes;
  try {
    const std::shared_ptr<DocumentFacts> checked = check_document(document.name, document.text.text(), settings);
    if (document.facts) checked->costs = document.facts->costs;
    if (!keep(uri, changes, checked, nullptr)) return;
    if (!stands_still(uri, changes) || checked->checked.found.has_errors()) return;
    const auto names = std::make_shared<const KnownSession>(*checked, settings);
    const run::DryRuntime machine;
    keep(uri, changes, with_costs(*checked, settings, machine), names);
    editor_.refresh();
  } catch (const UserError& error) {
    if (error.diagnostic().kind() != Kind::interrupted) return give_up(uri, changes, error.what());
    const std::lock_guard lock(documents_.mutex);  // an edit of another document leaves this one to do
    if (Document* const same = documents_.still(uri, changes)) same->checked = 0;
  } catch (const std::exception& error) { give_up(uri, changes, error.what()); }
}

/// A state that fails is not tried again before the next edit.
void Worker::give_up(const std::string& uri, std::int64_t changes, const std::string& why) {
  editor_.log(why);
  const std::lock_guard lock(documents_.mutex);
  if (Document* const same = documents_.still(uri, changes)) same->checked = changes;
}

/// Keeps facts of a document that has not changed since, and shows what is wrong. With names, the facts have the costs
/// of this state. Returns false if the document has changed.
bool Worker::keep(const std::string& uri, std::int64_t changes, std::shared_ptr<const DocumentFacts> facts,
                  std::shared_ptr<const KnownSession> names) {  // they end as what they replace, without the lock
  const std::lock_guard lock(documents_.mutex);
  Document* const document = documents_.still(uri, changes);
  if (!document) return false;
  const bool is_new = document->checked != changes;
  document->facts.swap(facts);
  document->checked = changes;
  if (names) {
    document->names.swap(names);
    document->planned = changes;
  }
  if (is_new)
    editor_.notify("textDocument/publishDiagnostics",
                   {{"uri", uri}, {"version", document->version}, {"diagnostics", diagnostics_in(*document->facts)}});
  return true;
}

bool Worker::stands_still(const std::string& uri, std::int64_t changes) {
  std::unique_lock lock(documents_.mutex);
  return !documents_.wakes.wait_for(lock, kPauseBeforeCosts,
                                    [&] { return documents_.end || !documents_.still(uri, changes); });
}

}  // namespace mtf::tool
