#include "check.h"
#include "common/error.h"
#include "engine/runtime.h"
#include "engine/session.h"
#include "engine/tiny_llama.h"
#include "mlx/mlx.h"

namespace llm_host::generation_test {

static const check::Suite suite("generation", init_runtime);

namespace {

// A longer sequence gets other position angles, for all of its tokens.
constexpr int kShort = 16;

Value numbers(std::initializer_list<double> values) {
  Value::Array array;
  for (double value : values) array.emplace_back(value);
  return Value(std::move(array));
}

enum class With { kNothing, kDrafts, kExact };

// kDrafts: a draft model of the same weights; kExact: weights as they are, whose products are
// reproducible only where that is asked for.
std::unique_ptr<Session> load(const TinyLlama& files, With with = With::kNothing) {
  LoadSpec spec = files.spec();
  Value::Object config = *spec.config.as<Value::Object>(), scaling;
  scaling.emplace("rope_type", Value(std::string("longrope")));
  scaling.emplace("original_max_position_embeddings", Value(static_cast<double>(kShort)));
  scaling.emplace("short_factor", numbers({1, 1, 1, 1}));
  scaling.emplace("long_factor", numbers({1.5, 2, 3, 4}));
  config.emplace("rope_scaling", Value(std::move(scaling)));
  spec.config = Value(std::move(config));
  spec.exact = with == With::kExact;
  if (with == With::kDrafts) spec.draft = std::make_shared<LoadSpec>(spec);
  return Session::load(spec, [](uint64_t, uint64_t) {});
}

struct Reply {
  std::vector<int32_t> ids;
  EndEvent end;
  int steps = 0;
  bool reads_behind = false;  // a prompt, after the first token
};

Request asking(std::vector<int32_t> prompt, int tokens) {
  Request request;
  request.prompt_ids = std::move(prompt);
  request.max_tokens = tokens;
  request.prefill_chunk = 4;
  return request;
}

// `on_step` gets the number of turns so far.
Reply generate(
    Session& session, Request request,
    const std::function<void(Job&, int)>& on_step = [](Job&, int) {}) {
  auto job = std::make_shared<Job>(1, 1, std::move(request), [](bool) {});
  Reply reply;
  session.scheduler().add(job);
  while (session.scheduler().turn() && !session.scheduler().idle()) on_step(*job, ++reply.steps);
  for (Event& event : job->events.take()) {
    if (auto* token = std::get_if<TokenEvent>(&event)) reply.ids.push_back(token->id);
    if (std::get_if<PrefillEvent>(&event)) reply.reads_behind |= !reply.ids.empty();
    if (auto* error = std::get_if<ErrorEvent>(&event)) throw Error(error->code, error->message);
    if (auto* end = std::get_if<EndEvent>(&event)) reply.end = std::move(*end);
  }
  return reply;
}

std::vector<int32_t> prompt_of(int length) {
  std::vector<int32_t> ids;
  for (int i = 0; i < length; ++i) ids.push_back(i * 7 % TinyLlama::kVocab);
  return ids;
}

}  // namespace

TEST(a_sequence_that_outgrows_its_angles_is_read_again) {
  TinyLlama files;
  auto session = load(files), fresh = load(files);
  Reply grown = generate(*session, asking(prompt_of(kShort), 6));
  CHECK(grown.ids.size() == 6);
  std::vector<int32_t> prompt = prompt_of(kShort);
  prompt.push_back(grown.ids[0]);
  Reply whole = generate(*fresh, asking(prompt, 5));
  CHECK(std::vector<int32_t>(grown.ids.begin() + 1, grown.ids.end()) == whole.ids);
}

// At each of the turns in which it is read. What is left in the cache then serves the next prompt.
TEST(reading_a_row_again_can_be_cancelled) {
  TinyLlama files;
  std::vector<int32_t> expected = generate(*load(files), asking(prompt_of(kShort + 4), 5)).ids;
  int cached = -1;
  for (int at = 5; at <= 8; ++at) {
    auto session = load(files);
    Reply reply = generate(*session, asking(prompt_of(kShort), 6), [&](Job& job, int step) {
      if (step == at) job.events.cancel();
    });
    CHECK(std::string(reply.end.reason) == "cancelled" && reply.steps == at);
    Reply next = generate(*session, asking(prompt_of(kShort + 4), 5));
    CHECK(next.ids == expected);
    CHECK(cached < 0 || next.end.cached_tokens == cached + 4);
    cached = next.end.cached_tokens;
  }
}

TEST(a_draft_model_goes_on_where_angles_change) {
  TinyLlama files;
  for (uint32_t seed = 0; seed < 8; ++seed) {
    Request request = asking(prompt_of(kShort - 6), 24);
    request.temperature = 1;
    request.seed = seed;
    request.lookup = Lookup::kOff;
    Reply expected = generate(*load(files), request);
    request.lookup = Lookup::kAlways;
    Reply reply = generate(*load(files, With::kDrafts), request);
    CHECK(reply.ids == expected.ids && reply.end.decoding.accepted > 0);
  }
}

TEST(reading_a_row_again_tells_and_scores_nothing_of_the_prompt) {
  TinyLlama files;
  auto session = load(files);
  Request request = asking(prompt_of(kShort - 2), 6);
  request.prompt_logprobs = true;
  Reply reply = generate(*session, request);
  CHECK(reply.ids.size() == 6 && !reply.reads_behind);
  CHECK(reply.end.prompt_logprobs.size() == request.prompt_ids.size() - 1);
}

TEST(what_was_not_computed_reproducibly_is_not_used_as_if_it_were) {
  TinyLlama files;
  for (bool scored : {false, true}) {
    auto session = load(files, With::kExact);
    // Beyond the length at which the angles change, or with scores: both forget what was there.
    Request request = asking(prompt_of(scored ? kShort - 4 : kShort + 4), 3);
    request.prompt_logprobs = scored;
    generate(*session, request);
    request.prompt_logprobs = false;
    request.reproducible = true;
    CHECK(generate(*session, request).end.cached_tokens == 0);
    CHECK(generate(*session, request).end.cached_tokens > 0);
  }
}

}  // namespace llm_host::generation_test
