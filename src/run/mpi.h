#pragma once
// MPI behind an interface: what the transport asks of it.
//
// The library itself is not linked with MPI. The class that calls MPI stands in a plug-in, mpi_plugin.cpp, which is
// loaded when a process is one of several ranks. So a program that embeds mtf, and a wheel, need no MPI.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace mtf::run {

class Mpi {
 public:
  /// A request as MPI holds it: a pointer or a number.
  struct Request {
    std::uint64_t held = 0;
  };

  virtual ~Mpi() = default;

  /// Starts MPI, unless the process has done so. Returns true if it did.
  virtual bool start() = 0;
  /// Ends MPI.
  virtual void end() = 0;
  virtual bool has_ended() const = 0;
  /// Ends every rank of the job at once.
  virtual void abort(int status) = 0;

  struct Place {
    int rank = 0, ranks = 1;
    int ranks_here = 1;             ///< of this node
    std::int64_t largest_tag = -1;  ///< -1: unknown
  };
  /// Makes communicators of its own for all ranks, and for those of this node. All ranks call it together, and leave()
  /// too.
  virtual Place join() = 0;
  virtual void leave() = 0;

  // Each begins a message or a collective. Its memory is in use until test() has returned true.
  virtual Request send(const void* data, int bytes, int peer, int tag) = 0;
  virtual Request receive(void* data, int bytes, int peer, int tag) = 0;
  virtual Request broadcast(void* data, int bytes) = 0;  ///< from rank 0
  virtual Request add_up(std::uint64_t* numbers, int count) = 0;
  virtual Request gather(const int* number, int* all) = 0;  ///< on rank 0
  virtual Request gather(const char* text, int size, char* all, const int* sizes, const int* begins) = 0;
  virtual Request gather_here(const std::int64_t* numbers, int count, std::int64_t* all) = 0;
  /// True if all of them have completed.
  virtual bool test(std::span<Request> requests) = 0;
  /// Makes progress with all messages.
  virtual void probe() = 0;

  /// Makes a counter on rank 0, which ranks increase without its help. All ranks call it together. Returns false if
  /// MPI cannot.
  virtual bool make_counter() = 0;
  /// Increases the counter; `before` receives what it was.
  virtual Request increase(std::int32_t& before) = 0;
  virtual void free_counter() = 0;
};

/// The functions that the plug-in exports.
inline constexpr const char* kMpiMaker = "mtf_make_mpi";       // Mpi* mtf_make_mpi()
inline constexpr const char* kMpiVersion = "mtf_mpi_version";  // const char* mtf_mpi_version(): that of mtf

/// Loads the plug-in: the file $MTF_MPI, or `libmtf_mpi.so` beside the library or the program, in the folder where it
/// is installed, or where the system finds it. Fails (mpi_not_found) if there is none, or if it cannot be loaded.
std::unique_ptr<Mpi> load_mpi();

}  // namespace mtf::run
