#include "kernels/base/thread_pool.h"

#include <atomic>
#include <vector>

#include "check.h"

using namespace llm_host;

TEST(every_index_runs_exactly_once) {
  for (int round = 0; round < 3000; ++round) {
    int count = round % 37;
    std::vector<std::atomic<int>> runs(40);
    parallel_for(count, [&](int i) { ++runs[static_cast<size_t>(i)]; });
    for (int i = 0; i < 40; ++i) CHECK(runs[static_cast<size_t>(i)] == (i < count ? 1 : 0));
  }
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

int main() { return check::run("thread_pool"); }
