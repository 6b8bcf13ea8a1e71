#include "run/transport.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <numeric>

#include "io/partial_file.h"
#include "run/mailboxes.h"
#include "support/diagnostics.h"
#include "support/expected_end.h"

namespace mtf::run {
namespace {

/// The largest MPI message; larger data is sent as several messages.
constexpr int64_t kLargestMessage = int64_t{1} << 30;

/// How long rank 0 may take to answer is_first_to_ask().
constexpr std::chrono::seconds kLongestAnswer{1};

}  // namespace

struct Transport::Pending::Requests {
  std::vector<Mpi::Request> list;
  // Mailbox messages that had no room yet, and those that have not arrived.
  template <typename Data>
  struct Short {
    int place, tag;
    Data* data;
    int64_t bytes;
  };
  std::vector<Short<const void>> sent;
  std::vector<Short<void>> awaited;
  bool empty() const { return list.empty() && sent.empty() && awaited.empty(); }
};

Transport::Pending::Pending() : requests_(std::make_unique<Requests>()) {}
Transport::Pending::~Pending() = default;
Transport::Pending::Pending(Pending&&) noexcept = default;
Transport::Pending& Transport::Pending::operator=(Pending&&) noexcept = default;
bool Transport::Pending::empty() const { return requests_->empty(); }

Transport::Transport(bool use_mpi, bool share_memory) {
  if (!use_mpi) return;
  mpi_ = load_mpi();
  started_ = mpi_->start();
  const Mpi::Place place = mpi_->join();
  rank_ = place.rank;
  ranks_ = place.ranks;
  ranks_here_ = place.ranks_here;
  // The last tags are for control messages.
  if (place.largest_tag >= 0) collectives_at_once_ = (place.largest_tag + 1) / kTagsOfCollective - 1;
  place_here_.assign(static_cast<size_t>(ranks_), -1);
  const std::vector<int64_t> here = gather_here({rank_});
  for (size_t i = 0; i < here.size(); ++i) place_here_[static_cast<size_t>(here[i])] = static_cast<int>(i);
  std::vector<int64_t> nodes(static_cast<size_t>(ranks_), 0);
  nodes[static_cast<size_t>(rank_)] = *std::min_element(here.begin(), here.end());
  if (has_several_nodes()) max_of_all(nodes);
  node_of_.assign(nodes.begin(), nodes.end());
  may_share_memory_ = ranks_here_ > 1 && min_here(share_memory) != 0;
  if (may_share_memory_) {
    mailboxes_ = std::make_unique<Mailboxes>(*this);
    if (!mailboxes_->is_there()) mailboxes_ = nullptr;
  }
  has_counter_ = mpi_->make_counter();
}

Transport::~Transport() {
  if (!mpi_) return;
  // After an error that other ranks may not have, a regular end would wait for them for ever.
  if (started_ && std::uncaught_exceptions() > 0) abort(1);
  if (mpi_->has_ended() || std::uncaught_exceptions() > 0) return;
  if (has_counter_) mpi_->free_counter();
  mpi_->leave();
  if (started_) mpi_->end();
}

void Transport::send(Pending& pending, int peer, int tag, const void* data, int64_t bytes) {
  sent_ += bytes;
  post(pending, peer, tag, data, bytes);
}

bool Transport::goes_by_mailbox(int peer, int64_t bytes) const {
  return mailboxes_ && place_here(peer) >= 0 && mailboxes_->takes(bytes);
}

void Transport::post(Pending& pending, int peer, int tag, const void* data, int64_t bytes) {
  if (bytes == 0) return;
  Pending::Requests& requests = *pending.requests_;
  if (goes_by_mailbox(peer, bytes)) {
    if (!requests.sent.empty() || !mailboxes_->send(place_here(peer), tag, data, bytes))
      requests.sent.push_back({place_here(peer), tag, data, bytes});
    return;
  }
  const char* at = static_cast<const char*>(data);
  for (int64_t done = 0; done < bytes; done += kLargestMessage) {
    const int count = static_cast<int>(std::min(bytes - done, kLargestMessage));
    requests.list.push_back(mpi_->send(at + done, count, peer, tag));
  }
}

void Transport::receive(Pending& pending, int peer, int tag, void* data, int64_t bytes) {
  if (bytes == 0) return;
  Pending::Requests& requests = *pending.requests_;
  if (goes_by_mailbox(peer, bytes)) {
    requests.awaited.push_back({place_here(peer), tag, data, bytes});
    return;
  }
  char* at = static_cast<char*>(data);
  for (int64_t done = 0; done < bytes; done += kLargestMessage) {
    const int count = static_cast<int>(std::min(bytes - done, kLargestMessage));
    requests.list.push_back(mpi_->receive(at + done, count, peer, tag));
  }
}

bool Transport::test(Pending& pending) {
  Pending::Requests& requests = *pending.requests_;
  // Messages with one tag arrive in order, so only the first unfinished one is tried.
  const auto done_of = [](auto& messages, const auto& is_done) {
    const auto first = std::find_if_not(messages.begin(), messages.end(), is_done);
    messages.erase(messages.begin(), first);
  };
  done_of(requests.sent, [&](const auto& m) { return mailboxes_->send(m.place, m.tag, m.data, m.bytes); });
  done_of(requests.awaited, [&](const auto& m) { return mailboxes_->receive(m.place, m.tag, m.data, m.bytes); });
  if (std::vector<Mpi::Request>& list = requests.list; !list.empty() && mpi_->test(list)) list.clear();
  return requests.empty();
}

void Transport::wait(Pending& pending) {
  // MPI makes progress with a long message only while it is called.
  const bool by_mpi = !pending.requests_->list.empty();
  wait_until([&] { return test(pending); }, Patience(by_mpi ? Patience::kAwake : Patience::kSleepy));
}

class Transport::Waits {
 public:
  Waits(Transport& transport, int rank) : waiting_(transport.waiting_) {
    waiting_.begun.fetch_add(1, std::memory_order_relaxed);
    waiting_.rank.store(rank, std::memory_order_relaxed);
  }
  ~Waits() { waiting_.rank.store(Waiting::kNobody, std::memory_order_relaxed); }
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;

