#include "spmd/reduce_program.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "spmd/reduction_tree.h"

namespace mtf::spmd {
namespace {

using Array = std::vector<std::string>;  // for each element: the sum, as text

/// Joins terms along a tree, as run/combine.h adds them.
std::string joined(std::vector<std::string> terms, const std::vector<int64_t>& tree) {
  for (int64_t children : tree) {
    std::vector<std::string> sums;
    for (size_t i = 0; i < terms.size(); i += static_cast<size_t>(children)) {
      sums.push_back(terms[i]);
      for (size_t c = i + 1; c < i + static_cast<size_t>(children); ++c)
        sums.back() = "(" + sums.back() + "+" + terms[c] + ")";
    }
    terms = std::move(sums);
  }
  return terms[0];
}

std::string term(int64_t member, int64_t element) { return std::to_string(member) + "." + std::to_string(element); }

std::string sum_of_all(int64_t members, int64_t element) {
  std::vector<std::string> terms;
  for (int64_t member = 0; member < members; ++member) terms.push_back(term(member, element));
  return joined(std::move(terms), tree_over(members));
}

/// Runs a piece of a program among all members in memory. Expects that each message that is sent is received, and
/// counts the sent elements of each member.
std::vector<Array> run(const ReduceProgram& program, int64_t members, int64_t size, std::vector<int64_t>& sent) {
  std::vector<Array> arrays(static_cast<size_t>(members));
  std::vector<std::vector<ReduceRound>> rounds;
  for (int64_t member = 0; member < members; ++member) {
    for (int64_t i = 0; i < size; ++i) arrays[static_cast<size_t>(member)].push_back(term(member, i));
    rounds.push_back(program.rounds(member, size));
  }
  sent.assign(static_cast<size_t>(members), 0);
  for (size_t r = 0; r < rounds[0].size(); ++r) {
    std::map<std::pair<int64_t, int64_t>, std::pair<Interval, Array>> under_way;  // by sender and receiver
    for (int64_t member = 0; member < members; ++member)
      for (const ReduceMessage& message : rounds[member][r].sends) {
        const Array& from = arrays[static_cast<size_t>(member)];
        const auto is_new = under_way.emplace(
            std::pair(member, message.peer),
            std::pair(message.part, Array(from.begin() + message.part.first, from.begin() + message.part.last)));
        EXPECT_TRUE(is_new.second) << "two messages to one member in a round";
        sent[static_cast<size_t>(member)] += message.part.size();
      }
    for (int64_t member = 0; member < members; ++member) {
      const ReduceRound& round = rounds[member][r];
      Array& own = arrays[static_cast<size_t>(member)];
      std::vector<Array> terms;
      for (const ReduceMessage& message : round.receives) {
        const auto at = under_way.find({message.peer, member});
        if (at == under_way.end()) {
          ADD_FAILURE() << "nothing was sent from " << message.peer << " to " << member;
          return arrays;
        }
        EXPECT_EQ(at->second.first, message.part);
        if (round.adds) terms.push_back(at->second.second);
        else std::copy(at->second.second.begin(), at->second.second.end(), own.begin() + message.part.first);
        under_way.erase(at);
      }
      if (!round.adds) continue;
      terms.insert(terms.begin() + static_cast<long>(round.own),
                   Array(own.begin() + round.part.first, own.begin() + round.part.last));
      for (int64_t i = 0; i < round.part.size(); ++i) {
        std::vector<std::string> here;
        for (const Array& each : terms) here.push_back(each[static_cast<size_t>(i)]);
        own[static_cast<size_t>(round.part.first + i)] = joined(std::move(here), round.tree);
      }
    }
    EXPECT_TRUE(under_way.empty()) << "a message is not received";
  }
  return arrays;
}

TEST(ReduceProgram, GivesEachMemberTheSumInTheOrderOfTheTree) {
  for (int64_t members : {1, 2, 3, 4, 6, 7, 8, 12, 16, 64})
    for (int64_t size : {1, 2, 5, 13, 64, 2000}) {
      const ReduceProgram program = ReduceProgram::all_reduce(tree_over(members), size, size, 4);
      std::vector<int64_t> sent;
      const std::vector<Array> results = run(program, members, size, sent);
      Array expected;
      for (int64_t i = 0; i < size; ++i) expected.push_back(sum_of_all(members, i));
      for (const Array& result : results) ASSERT_EQ(result, expected) << members << " members, " << size;
      for (int64_t member = 0; member < members; ++member)
        EXPECT_EQ(program.sent(member, size), sent[static_cast<size_t>(member)]);
      EXPECT_EQ(program.sent(0, size), *std::max_element(sent.begin(), sent.end())) << "the first is the busiest";
    }
}

TEST(ReduceProgram, ScattersUnevenSlices) {
  for (int64_t members : {2, 3, 6, 16}) {
    std::vector<int64_t> slices;
    for (int64_t member = 0; member < members; ++member) slices.push_back(member % 3);
    const ReduceProgram program = ReduceProgram::scatter(tree_over(members), slices);
    std::vector<int64_t> sent;
    const std::vector<Array> results = run(program, members, program.elements(), sent);
    int64_t begin = 0;
    for (int64_t owner : ReduceProgram::slice_owners(tree_over(members))) {
      const int64_t slice = slices[static_cast<size_t>(owner)];
      for (int64_t i = begin; i < begin + slice; ++i)
        EXPECT_EQ(results[static_cast<size_t>(owner)][static_cast<size_t>(i)], sum_of_all(members, i));
      EXPECT_EQ(sent[static_cast<size_t>(owner)], program.elements() - slice) << "it sends all but its own slice";
      begin += slice;
    }
  }
}

TEST(ReduceProgram, SlicedSendsTwoPartsInN) {
  for (int64_t n : {2, 3, 4, 6, 8, 12, 64, 4096})
    EXPECT_EQ(ReduceProgram::all_reduce(tree_over(n), n * 5000, n * 5000, 4).sent(0, n * 5000), 2 * (n - 1) * 5000)
        << n;
}

TEST(ReduceProgram, LargeArraysAreReducedInPieces) {
  const int64_t elements = (int64_t{5} << 20) / 4;
  const ReduceProgram program = ReduceProgram::all_reduce({2, 2}, elements, elements, 4);
  EXPECT_EQ(program.piece(), elements / 2);
  EXPECT_EQ(program.sent(0, elements), 2 * elements * 3 / 4);
}

TEST(ReduceProgram, OnlyWhatIsSmallIsSentWhole) {
  const auto is_whole = [](const std::vector<int64_t>& tree, int64_t elements) {
    return ReduceProgram::all_reduce(tree, elements, elements, 4).is_sent_whole();
  };
  EXPECT_TRUE(is_whole({2}, 1024));
  EXPECT_FALSE(is_whole({2}, 1025));
  EXPECT_TRUE(is_whole({2, 2}, 100));
  EXPECT_FALSE(is_whole({2, 2}, 1024));
  EXPECT_TRUE(is_whole(tree_over(64), 1));
}

TEST(ReduceProgram, AThousandMillionMembersTakeNoTime) {
  const int64_t members = 1'000'000'000;
  EXPECT_EQ(ReduceProgram::all_reduce(tree_over(members), members, members, 4).sent(0, members), 2 * (members - 1));
}

}  // namespace
}  // namespace mtf::spmd
