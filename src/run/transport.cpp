#include "run/transport.h"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <numeric>

#include "io/partial_file.h"
#include "run/mailboxes.h"
#include "support/diagnostics.h"

namespace mtf::run {
namespace {

/// The largest MPI message; larger data is sent as several messages.
constexpr int64_t kLargestMessage = int64_t{1} << 30;

/// How long rank 0 may take to answer is_first_to_ask().
constexpr std::chrono::seconds kLongestAnswer{1};

}  // namespace

struct Transport::Communicators {
  MPI_Comm all;   // a duplicate of MPI_COMM_WORLD
  MPI_Comm here;  // the ranks of this node
  MPI_Win asked;  // a counter on rank 0 of the ranks that asked; MPI_WIN_NULL without one-sided messages
  int32_t asked_before = 0;
};

struct Transport::Pending::Requests {
  std::vector<MPI_Request> list;
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

Transport::Transport(bool use_mpi, bool share_memory) : mpi_(use_mpi) {
  if (!mpi_) return;
  int provided = 0, running = 0;
  MPI_Initialized(&running);
  started_ = !running;
  if (started_) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  communicators_ = std::make_unique<Communicators>();
  MPI_Comm_dup(MPI_COMM_WORLD, &communicators_->all);
  MPI_Comm_rank(communicators_->all, &rank_);
  MPI_Comm_size(communicators_->all, &ranks_);
  const int* largest_tag = nullptr;
  int has_largest = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest_tag, &has_largest);
  // The last tags are for control messages.
  if (has_largest) collectives_at_once_ = (int64_t{*largest_tag} + 1) / kTagsOfCollective - 1;
  MPI_Comm_split_type(communicators_->all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &communicators_->here);
  MPI_Comm_size(communicators_->here, &ranks_here_);
  place_here_.assign(static_cast<size_t>(ranks_), -1);
  const std::vector<int64_t> here = gather_here({rank_});
  for (size_t i = 0; i < here.size(); ++i) place_here_[static_cast<size_t>(here[i])] = static_cast<int>(i);
  may_share_memory_ = ranks_here_ > 1 && min_here(share_memory) != 0;
  if (may_share_memory_) {
    mailboxes_ = std::make_unique<Mailboxes>(*this);
    if (!mailboxes_->is_there()) mailboxes_ = nullptr;
  }
  int32_t* asked = nullptr;
  MPI_Errhandler usual;
  MPI_Comm_get_errhandler(communicators_->all, &usual);
  MPI_Comm_set_errhandler(communicators_->all, MPI_ERRORS_RETURN);
  const int made = MPI_Win_allocate(sizeof *asked, sizeof *asked, MPI_INFO_NULL, communicators_->all, &asked,
                                    &communicators_->asked);
  MPI_Comm_set_errhandler(communicators_->all, usual);
  MPI_Errhandler_free(&usual);
  if (made != MPI_SUCCESS) {
    communicators_->asked = MPI_WIN_NULL;
    return;
  }
  MPI_Win_lock_all(MPI_MODE_NOCHECK, communicators_->asked);
  *asked = 0;
  MPI_Win_sync(communicators_->asked);
  MPI_Barrier(communicators_->all);
}

Transport::~Transport() {
  if (!mpi_) return;
  // After an error that other ranks may not have, a regular end would wait for them for ever.
  if (started_ && std::uncaught_exceptions() > 0) abort(1);
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized || std::uncaught_exceptions() > 0) return;
  if (communicators_->asked != MPI_WIN_NULL) {
    MPI_Win_unlock_all(communicators_->asked);
    MPI_Win_free(&communicators_->asked);
  }
  MPI_Comm_free(&communicators_->here);
  MPI_Comm_free(&communicators_->all);
  if (started_) MPI_Finalize();
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
    MPI_Request request;
    int count = static_cast<int>(std::min(bytes - done, kLargestMessage));
    MPI_Isend(at + done, count, MPI_BYTE, peer, tag, communicators_->all, &request);
    requests.list.push_back(request);
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
    MPI_Request request;
    int count = static_cast<int>(std::min(bytes - done, kLargestMessage));
    MPI_Irecv(at + done, count, MPI_BYTE, peer, tag, communicators_->all, &request);
    requests.list.push_back(request);
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
  std::vector<MPI_Request>& list = requests.list;
  if (!list.empty()) {
    int done = 0;
    MPI_Testall(static_cast<int>(list.size()), list.data(), &done, MPI_STATUSES_IGNORE);
    if (done) list.clear();
  }
  return requests.empty();
}

void Transport::wait(Pending& pending) {
  // MPI makes progress with a long message only while it is called.
  const bool by_mpi = !pending.requests_->list.empty();
  wait_until([&] { return test(pending); }, Patience(by_mpi ? Patience::kAwake : Patience::kSleepy));
}

template <typename Begin>
void Transport::call(const Begin& begin) {
  MPI_Request request;
  begin(&request);
  wait_until([&] {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

void Transport::make_progress() {
  if (mailboxes_) mailboxes_->make_room();
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicators_->all, &found, MPI_STATUS_IGNORE);
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
    receive(pending, (rank_ - away + ranks_) % ranks_, tag, others.data(), bytes);
    post(pending, (rank_ + away) % ranks_, tag, own.data(), bytes);
    wait(pending);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::max(numbers[i], others[i]);
  }
}

void Transport::add_up(std::vector<uint64_t>& numbers) {
  if (ranks_ == 1) return;
  call([&](MPI_Request* request) {
    MPI_Iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_UINT64_T, MPI_SUM,
                   communicators_->all, request);
  });
}

void Transport::broadcast(std::string& bytes) {
  if (ranks_ == 1) return;
  const auto send_all = [&](void* data, int64_t size) {
    call([&](MPI_Request* request) {
      MPI_Ibcast(data, static_cast<int>(size), MPI_BYTE, 0, communicators_->all, request);
    });
  };
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
  call([&](MPI_Request* request) {
    MPI_Igather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, communicators_->all, request);
  });
  std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), 0);
  std::string all(rank_ == 0 ? static_cast<size_t>(begins.back() + sizes.back()) : 0, ' ');
  call([&](MPI_Request* request) {
    MPI_Igatherv(text.data(), size, MPI_BYTE, all.data(), sizes.data(), begins.data(), MPI_BYTE, 0, communicators_->all,
                 request);
  });
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
  call([&](MPI_Request* request) {
    MPI_Iallgather(numbers.data(), count, MPI_INT64_T, all.data(), count, MPI_INT64_T, communicators_->here, request);
  });
  return all;
}

bool Transport::is_first_to_ask() {
  if (ranks_ == 1 || communicators_->asked == MPI_WIN_NULL) return true;
  const int32_t one = 1;
  // A member, because the answer may arrive after the function has returned.
  int32_t& before = communicators_->asked_before;
  MPI_Request request;
  MPI_Rget_accumulate(&one, 1, MPI_INT32_T, &before, 1, MPI_INT32_T, 0, 0, 1, MPI_INT32_T, MPI_SUM,
                      communicators_->asked, &request);
  // On another node the answer needs rank 0 to be in an MPI call.
  const auto deadline = std::chrono::steady_clock::now() + kLongestAnswer;
  int done = 0;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done)
    if (std::chrono::steady_clock::now() > deadline) return true;
  return before == 0;
}

void Transport::abort(int status) {
  io::remove_partial_files();  // no destructor runs
  if (mpi_ && ranks_ > 1) MPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

}  // namespace mtf::run
