#include "kernels/base/thread_pool.h"

#include <atomic>
#include <thread>
#include <vector>

#include "check.h"
#include "kernels/base/parallel_in_order.h"

namespace llm_host::thread_pool_test {

static const check::Suite suite("thread_pool");

TEST(every_index_runs_exactly_once) {
  for (int round = 0; round < 3000; ++round) {
    int count = round % 37;
    std::vector<std::atomic<int>> runs(40);
    parallel_for(count, [&](int i) { ++runs[static_cast<size_t>(i)]; });
    for (int i = 0; i < 40; ++i) CHECK(runs[static_cast<size_t>(i)] == (i < count ? 1 : 0));
  }
}

TEST(callers_take_turns) {
  std::atomic<int> wrong{0};
  auto call = [&](int offset) {
    for (int round = 0; round < 3000; ++round) {
      int count = 1 + (round + offset) % 37;
      std::vector<std::atomic<int>> runs(40);
      auto body = [&](int i) { ++runs[static_cast<size_t>(i)]; };
      if (offset % 2 == 0) {
        parallel_in_order(count, body);
      } else {
        parallel_for(count, body);
      }
      for (int i = 0; i < 40; ++i) wrong += runs[static_cast<size_t>(i)] != (i < count ? 1 : 0);
    }
  };
  std::vector<std::thread> others;
  for (int offset : {2, 5, 11}) others.emplace_back(call, offset);
  call(0);
  for (std::thread& other : others) other.join();
  CHECK(wrong == 0);
}

TEST(writes_of_the_threads_are_visible_to_the_caller) {
  std::vector<int> squares(10000);
  for (int round = 0; round < 50; ++round) {
    parallel_for(10000, [&](int i) { squares[static_cast<size_t>(i)] = i * round; });
    for (int i = 0; i < 10000; ++i) CHECK(squares[static_cast<size_t>(i)] == i * round);
  }
}

TEST(a_count_of_zero_calls_nothing) {
  parallel_for(0, [](int) { check::fail(__FILE__, __LINE__, "called"); });
}

TEST(in_order_every_index_runs_exactly_once) {
  for (int round = 0; round < 3000; ++round) {
    int count = round % 37;
    std::vector<std::atomic<int>> runs(40);
    parallel_in_order(count, [&](int i) { ++runs[static_cast<size_t>(i)]; });
    for (int i = 0; i < 40; ++i) CHECK(runs[static_cast<size_t>(i)] == (i < count ? 1 : 0));
  }
}

// A part's first thread takes it in ascending order, whoever helps from its end.
TEST(in_order_a_thread_streams_its_part) {
  int count = 100 * thread_count(), part = count / thread_count();
  std::vector<int> order(static_cast<size_t>(count));
  std::vector<std::thread::id> owner(static_cast<size_t>(count));
  std::vector<std::atomic<int>> next(static_cast<size_t>(thread_count()));
  parallel_in_order(count, [&](int i) {
    owner[static_cast<size_t>(i)] = std::this_thread::get_id();
    order[static_cast<size_t>(i)] = next[static_cast<size_t>(i / part)]++;
  });
  for (size_t first = 0; first < order.size(); first += static_cast<size_t>(part)) {
    // Otherwise its own thread came too late, and others had it from the end.
    if (order[first] != 0) continue;
    int last = -1;
    for (size_t i = first; i < first + static_cast<size_t>(part); ++i) {
      if (owner[i] != owner[first]) continue;
      CHECK(order[i] > last);
      last = order[i];
    }
  }
}

}  // namespace llm_host::thread_pool_test
