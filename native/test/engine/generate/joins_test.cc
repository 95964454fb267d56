#include <random>

#include "check.h"
#include "engine/asked.h"
#include "engine/runtime.h"

namespace llm_host::joins_test {

static const check::Suite suite("joins", init_runtime);

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kSteps = 10'000;
#else
constexpr int kSteps = 2'000;
#endif
constexpr int kRequests = 24, kParallel = 8, kMostWaiting = 6;

// Requests that differ in all that a step has to keep apart.
std::vector<Request> requests() {
  std::mt19937 random(11);
  auto below = [&](int limit) { return static_cast<int>(random() % static_cast<uint32_t>(limit)); };
  std::vector<Request> all;
  for (int i = 0; i < kRequests; ++i) {
    Request request = asking(1 + below(24), prompt_of(below(4), 1 + below(60)));
    request.seed = static_cast<uint32_t>(i);
    request.temperature = below(2) == 0 ? 0.0f : 0.9f;
    request.top_k = below(2) * 8;
    request.repetition_penalty = below(3) == 0 ? 1.2f : 1.0f;
    request.logprobs = below(4) == 0 ? 2 : -1;
    if (below(3) == 0) request.stop_ids = {below(TinyLlama::kVocab)};
    if (below(3) == 0) request.prefill_chunk = 1 + below(20);
    if (below(2) == 0) request.lookup = Lookup::kAlways;
    all.push_back(std::move(request));
  }
  return all;
}

struct One {
  size_t request;
  std::unique_ptr<Asked> asked;
  bool cancelled = false;
};

}  // namespace

TEST(each_says_what_it_says_alone_in_steps_of_random_joins_and_leaves) {
  std::vector<Request> all = requests();
  std::vector<Ids> expected;
  for (const Request& request : all) expected.push_back(alone(request));
  // Not all that run at once have room for as much as they may come to.
  auto session = load(kParallel, 250'000);
  std::mt19937 random(5);
  auto below = [&](size_t limit) { return random() % limit; };
  std::vector<One> present;
  int joined = 0, left = 0;
  auto settle = [&] {
    std::erase_if(present, [&](One& one) {
      if (!one.asked->over()) return false;
      CHECK(one.asked->failed.empty());
      Ids said = expected[one.request];
      if (one.cancelled) said.resize(std::min(said.size(), one.asked->ids.size()));
      CHECK(one.asked->ids == said);
      left += one.cancelled ? 1 : 0;
      return true;
    });
  };
  for (int step = 0; step < kSteps; ++step) {
    if (below(2) == 0 && session->scheduler().waiting() < kMostWaiting) {
      size_t request = below(all.size());
      present.push_back({request, std::make_unique<Asked>(*session, all[request])});
      ++joined;
    }
    if (below(5) == 0 && !present.empty()) {
      One& victim = present[below(present.size())];
      victim.cancelled = true;
      victim.asked->cancel();
    }
    session->scheduler().turn();
    settle();
  }
  run(*session);
  settle();
  CHECK(present.empty() && session->scheduler().idle());
  CHECK(joined > kSteps / 8 && left > kSteps / 40);
}

}  // namespace llm_host::joins_test
