#include "check.h"
#include "common/error.h"
#include "engine/runtime.h"
#include "engine/session.h"
#include "engine/tiny_llama.h"
#include "mlx/mlx.h"

using namespace llm_host;

namespace {

// A longer sequence gets other position angles, for all of its tokens.
constexpr int kShort = 16;

Value numbers(std::initializer_list<double> values) {
  Value::Array array;
  for (double value : values) array.emplace_back(value);
  return Value(std::move(array));
}

std::unique_ptr<Session> load(const TinyLlama& files) {
  LoadSpec spec = files.spec();
  Value::Object config = *spec.config.as<Value::Object>(), scaling;
  scaling.emplace("rope_type", Value(std::string("longrope")));
  scaling.emplace("original_max_position_embeddings", Value(static_cast<double>(kShort)));
  scaling.emplace("short_factor", numbers({1, 1, 1, 1}));
  scaling.emplace("long_factor", numbers({1.5, 2, 3, 4}));
  config.emplace("rope_scaling", Value(std::move(scaling)));
  spec.config = Value(std::move(config));
  return Session::load(spec, [](uint64_t, uint64_t) {});
}

struct Reply {
  std::vector<int32_t> ids;
  EndEvent end;
  int steps = 0;
};

// `on_step` gets the number of turns so far.
Reply generate(
    Session& session, std::vector<int32_t> prompt, int tokens,
    const std::function<void(Job&, int)>& on_step = [](Job&, int) {}) {
  Request request;
  request.prompt_ids = std::move(prompt);
  request.max_tokens = tokens;
  request.prefill_chunk = 4;
  auto job = std::make_shared<Job>(1, 1, std::move(request), [](bool) {});
  Reply reply;
  session.scheduler().add(job);
  while (session.scheduler().turn() && !session.scheduler().idle()) on_step(*job, ++reply.steps);
  for (Event& event : job->events.take()) {
    if (auto* token = std::get_if<TokenEvent>(&event)) reply.ids.push_back(token->id);
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
  Reply grown = generate(*session, prompt_of(kShort), 6);
  CHECK(grown.ids.size() == 6);
  std::vector<int32_t> prompt = prompt_of(kShort);
  prompt.push_back(grown.ids[0]);
  Reply whole = generate(*fresh, prompt, 5);
  CHECK(std::vector<int32_t>(grown.ids.begin() + 1, grown.ids.end()) == whole.ids);
}

// At each of the turns in which it is read. What is left in the cache then serves the next prompt.
TEST(reading_a_row_again_can_be_cancelled) {
  TinyLlama files;
  std::vector<int32_t> expected = generate(*load(files), prompt_of(kShort + 4), 5).ids;
  int cached = -1;
  for (int at = 5; at <= 8; ++at) {
    auto session = load(files);
    Reply reply = generate(*session, prompt_of(kShort), 6, [&](Job& job, int step) {
      if (step == at) job.events.cancel();
    });
    CHECK(std::string(reply.end.reason) == "cancelled" && reply.steps == at);
    Reply next = generate(*session, prompt_of(kShort + 4), 5);
    CHECK(next.ids == expected);
    CHECK(cached < 0 || next.end.cached_tokens == cached + 4);
    cached = next.end.cached_tokens;
  }
}

int main() {
  init_runtime();
  return check::run("generation");
}
