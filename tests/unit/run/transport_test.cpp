// Messages between ranks: short ones through mailboxes, and long ones by MPI. A single rank sends none.
#include "run/transport.h"

#include <gtest/gtest.h>

#include <numeric>

#include "programs.h"

namespace mtf::run {
namespace {

class Messages : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!under_mpi()) GTEST_SKIP() << "needs mpirun";
    execution();  // starts MPI, and ends it
    transport.emplace(true, GetParam());
    next = (transport->rank() + 1) % transport->ranks();
    last = (transport->rank() + transport->ranks() - 1) % transport->ranks();
  }
  static std::vector<int> filled(int64_t count, int first) {
    std::vector<int> numbers(static_cast<size_t>(count));
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
  }
  static int64_t bytes(const std::vector<int>& numbers) { return static_cast<int64_t>(numbers.size() * sizeof(int)); }

  std::optional<Transport> transport;
  int next = 0, last = 0;
};

TEST_P(Messages, OfEveryLengthArrive) {
  for (const int64_t count : {1, 3, 4, 1000, 4'096, 16'383, 16'384, 16'385, 100'000}) {
    const std::vector<int> given = filled(count, transport->rank());
    std::vector<int> taken(given.size());
    Transport::Pending pending;
    transport->receive(pending, last, 5, taken.data(), bytes(taken));
    transport->send(pending, next, 5, given.data(), bytes(given));
    transport->wait(pending);
    EXPECT_TRUE(pending.empty());
    EXPECT_EQ(taken, filled(count, last));
  }
}

TEST_P(Messages, ArriveByTheirTagsInAnyOrder) {
  constexpr int kTags = 50;
  Transport::Pending sent;
  std::vector<std::vector<int>> given;
  for (int tag = 0; tag < kTags; ++tag) given.push_back(filled(10 + tag, 100 * tag + transport->rank()));
  for (int tag = 0; tag < kTags; ++tag) transport->send(sent, next, tag, given[tag].data(), bytes(given[tag]));
  for (int tag = kTags - 1; tag >= 0; --tag) {
    std::vector<int> taken(given[tag].size());
    Transport::Pending pending;
    transport->receive(pending, last, tag, taken.data(), bytes(taken));
    transport->wait(pending);
    EXPECT_EQ(taken, filled(10 + tag, 100 * tag + last));
  }
  transport->wait(sent);
}

TEST_P(Messages, OfOneTagArriveInTheirOrder) {
  Transport::Pending pending;
  std::vector<int> given = filled(100, 0), taken(given.size());
  for (int& number : taken) transport->receive(pending, last, 9, &number, sizeof number);
  for (const int& number : given) transport->send(pending, next, 9, &number, sizeof number);
  transport->wait(pending);
  EXPECT_EQ(taken, given);
}

TEST_P(Messages, MoreThanAMailboxHoldsWaitUntilThereIsRoom) {
  constexpr int64_t kCount = 4'000;  // numbers of a message; a mailbox holds only some of them
  Transport::Pending pending;
  std::vector<std::vector<int>> given, taken;
  for (int m = 0; m < 300; ++m) {
    given.push_back(filled(kCount, m));
    taken.emplace_back(kCount);
  }
  for (const std::vector<int>& each : given) transport->send(pending, next, 3, each.data(), bytes(each));
  for (std::vector<int>& each : taken) transport->receive(pending, last, 3, each.data(), bytes(each));
  transport->wait(pending);
  EXPECT_EQ(taken, given);
}

TEST_P(Messages, NobodyNeedsYetAreInNobodysWay) {
  // Rank 0 waits for the last rank's message only after all others have sent more than its mailboxes hold.
  constexpr int kMany = 200;
  std::vector<int> numbers(4'000), taken(numbers.size());
  Transport::Pending sent, received;
  if (transport->rank() != 0)
    for (int m = 0; m < kMany; ++m) transport->send(sent, 0, m, numbers.data(), bytes(numbers));
  std::vector<int64_t> largest{transport->rank()};
  transport->max_of_all(largest);
  EXPECT_EQ(largest[0], transport->ranks() - 1);
  if (transport->rank() == 0)
    for (int rank = transport->ranks() - 1; rank > 0; --rank)
      for (int m = 0; m < kMany; ++m) {
        transport->receive(received, rank, m, taken.data(), bytes(taken));
        transport->wait(received);
      }
  transport->wait(sent);
}

TEST_P(Messages, TheLargestOfEachNumberIsKnownToAll) {
  for (const int64_t count : {1, 5, 3'000, 100'000}) {
    std::vector<int64_t> numbers(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) numbers[i] = i % transport->ranks() == transport->rank() ? i : -i - 1;
    transport->max_of_all(numbers);
    for (int64_t i = 0; i < count; ++i) ASSERT_EQ(numbers[i], i);
  }
}

TEST_P(Messages, TextsGoToAllAndComeFromAll) {
  std::string text = transport->rank() == 0 ? std::string(100'000, 'x') : "";
  transport->broadcast(text);
  EXPECT_EQ(text, std::string(100'000, 'x'));
  const std::vector<std::string> all =
      transport->gather_texts(std::string(static_cast<size_t>(transport->rank()), 'r'));
  for (size_t r = 0; r < all.size(); ++r) EXPECT_EQ(all[r], std::string(r, 'r'));
  std::vector<uint64_t> ones{1, ~uint64_t{0}};
  transport->add_up(ones);
  EXPECT_EQ(ones[0], static_cast<uint64_t>(transport->ranks()));
  EXPECT_EQ(ones[1], uint64_t{0} - static_cast<uint64_t>(transport->ranks()));
}

INSTANTIATE_TEST_SUITE_P(Through, Messages, testing::Values(true, false),
                         [](const auto& info) { return info.param ? "MailboxesAndMpi" : "MpiAlone"; });

}  // namespace
}  // namespace mtf::run