 private:
  Waiting& waiting_;
};

void Transport::wait_for(Mpi::Request request) {
  const Waits waits(*this, Waiting::kOthers);
  wait_until([&] { return mpi_->test({&request, 1}); });
}

void Transport::make_progress() {
  if (mailboxes_) mailboxes_->make_room();
  mpi_->probe();
}

void Transport::max_of_all(std::vector<int64_t>& numbers) {
  // After each round a rank knows the maximum of twice as many ranks (Hensgen, Finkel, Manber, Two algorithms for
  // barrier synchronization, 1988).
  const auto bytes = static_cast<int64_t>(numbers.size() * sizeof numbers[0]);
  const int tag = tag_of(collectives_at_once_ - 1) + kTagsOfCollective;
  std::vector<int64_t> own(numbers.size()), others(numbers.size());
  Pending pending;
  for (int away = 1; away < ranks_; away *= 2) {
    own = numbers;
    const int peer = (rank_ - away + ranks_) % ranks_;
    const Waits waits(*this, peer);
    receive(pending, peer, tag, others.data(), bytes);
    post(pending, (rank_ + away) % ranks_, tag, own.data(), bytes);
    wait(pending);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::max(numbers[i], others[i]);
  }
}

void Transport::add_up(std::vector<uint64_t>& numbers) {
  if (ranks_ == 1) return;
  wait_for(mpi_->add_up(numbers.data(), static_cast<int>(numbers.size())));
}

void Transport::broadcast(std::string& bytes) {
  if (ranks_ == 1) return;
  const auto send_all = [&](void* data, int64_t size) { wait_for(mpi_->broadcast(data, static_cast<int>(size))); };
  int64_t size = static_cast<int64_t>(bytes.size());
  send_all(&size, sizeof size);
  bytes.resize(static_cast<size_t>(size));
  for (int64_t done = 0; done < size; done += kLargestMessage)
    send_all(bytes.data() + done, std::min(size - done, kLargestMessage));
}

std::vector<std::string> Transport::gather_texts(const std::string& text) {
  if (ranks_ == 1) return {text};
  const int size = static_cast<int>(text.size());
  std::vector<int> sizes(ranks_), begins(ranks_);
  wait_for(mpi_->gather(&size, sizes.data()));
  std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), 0);
  std::string all(rank_ == 0 ? static_cast<size_t>(begins.back() + sizes.back()) : 0, ' ');
  wait_for(mpi_->gather(text.data(), size, all.data(), sizes.data(), begins.data()));
  std::vector<std::string> texts;
  for (int r = 0; rank_ == 0 && r < ranks_; ++r)
    texts.push_back(all.substr(static_cast<size_t>(begins[r]), static_cast<size_t>(sizes[r])));
  return texts;
}

int64_t Transport::sum_here(int64_t number) {
  const std::vector<int64_t> all = gather_here({number});
  return std::accumulate(all.begin(), all.end(), int64_t{0});
}

int64_t Transport::min_here(int64_t number) {
  const std::vector<int64_t> all = gather_here({number});
  return *std::min_element(all.begin(), all.end());
}

std::vector<int64_t> Transport::gather_here(const std::vector<int64_t>& numbers) {
  if (ranks_here_ == 1) return numbers;
  const int count = static_cast<int>(numbers.size());
  std::vector<int64_t> all(numbers.size() * static_cast<size_t>(ranks_here_));
  wait_for(mpi_->gather_here(numbers.data(), count, all.data()));
  return all;
}

bool Transport::is_first_to_ask() {
  if (ranks_ == 1 || !has_counter_) return true;
  Mpi::Request request = mpi_->increase(asked_before_);
  // On another node the answer needs rank 0 to be in an MPI call.
  const auto deadline = std::chrono::steady_clock::now() + kLongestAnswer;
  while (!mpi_->test({&request, 1}))
    if (std::chrono::steady_clock::now() > deadline) return true;
  return asked_before_ == 0;
}

void Transport::abort(int status) {
  io::remove_partial_files();  // no destructor runs
  expect_end();
  if (mpi_ && ranks_ > 1) mpi_->abort(status);
  end_process(status);
}

}  // namespace mtf::run
