// The plug-in libmtf_mpi.so: the only source that calls MPI. It calls nothing of mtf.
#include <mpi.h>

#include <cstring>

#include "run/mpi.h"

namespace mtf::run {
namespace {

static_assert(sizeof(MPI_Request) <= sizeof(Mpi::Request));

class CalledMpi final : public Mpi {
 public:
  bool start() override {
    int provided = 0, running = 0;
    MPI_Initialized(&running);
    if (!running) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    return !running;
  }
  void end() override { MPI_Finalize(); }
  bool has_ended() const override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    return finalized != 0;
  }
  void abort(int status) override { MPI_Abort(MPI_COMM_WORLD, status); }

  Place join() override {
    Place place;
    MPI_Comm_dup(MPI_COMM_WORLD, &all_);
    MPI_Comm_rank(all_, &place.rank);
    MPI_Comm_size(all_, &place.ranks);
    const int* largest_tag = nullptr;
    int has_largest = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest_tag, &has_largest);
    if (has_largest) place.largest_tag = *largest_tag;
    MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here_);
    MPI_Comm_size(here_, &place.ranks_here);
    return place;
  }
  void leave() override {
    MPI_Comm_free(&here_);
    MPI_Comm_free(&all_);
  }

  Request send(const void* data, int bytes, int peer, int tag) override {
    return made([&](MPI_Request* request) { MPI_Isend(data, bytes, MPI_BYTE, peer, tag, all_, request); });
  }
  Request receive(void* data, int bytes, int peer, int tag) override {
    return made([&](MPI_Request* request) { MPI_Irecv(data, bytes, MPI_BYTE, peer, tag, all_, request); });
  }
  Request broadcast(void* data, int bytes) override {
    return made([&](MPI_Request* request) { MPI_Ibcast(data, bytes, MPI_BYTE, 0, all_, request); });
  }
  Request add_up(std::uint64_t* numbers, int count) override {
    return made([&](MPI_Request* request) {
      MPI_Iallreduce(MPI_IN_PLACE, numbers, count, MPI_UINT64_T, MPI_SUM, all_, request);
    });
  }
  Request gather(const int* number, int* all) override {
    return made([&](MPI_Request* request) { MPI_Igather(number, 1, MPI_INT, all, 1, MPI_INT, 0, all_, request); });
  }
  Request gather(const char* text, int size, char* all, const int* sizes, const int* begins) override {
    return made([&](MPI_Request* request) {
      MPI_Igatherv(text, size, MPI_BYTE, all, sizes, begins, MPI_BYTE, 0, all_, request);
    });
  }
  Request gather_here(const std::int64_t* numbers, int count, std::int64_t* all) override {
    return made([&](MPI_Request* request) {
      MPI_Iallgather(numbers, count, MPI_INT64_T, all, count, MPI_INT64_T, here_, request);
    });
  }

  bool test(std::span<Request> requests) override {
    int done = 0;
    if constexpr (sizeof(MPI_Request) == sizeof(Request)) {
      MPI_Testall(static_cast<int>(requests.size()), reinterpret_cast<MPI_Request*>(requests.data()), &done,
                  MPI_STATUSES_IGNORE);
      return done != 0;
    }
    // A completed request becomes MPI_REQUEST_NULL, which stays complete.
    bool all = true;
    for (Request& request : requests) {
      MPI_Request held;
      std::memcpy(&held, &request.held, sizeof held);
      MPI_Test(&held, &done, MPI_STATUS_IGNORE);
      std::memcpy(&request.held, &held, sizeof held);
      all = all && done != 0;
    }
    return all;
  }
  void probe() override {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, all_, &found, MPI_STATUS_IGNORE);
  }

  bool make_counter() override {
    std::int32_t* counter = nullptr;
    MPI_Errhandler usual;
    MPI_Comm_get_errhandler(all_, &usual);
    MPI_Comm_set_errhandler(all_, MPI_ERRORS_RETURN);
    const int made = MPI_Win_allocate(sizeof *counter, sizeof *counter, MPI_INFO_NULL, all_, &counter, &counter_);
    MPI_Comm_set_errhandler(all_, usual);
    MPI_Errhandler_free(&usual);
    if (made != MPI_SUCCESS) return false;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, counter_);
    *counter = 0;
    MPI_Win_sync(counter_);
    MPI_Barrier(all_);
    return true;
  }
  Request increase(std::int32_t& before) override {
    static constexpr std::int32_t kOne = 1;
    return made([&](MPI_Request* request) {
      MPI_Rget_accumulate(&kOne, 1, MPI_INT32_T, &before, 1, MPI_INT32_T, 0, 0, 1, MPI_INT32_T, MPI_SUM, counter_,
                          request);
    });
  }
  void free_counter() override {
    MPI_Win_unlock_all(counter_);
    MPI_Win_free(&counter_);
  }

 private:
  template <typename Begin>
  static Request made(const Begin& begin) {
    MPI_Request request;
    begin(&request);
    Request held;
    std::memcpy(&held.held, &request, sizeof request);
    return held;
  }

  MPI_Comm all_ = MPI_COMM_NULL, here_ = MPI_COMM_NULL;
  MPI_Win counter_ = MPI_WIN_NULL;
};

}  // namespace
}  // namespace mtf::run

extern "C" {
[[gnu::visibility("default")]] mtf::run::Mpi* mtf_make_mpi() { return new mtf::run::CalledMpi; }
[[gnu::visibility("default")]] const char* mtf_mpi_version() { return MTF_VERSION; }
}
