#include "run/transport.h"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <numeric>

#include "io/partial_file.h"
#include "support/diagnostics.h"

namespace mtf::run {
namespace {

/// No single MPI message is larger; a larger one is sent as several.
constexpr int64_t kLargestMessage = int64_t{1} << 30;

/// How long rank 0 may take to answer who was first to ask.
constexpr std::chrono::seconds kLongestAnswer{1};

}  // namespace

struct Transport::Communicators {
  MPI_Comm all;   // a duplicate of MPI_COMM_WORLD
  MPI_Comm here;  // the ranks of this node
  MPI_Win asked;  // a number on rank 0: how many have asked; none where MPI here has no one-sided messages
  int32_t asked_before = 0;
};

struct Transport::Pending::Requests {
  std::vector<MPI_Request> list;
};

Transport::Pending::Pending() : requests_(std::make_unique<Requests>()) {}
Transport::Pending::~Pending() = default;
Transport::Pending::Pending(Pending&&) noexcept = default;
Transport::Pending& Transport::Pending::operator=(Pending&&) noexcept = default;
bool Transport::Pending::empty() const { return requests_->list.empty(); }

Transport::Transport(bool use_mpi) : mpi_(use_mpi) {
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
  if (has_largest) collectives_at_once_ = (int64_t{*largest_tag} + 1) / kTagsOfCollective;
  MPI_Comm_split_type(communicators_->all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &communicators_->here);
  MPI_Comm_size(communicators_->here, &ranks_here_);
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
  // On the way out of an error that the other ranks may not share, they would be waited for for ever.
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
  const char* at = static_cast<const char*>(data);
  sent_ += bytes;
  for (int64_t done = 0; done < bytes; done += kLargestMessage) {
    MPI_Request request;
    int count = static_cast<int>(std::min(bytes - done, kLargestMessage));
    MPI_Isend(at + done, count, MPI_BYTE, peer, tag, communicators_->all, &request);
    pending.requests_->list.push_back(request);
  }
}

void Transport::receive(Pending& pending, int peer, int tag, void* data, int64_t bytes) {
  char* at = static_cast<char*>(data);
  for (int64_t done = 0; done < bytes; done += kLargestMessage) {
    MPI_Request request;
    int count = static_cast<int>(std::min(bytes - done, kLargestMessage));
    MPI_Irecv(at + done, count, MPI_BYTE, peer, tag, communicators_->all, &request);
    pending.requests_->list.push_back(request);
  }
}

bool Transport::test(Pending& pending) {
  std::vector<MPI_Request>& list = pending.requests_->list;
  if (list.empty()) return true;
  int done = 0;
  MPI_Testall(static_cast<int>(list.size()), list.data(), &done, MPI_STATUSES_IGNORE);
  if (done) list.clear();
  return done != 0;
}

void Transport::wait(Pending& pending) {
  std::vector<MPI_Request>& list = pending.requests_->list;
  if (list.empty()) return;
  MPI_Waitall(static_cast<int>(list.size()), list.data(), MPI_STATUSES_IGNORE);
  list.clear();
}

void Transport::make_progress() {
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicators_->all, &found, MPI_STATUS_IGNORE);
}

void Transport::max_of_all(std::vector<int64_t>& numbers) {
  if (ranks_ == 1) return;
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, MPI_MAX,
                communicators_->all);
}

void Transport::add_up(std::vector<uint64_t>& numbers) {
  if (ranks_ == 1) return;
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_UINT64_T, MPI_SUM,
                communicators_->all);
}

void Transport::broadcast(std::string& bytes) {
  if (ranks_ == 1) return;
  int64_t size = static_cast<int64_t>(bytes.size());
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, communicators_->all);
  bytes.resize(static_cast<size_t>(size));
  for (int64_t done = 0; done < size; done += kLargestMessage)
    MPI_Bcast(bytes.data() + done, static_cast<int>(std::min(size - done, kLargestMessage)), MPI_BYTE, 0,
              communicators_->all);
}

std::vector<std::string> Transport::gather_texts(const std::string& text) {
  if (ranks_ == 1) return {text};
  const int size = static_cast<int>(text.size());
  std::vector<int> sizes(ranks_), begins(ranks_);
  MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, communicators_->all);
  std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), 0);
  std::string all(rank_ == 0 ? static_cast<size_t>(begins.back() + sizes.back()) : 0, ' ');
  MPI_Gatherv(text.data(), size, MPI_BYTE, all.data(), sizes.data(), begins.data(), MPI_BYTE, 0, communicators_->all);
  std::vector<std::string> texts;
  for (int r = 0; rank_ == 0 && r < ranks_; ++r)
    texts.push_back(all.substr(static_cast<size_t>(begins[r]), static_cast<size_t>(sizes[r])));
  return texts;
}

int64_t Transport::sum_here(int64_t number) {
  if (ranks_here_ > 1) MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_SUM, communicators_->here);
  return number;
}

int64_t Transport::min_here(int64_t number) {
  if (ranks_here_ > 1) MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_MIN, communicators_->here);
  return number;
}

std::vector<int64_t> Transport::gather_here(const std::vector<int64_t>& numbers) {
  if (ranks_here_ == 1) return numbers;
  const int count = static_cast<int>(numbers.size());
  std::vector<int64_t> all(numbers.size() * static_cast<size_t>(ranks_here_));
  MPI_Allgather(numbers.data(), count, MPI_INT64_T, all.data(), count, MPI_INT64_T, communicators_->here);
  return all;
}

bool Transport::is_first_to_ask() {
  if (ranks_ == 1 || communicators_->asked == MPI_WIN_NULL) return true;
  const int32_t one = 1;
  int32_t& before = communicators_->asked_before;  // the answer may come when nobody waits for it any more
  MPI_Request request;
  MPI_Rget_accumulate(&one, 1, MPI_INT32_T, &before, 1, MPI_INT32_T, 0, 0, 1, MPI_INT32_T, MPI_SUM,
                      communicators_->asked, &request);
  // On another node the answer needs rank 0 to be in a call of MPI.
  const auto deadline = std::chrono::steady_clock::now() + kLongestAnswer;
  int done = 0;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done)
    if (std::chrono::steady_clock::now() > deadline) return true;
  return before == 0;
}

void Transport::abort(int status) {
  io::remove_partial_files();  // no destructor will
  if (mpi_ && ranks_ > 1) MPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

}  // namespace mtf::run
