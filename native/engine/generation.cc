#include "engine/generation.h"

#include <algorithm>

#include "common/error.h"
#include "layers/positions.h"

namespace llm_host {
namespace {

double milliseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

SamplingParams sampling_of(const Request& r) {
  SamplingParams params{r.temperature, r.top_k, r.top_p, r.min_p, r.seed, {}, {}, 0};
  params.penalties = {{}, r.repetition_penalty, r.presence_penalty, r.frequency_penalty};
  for (size_t i = 0; i < r.logit_bias_ids.size(); ++i) {
    params.penalties.logit_bias.emplace_back(r.logit_bias_ids[i], r.logit_bias[i]);
  }
  params.allowed_first = r.allowed_first;
  params.continued = r.continued;
  return params;
}

}  // namespace

Generation::Generation(const Model& model, Sequence& sequence, Job& job, int chunk,
                       const std::function<void()>& on_step)
    : model_(model),
      sequence_(sequence),
      job_(job),
      chunk_(chunk),
      on_step_(on_step),
      sampler_(sampling_of(job.request), job.request.prompt_ids),
      meter_(job.request.measure_graph) {}

EndEvent Generation::run() {
  prefill_ = prefill(model_, sequence_, job_, chunk_, on_step_);
  if (prefill_.hidden) decode();
  // A step launched ahead may still write into the cache.
  mx::synchronize();
  return end();
}

Generation::Step Generation::launch(const mx::array& hidden, int index) {
  mx::array last = model_.head(last_positions(hidden, 1));
  mx::array logits = mx::astype(mx::flatten(last), mx::float32);
  Step step{logits, sampler_(logits, static_cast<uint64_t>(index))};
  meter_.built({step.token, step.logits});
  mx::async_eval(step.token, step.logits);
  meter_.submitted();
  return step;
}

std::optional<Generation::Step> Generation::advance(const Step& step) {
  int length = sequence_.cache.length() + 1;
  sequence_.cache.plan(length);
  if (model_.positions_restart_at(length)) return start_over(step);
  meter_.start();
  return launch(model_.body(mx::reshape(step.token, {1, 1}), sequence_.cache, 1), generated_ + 1);
}

std::optional<Generation::Step> Generation::start_over(const Step& step) {
  std::vector<int32_t> ids = sequence_.ids;
  ids.push_back(id_of(step));
  sequence_.clear();
  std::optional<mx::array> hidden;
  for (std::span<const int32_t> left(ids); !left.empty();) {
    // This takes as long as the prompt did.
    if (job_.events.cancelled()) return std::nullopt;
    size_t count = std::min(static_cast<size_t>(chunk_), left.size());
    hidden = append_tokens(model_, sequence_, left.first(count), 1);
    left = left.subspan(count);
    on_step_();
  }
  // The caller adds the last token, as after every step.
  sequence_.ids.pop_back();
  return launch(*hidden, generated_ + 1);
}

int32_t Generation::id_of(const Step& step) {
  int32_t id = mx::array(step.token).item<int32_t>();
  if (id >= 0) return id;
  throw Error(kModelBroken,
              "the model computes values that are not numbers: its weights are broken");
}

void Generation::decode() {
  const Request& request = job_.request;
  int room = model_.info().context_length;
  Step step = launch(*prefill_.hidden, 0);
  prefill_.hidden.reset();
  for (;;) {
    bool last = generated_ + 1 == request.max_tokens;
    bool full = sequence_.cache.length() >= room;
    std::optional<Step> next;
    if (!last && !full) {
      next = advance(step);
      if (!next) return;
    }
    int32_t id = id_of(step);
    if (next) sequence_.ids.push_back(id);
    on_step_();
    if (job_.events.cancelled()) return;

    last_token_ = Clock::now();
    if (generated_ == 0) first_token_ = last_token_;
    if (std::find(request.stop_ids.begin(), request.stop_ids.end(), id) != request.stop_ids.end()) {
      reason_ = "stop";
      return;
    }
    emit(id, step);
    if (job_.events.cancelled()) return;
    if (!next) {
      reason_ = last ? "length" : "full";
      return;
    }
    step = *std::move(next);
  }
}

void Generation::emit(int32_t id, const Step& step) {
  TokenEvent event{id, std::nullopt};
  if (job_.request.logprobs >= 0) {
    std::span<const float> logits(step.logits.data<float>(), step.logits.size());
    event.logprobs = logprobs_of(logits, id, job_.request.logprobs);
  }
  if (job_.events.push(std::move(event))) ++generated_;
}

EndEvent Generation::end() const {
  EndEvent end;
  end.reason = reason_;
  end.prompt_tokens = static_cast<int>(job_.request.prompt_ids.size());
  end.cached_tokens = prefill_.cached;
  end.generated_tokens = generated_;
  bool any = first_token_ != Clock::time_point{};
  end.timings.first_token_ms = any ? milliseconds(first_token_ - start_) : 0;
  end.timings.prefill_ms = milliseconds((any ? first_token_ : Clock::now()) - start_);
  end.timings.decode_ms = any ? milliseconds(last_token_ - first_token_) : 0;
  end.prompt_logprobs = prefill_.logprobs;
  end.graph = meter_.stats();
  return end;
}

}  // namespace llm_host
