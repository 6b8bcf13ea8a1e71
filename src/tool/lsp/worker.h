#pragma once
// The thread of a language server that finds out about documents: it checks the latest text, then plans it.
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "tool/lsp/documents.h"
#include "tool/lsp/editor.h"

namespace mtf::tool {

class Worker {
 public:
  /// Both must outlive it.
  Worker(Documents& documents, Editor& editor) : documents_(documents), editor_(editor) {}

  /// Works until `documents.end`.
  void work();

 private:
  /// A step of the work, on a thread of its own. One that is interrupted frees much memory, while the next one runs.
  struct Step {
    std::thread thread;
    bool has_ended = false;
  };

  void until_interrupted(std::unique_lock<std::mutex>& lock, const std::function<void()>& work);
  void join_ended(std::unique_lock<std::mutex>& lock, std::size_t most);
  void answer_plan(std::unique_lock<std::mutex>& lock);
  void find_out(const std::string& uri, const Document& document, const eval::Settings& settings);
  void give_up(const std::string& uri, std::int64_t changes, const std::string& why);
  bool keep(const std::string& uri, std::int64_t changes, std::shared_ptr<const DocumentFacts> facts,
            std::shared_ptr<const KnownSession> names);
  bool stands_still(const std::string& uri, std::int64_t changes);

  Documents& documents_;
  Editor& editor_;
  std::list<Step> steps_;  ///< which have begun and are not joined
};

}  // namespace mtf::tool
