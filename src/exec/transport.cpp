#include "exec/transport.h"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <exception>

#include "support/diagnostics.h"

namespace mtf {
namespace {

/// No single MPI message is larger; a larger one is sent as several.
constexpr int64_t kLargestMessage = int64_t{1} << 30;

}  // namespace

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
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  MPI_Comm here;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_size(here, &ranks_here_);
  MPI_Comm_free(&here);
}

Transport::~Transport() {
  if (!started_) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  // On the way out of an error that the other ranks may not share, they would wait in MPI_Finalize for ever.
  if (std::uncaught_exceptions() > 0) abort(1);
  if (!finalized) MPI_Finalize();
}

void Transport::send(Pending& pending, int peer, int tag, const void* data, int64_t bytes) {
  const char* at = static_cast<const char*>(data);
  for (int64_t done = 0; done < bytes; done += kLargestMessage) {
    MPI_Request request;
    int count = static_cast<int>(std::min(bytes - done, kLargestMessage));
    MPI_Isend(at + done, count, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request);
    pending.requests_->list.push_back(request);
  }
}

void Transport::receive(Pending& pending, int peer, int tag, void* data, int64_t bytes) {
  char* at = static_cast<char*>(data);
  for (int64_t done = 0; done < bytes; done += kLargestMessage) {
    MPI_Request request;
    int count = static_cast<int>(std::min(bytes - done, kLargestMessage));
    MPI_Irecv(at + done, count, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request);
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

void Transport::max_of_all(std::vector<int64_t>& numbers) {
  if (ranks_ == 1) return;
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
}

void Transport::broadcast(std::string& bytes) {
  if (ranks_ == 1) return;
  int64_t size = static_cast<int64_t>(bytes.size());
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  bytes.resize(static_cast<size_t>(size));
  for (int64_t done = 0; done < size; done += kLargestMessage)
    MPI_Bcast(bytes.data() + done, static_cast<int>(std::min(size - done, kLargestMessage)), MPI_BYTE, 0, MPI_COMM_WORLD);
}

void Transport::abort(int status) {
  if (mpi_ && ranks_ > 1) MPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

}  // namespace mtf
