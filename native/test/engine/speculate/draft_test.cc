#include <random>

#include "check.h"
#include "common/error.h"
#include "engine/asked.h"
#include "engine/runtime.h"

namespace llm_host::draft_test {

static const check::Suite suite("draft", init_runtime);

namespace {

// With the same weights as the model, with others, or with others and little context.
enum class Drafts { kSame, kOther, kShort };

std::unique_ptr<Session> load_with(Drafts kind, int parallel, uint64_t cache_bytes = 1 << 30) {
  static const TinyLlama same, other(2);
  LoadSpec spec = same.spec();
  spec.parallel = parallel;
  spec.cache_bytes = cache_bytes;
  LoadSpec draft = kind == Drafts::kSame ? same.spec() : other.spec();
  if (kind == Drafts::kShort) draft.context_length = 60;
  draft.cache_bytes = cache_bytes;
  spec.draft = std::make_shared<LoadSpec>(draft);
  return Session::load(spec, [](uint64_t, uint64_t) {});
}

// One whose layers see eight tokens.
LoadSpec windowed(const LoadSpec& llama) {
  LoadSpec spec = llama;
  Value::Object config = *llama.config.as<Value::Object>();
  config.insert_or_assign("model_type", Value(std::string("mistral")));
  config.insert_or_assign("sliding_window", Value(8.0));
  spec.config = Value(std::move(config));
  spec.cache_bytes = 1 << 30;
  return spec;
}

Request drafted(Request request) {
  // Whatever it costs.
  request.lookup = Lookup::kAlways;
  return request;
}

DecodingStats said_with(Drafts kind, const Request& request) {
  auto session = load_with(kind, 2);
  Asked asked(*session, drafted(request));
  while (session->scheduler().turn()) asked.take();
  CHECK(asked.over() && asked.failed.empty() && asked.ids == alone(request));
  return asked.last.decoding;
}

}  // namespace

TEST(a_model_that_expects_the_same_takes_several_tokens_a_step) {
  for (float temperature : {0.0f, 0.8f}) {
    Request request = asking(80, prompt_of(3, 30));
    request.temperature = temperature;
    request.seed = 9;
    DecodingStats decoding = said_with(Drafts::kSame, request);
    CHECK(decoding.accepted > 55 && decoding.passes < 25);
  }
}

TEST(it_follows_a_reply_that_goes_on_from_tokens_that_were_forced) {
  for (float temperature : {0.0f, 0.8f}) {
    Request request = asking(40, prompt_of(4, 30));
    request.temperature = temperature;
    request.seed = 5;
    request.continued = 3;
    said_with(Drafts::kSame, request);
  }
}

TEST(one_that_expects_other_tokens_changes_nothing) {
  int rejected = 0;
  for (int i = 0; i < 8; ++i) {
    Request request = asking(60, prompt_of(i, 10 + 9 * i));
    request.temperature = i % 2 == 0 ? 0.0f : 1.0f;
    request.seed = static_cast<uint32_t>(i);
    request.repetition_penalty = i % 3 == 0 ? 1.3f : 1.0f;
    DecodingStats decoding = said_with(Drafts::kOther, request);
    rejected += decoding.proposed - decoding.accepted;
  }
  CHECK(rejected > 100);
}

TEST(a_reply_goes_on_beyond_the_context_of_the_draft_model) {
  said_with(Drafts::kShort, asking(100, prompt_of(1, 20)));
  said_with(Drafts::kShort, asking(20, prompt_of(1, 100)));
  said_with(Drafts::kShort, asking(600, prompt_of(1, 40)));
}

TEST(where_it_does_not_pay_it_rests) {
  auto session = load_with(Drafts::kOther, 1);
  Request request = asking(400, prompt_of(2, 8));
  request.temperature = 1;
  request.lookup = Lookup::kWherePaid;
  Asked asked(*session, request);
  while (session->scheduler().turn()) asked.take();
  CHECK(asked.over() && asked.ids == alone(request));
  CHECK(asked.last.decoding.proposed < 100);
}

TEST(several_draft_beside_each_other_join_and_leave) {
  for (uint64_t cache_bytes : {uint64_t{1} << 30, uint64_t{60'000}}) {
    auto session = load_with(Drafts::kOther, 4, cache_bytes);
    std::mt19937 random(3);
    auto below = [&](int limit) {
      return static_cast<int>(random() % static_cast<uint32_t>(limit));
    };
    struct One {
      Request request;
      std::unique_ptr<Asked> asked;
      bool cancelled = false;
    };
    std::vector<One> all;
    for (int i = 0; i < 30; ++i) {
      Request request = asking(1 + below(50), prompt_of(below(4), 1 + below(80)));
      request.temperature = below(2) == 0 ? 0.0f : 0.9f;
      request.seed = static_cast<uint32_t>(i);
      all.push_back({request, std::make_unique<Asked>(*session, drafted(request))});
      run(*session, below(12));
      if (below(4) == 0) {
        One& victim = all[static_cast<size_t>(below(i + 1))];
        victim.cancelled = true;
        victim.asked->cancel();
      }
    }
    run(*session);
    for (One& one : all) {
      CHECK(one.asked->over() && one.asked->failed.empty());
      Ids expected = alone(one.request);
      if (one.cancelled) expected.resize(std::min(expected.size(), one.asked->ids.size()));
      CHECK(one.asked->ids == expected);
    }
  }
}

TEST(one_with_windows_reads_nothing_again_where_it_was_wrong) {
  const TinyLlama files(4);
  DraftModel model(windowed(files.spec()), TinyLlama::kVocab, [] {});
  Ids prompt = prompt_of(2, 20);
  Draft draft(model, *model.take(prompt), {}, prompt);
  draft.read(draft.behind());
  while (draft.length() < 490) {
    int expected = draft.propose(7).front();
    draft.add((expected + 1) % TinyLlama::kVocab);
    CHECK(draft.behind() == 0);
  }
}

TEST(a_draft_model_that_cannot_be_loaded_is_an_error) {
  const TinyLlama files(3);
  LoadSpec spec = files.spec(), draft = files.spec();
  draft.weights.tensors.pop_back();
  spec.draft = std::make_shared<LoadSpec>(draft);
  CHECK(check::throws<Error>([&] { Session::load(spec, [](uint64_t, uint64_t) {}); },
                             [](const Error& error) { return error.code() == kModelBroken; }));
}

}  // namespace llm_host::draft_test
