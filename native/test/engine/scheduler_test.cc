#include "engine/scheduler.h"

#include <algorithm>
#include <random>

#include "asked.h"
#include "check.h"
#include "common/error.h"
#include "engine/runtime.h"

namespace llm_host::scheduler_test {

static const check::Suite suite("scheduler", init_runtime);

TEST(several_decode_by_turns_and_each_says_what_it_says_alone) {
  auto session = load(4);
  std::vector<std::unique_ptr<Asked>> all;
  for (int i = 0; i < 4; ++i) {
    all.push_back(std::make_unique<Asked>(*session, asking(40, prompt_of(i, 20 + i))));
  }
  run(*session, 12);
  for (auto& one : all) CHECK(one->take().ids.size() > 4 && !one->over());
  run(*session);
  for (int i = 0; i < 4; ++i) {
    CHECK(all[static_cast<size_t>(i)]->take().reason == "length");
    CHECK(all[static_cast<size_t>(i)]->ids == alone(asking(40, prompt_of(i, 20 + i))));
  }
  CHECK(session->scheduler().idle());
}

TEST(a_long_prompt_is_read_between_the_steps_of_others) {
  auto session = load(2);
  Asked running(*session, asking(400, prompt_of(1, 4)));
  run(*session, 4);
  Request request = asking(3, prompt_of(2, 300));
  request.prefill_chunk = 10;
  Asked late(*session, request);
  for (int i = 0; i < 25; ++i) {
    size_t before = running.take().ids.size();
    CHECK(session->scheduler().turn());
    CHECK(running.take().ids.size() == before + 1);
  }
  CHECK(late.take().ids.empty());
  run(*session, 12);
  CHECK(late.over() && late.ids == alone(asking(3, prompt_of(2, 300))));
  CHECK(!running.over());
}

TEST(short_prompts_share_a_turn_beside_the_steps_of_others) {
  auto session = load(8);
  Asked running(*session, asking(400, prompt_of(1, 4)));
  run(*session, 4);
  std::vector<std::unique_ptr<Asked>> late;
  for (int i = 0; i < 6; ++i) {
    late.push_back(std::make_unique<Asked>(*session, asking(20, prompt_of(2 + i, 5))));
  }
  size_t before = running.take().ids.size();
  run(*session, 4);
  CHECK(running.take().ids.size() == before + 4);
  for (auto& one : late) CHECK(!one->take().ids.empty());
  run(*session);
  for (int i = 0; i < 6; ++i) {
    CHECK(late[static_cast<size_t>(i)]->take().ids == alone(asking(20, prompt_of(2 + i, 5))));
  }
}

TEST(a_reader_that_does_not_read_holds_nobody_up) {
  auto session = load(2);
  Asked asleep(*session, asking(400, prompt_of(1, 4)));
  Asked awake(*session, asking(400, prompt_of(2, 4)));
  while (session->scheduler().turn()) awake.take();
  CHECK(awake.over() && awake.ids.size() == 400);
  // It goes on where it stopped.
  CHECK(!session->scheduler().idle() && asleep.take().ids.size() < 400);
  while (session->scheduler().turn()) asleep.take();
  CHECK(asleep.over() && asleep.ids == alone(asking(400, prompt_of(1, 4))));
}

TEST(one_that_waits_or_runs_leaves_when_it_is_cancelled) {
  auto session = load(1);
  Asked first(*session, asking(30, prompt_of(1, 4))), second(*session, asking(30, {1, 2})),
      third(*session, asking(30, {3, 4}));
  run(*session, 3);
  CHECK(session->scheduler().waiting() == 2);
  second.cancel();
  run(*session, 1);
  CHECK(second.over() && second.reason == "cancelled" && session->scheduler().waiting() == 1);
  first.cancel();
  run(*session, 1);
  CHECK(first.over() && first.reason == "cancelled");
  run(*session);
  CHECK(third.over() && third.ids == alone(asking(30, {3, 4})));
}

TEST(one_that_is_cancelled_in_the_middle_of_a_turn_keeps_exactly_what_it_has_read) {
  auto session = load(2);
  Asked* victim = nullptr;
  // Called between the launch of the step of both and the end of the second's.
  auto cancel = [&](bool) {
    if (victim != nullptr) victim->cancel();
  };
  Asked first(*session, asking(4, prompt_of(1, 4)), cancel);
  Asked second(*session, asking(300, prompt_of(2, 40)));
  run(*session, 4);
  first.take();
  victim = &second;
  run(*session);
  CHECK(first.over() && second.over() && second.reason == "cancelled");
  std::string path = "/tmp/llm-host-saved-" + std::to_string(getpid()) + ".safetensors";
  // Throws if the cache holds more than it says.
  CHECK(session->save_cache({path, ""}).tokens > 4);
  std::remove(path.c_str());
}

TEST(the_second_of_two_with_one_beginning_shares_it) {
  auto session = load(2);
  Ids beginning = prompt_of(5, 100), a = beginning, b = beginning;
  a.push_back(1);
  b.push_back(2);
  Asked first(*session, asking(60, a)), second(*session, asking(60, b));
  run(*session);
  CHECK(first.over() && second.over());
  CHECK(first.last.cached_tokens == 0 && second.last.cached_tokens == 100);
  CHECK(first.ids == alone(asking(60, a)) && second.ids == alone(asking(60, b)));
}

TEST(what_does_not_fit_into_memory_waits) {
  // Room for one, with a reply of 256 tokens.
  auto session = load(4, 50'000);
  Asked first(*session, asking(60, prompt_of(1, 20))),
      second(*session, asking(60, prompt_of(2, 20)));
  run(*session, 10);
  CHECK(first.take().ids.size() > 1 && second.take().ids.empty());
  CHECK(session->scheduler().waiting() == 1);
  run(*session);
  CHECK(first.over() && second.over());
  CHECK(second.ids == alone(asking(60, prompt_of(2, 20))));
}

TEST(a_cache_task_waits_for_those_before_it_and_holds_those_behind) {
  auto session = load(4);
  std::string order;
  Asked before(*session, asking(20, prompt_of(1, 4)));
  session->scheduler().add(Scheduler::Task([&] { order += before.over() ? "task" : "too early"; }));
  Asked behind(*session, asking(5, prompt_of(2, 4)));
  run(*session, 6);
  CHECK(order.empty() && behind.take().ids.empty());
  run(*session);
  CHECK(order == "task" && behind.over());
}

TEST(ids_are_those_of_each_alone_whoever_joins_and_leaves) {
  auto session = load(5);
  std::mt19937 random(7);
  auto below = [&](int limit) { return static_cast<int>(random() % static_cast<uint32_t>(limit)); };
  struct Case {
    Request request;
    std::unique_ptr<Asked> asked;
    bool cancelled = false;
  };
  std::vector<Case> cases;
  for (int i = 0; i < 60; ++i) {
    Request request = asking(1 + below(60), prompt_of(below(6), 1 + below(80)));
    request.seed = static_cast<uint32_t>(i);
    request.temperature = below(2) == 0 ? 0.0f : 0.9f;
    request.repetition_penalty = below(3) == 0 ? 1.2f : 1.0f;
    if (below(3) == 0) request.stop_ids = {below(TinyLlama::kVocab)};
    if (below(4) == 0) request.prefill_chunk = 1 + below(20);
    if (below(2) == 0) request.lookup = Lookup::kAlways;
    cases.push_back({request, nullptr});
    cases.back().asked = std::make_unique<Asked>(*session, cases.back().request);
    run(*session, below(12));
    if (Case& victim = cases[static_cast<size_t>(below(i + 1))]; below(4) == 0) {
      victim.cancelled = true;
      victim.asked->cancel();
    }
  }
  run(*session);
  CHECK(session->scheduler().idle());
  for (Case& one : cases) {
    CHECK(one.asked->over() && one.asked->failed.empty());
    Ids expected = alone(one.request);
    if (one.cancelled) expected.resize(std::min(expected.size(), one.asked->ids.size()));
    CHECK(one.asked->ids == expected);
  }
}

TEST(proposed_tokens_leave_the_reply_as_it_is) {
  int accepted = 0, rejected = 0;
  for (int i = 0; i < 12; ++i) {
    auto session = load(1 + i % 2);
    Request request = asking(120, prompt_of(i, 20));
    request.lookup = Lookup::kAlways;
    request.temperature = i % 3 == 0 ? 0.0f : 0.7f;
    request.seed = static_cast<uint32_t>(i);
    // So few that they come again and again.
    for (int32_t id : {3, 9, 27}) request.logit_bias_ids.push_back(id + i);
    request.logit_bias = {30, 30, 30};
    Asked asked(*session, request);
    while (session->scheduler().turn()) asked.take();
    CHECK(asked.over() && asked.ids == alone(request));
    const DecodingStats& decoding = asked.last.decoding;
    CHECK(decoding.passes + decoding.accepted >= 119 && decoding.passes < 119);
    accepted += decoding.accepted;
    rejected += decoding.proposed - decoding.accepted;
  }
  CHECK(accepted > 100 && rejected > 100);
}

TEST(a_reply_that_proposes_ends_where_the_context_ends_and_at_its_limit) {
  for (int tokens : {1, 2, 3, 30, 600}) {
    auto session = load(1);
    Request request = asking(tokens, prompt_of(1, 480));
    request.lookup = Lookup::kAlways;
    request.logit_bias_ids = {5};
    request.logit_bias = {100};
    Asked asked(*session, request);
    while (session->scheduler().turn()) asked.take();
    CHECK(asked.over() && asked.reason == (tokens == 600 ? "full" : "length"));
    CHECK(asked.ids == alone(request));
  }
}

TEST(one_that_is_cancelled_while_its_proposals_are_verified_keeps_what_it_said) {
  for (int turns = 2; turns < 12; ++turns) {
    auto session = load(2);
    Request request = asking(300, prompt_of(2, 40));
    request.lookup = Lookup::kAlways;
    request.logit_bias_ids = {5, 6};
    request.logit_bias = {100, 99};
    request.temperature = 1;
    Asked asked(*session, request);
    run(*session, turns);
    asked.cancel();
    run(*session);
    CHECK(asked.over() && asked.reason == "cancelled");
    std::string path = "/tmp/llm-host-saved-" + std::to_string(getpid()) + ".safetensors";
    // Throws if the cache holds more than it says.
    CHECK(session->save_cache({path, ""}).tokens >= 40);
    std::remove(path.c_str());
    // The rest serves the next prompt.
    Ids next = prompt_of(2, 40);
    next.insert(next.end(), asked.ids.begin(), asked.ids.end());
    next.push_back(1);
    Asked after(*session, asking(10, next));
    run(*session);
    CHECK(after.over() && after.ids == alone(asking(10, next)));
  }
}

TEST(an_idle_task_lets_everything_else_go_first) {
  auto session = load(1);
  int after = -1;
  Asked first(*session, asking(5, prompt_of(1, 4)));
  session->scheduler().add_idle([&] { after = first.take().over() ? 1 : 0; });
  Asked second(*session, asking(5, prompt_of(2, 4)));
  CHECK(!session->scheduler().idle());
  bool early = false;
  while (session->scheduler().turn()) {
    early = early || (after >= 0 && !second.take().over());
  }
  CHECK(after == 1 && !early && second.take().over() && session->scheduler().idle());
}

TEST(a_prefix_from_a_file_is_read_once_and_a_broken_one_is_told) {
  std::string path = "/tmp/llm-host-prefix-" + std::to_string(getpid()) + ".safetensors";
  Request request = asking(10, prompt_of(1, 60));
  request.prefix = CacheFile{{{path}, {}}, "0"};
  auto session = load(1);
  Asked none(*session, request);
  run(*session);
  // A file without tokens has nothing that the caches lack.
  CHECK(none.over() && none.last.prefix_refusal.empty() &&
        none.ids == alone(asking(10, prompt_of(1, 60))));
  request.prompt_ids = prompt_of(2, 60);
  request.prefix->weights.tensors = {{"ids", "I32", {50}, 0, 8, 200}};
  Asked missing(*session, request);
  run(*session);
  CHECK(missing.over() && missing.ids == alone(asking(10, prompt_of(2, 60))));
  CHECK(missing.last.prefix_refusal.find(path) != std::string::npos);
}

}  // namespace llm_host::scheduler_test
