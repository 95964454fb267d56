#include <cstdlib>
#include <future>
#include <memory>

#include "check.h"
#include "engine/host.h"
#include "kernels/base/thread_pool.h"

// Asks for stacks too large to get, as on a system that cannot start more threads.
#if defined(__GLIBC__)
#include <pthread.h>
#endif

namespace llm_host::no_threads_test {

static const check::Suite suite("no_threads", [] { setenv("LLM_HOST_THREADS", "4", 1); });

#if defined(__GLIBC__)
namespace {

void set_stack(size_t bytes) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK(pthread_attr_setstacksize(&attributes, bytes) == 0);
  CHECK(pthread_setattr_default_np(&attributes) == 0);
  pthread_attr_destroy(&attributes);
}

constexpr size_t kTooMuch = size_t{1} << 50, kEnough = size_t{8} << 20;

}  // namespace

TEST(the_caller_does_what_no_thread_is_there_for) {
  set_stack(kTooMuch);
  std::vector<int> runs(100);
  for (int round = 0; round < 3; ++round) {
    parallel_for(100, [&](int i) { ++runs[static_cast<size_t>(i)]; });
  }
  for (int count : runs) CHECK(count == 3);
}

TEST(a_load_without_a_thread_is_refused_and_the_next_one_runs) {
  set_stack(kTooMuch);
  int refused = 0;
  auto load = [](const std::function<void(LoadResult)>& on_done) {
    Host::get().load({}, {[](uint64_t, uint64_t) {}, on_done});
  };
  CHECK_ERROR(kEngineUnavailable, "no thread could be started",
              load([&](const LoadResult&) { ++refused; }));
  set_stack(kEnough);
  auto done = std::make_shared<std::promise<bool>>();
  load([done](const LoadResult& result) { done->set_value(result.error.has_value()); });
  CHECK(done->get_future().get());
  Host::get().shutdown();
  CHECK(refused == 0);
}
#else
TEST(the_system_limits_stacks) { check::skip("the stacks of new threads are set by glibc alone"); }
#endif

}  // namespace llm_host::no_threads_test
