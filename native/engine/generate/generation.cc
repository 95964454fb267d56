#include "engine/generate/generation.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "engine/device/device_memory.h"
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

Generation::Generation(const Model& model, Sequence& sequence, Job& job)
    : model_(model),
      sequence_(sequence),
      job_(job),
      sampler_(sampling_of(job.request), job.request.prompt_ids),
      meter_(job.request.measure_graph) {
  prefill_.emplace(model, sequence, job.request);
  cached_ = prefill_->cached();
  job_.events.push(PrefillEvent{cached_, prefill_->total(), cached_});
  // MLX keeps freed buffers for results of the same size, but this prompt has another length.
  mx::clear_cache();
}

void Generation::read(int count) {
  mx::array hidden = prefill_->step(count);
  if (!step_) job_.events.push(PrefillEvent{prefill_->done(), prefill_->total(), cached_});
  if (drops_buffers()) mx::clear_cache();
  if (!prefill_->finished()) return;
  if (!step_) prompt_scores_ = prefill_->take_scores();
  prefill_.reset();
  step_ = sample(mx::flatten(model_.head(last_positions(hidden, 1))), generated_);
  mx::async_eval(step_->token, step_->logits);
}

Generation::Step Generation::sample(const mx::array& logits, int index) const {
  mx::array values = mx::astype(logits, mx::float32);
  return {values, sampler_(values, static_cast<uint64_t>(index))};
}

bool Generation::advances() {
  restarts_ = false;
  if (generated_ + 1 == job_.request.max_tokens) return false;
  int length = sequence_.cache.length() + 1;
  if (length > model_.info().context_length) return false;
  restarts_ = model_.positions_restart_at(length);
  if (!restarts_) sequence_.cache.plan(length);
  return !restarts_;
}

mx::array Generation::token() const { return mx::reshape(step_->token, {1, 1}); }

void Generation::add(const mx::array& logits, std::vector<mx::array>& results) {
  next_ = sample(logits, generated_ + 1);
  meter_.built({next_->token, next_->logits});
  results.insert(results.end(), {next_->token, next_->logits});
}

int32_t Generation::id_of(const Step& step) {
  int32_t id = mx::array(step.token).item<int32_t>();
  if (id >= 0) return id;
  throw Error(kModelBroken,
              "the model computes values that are not numbers: its weights are broken");
}

void Generation::settle() {
  const Request& request = job_.request;
  int32_t id = id_of(*step_);
  if (next_) sequence_.ids.push_back(id);
  last_token_ = Clock::now();
  if (generated_ == 0) first_token_ = last_token_;
  if (std::find(request.stop_ids.begin(), request.stop_ids.end(), id) != request.stop_ids.end()) {
    reason_ = "stop";
    return;
  }
  emit(id, *step_);
  bool due = generated_ > 0 && generated_ % kTokensBetweenDrops == 0;
  if (due && drops_buffers()) mx::clear_cache();
  if (restarts_) return start_over(id);
  if (!next_) {
    reason_ = generated_ >= request.max_tokens ? "length" : "full";
    return;
  }
  step_ = std::exchange(next_, std::nullopt);
}

void Generation::start_over(int32_t id) {
  std::vector<int32_t> ids = sequence_.ids;
  ids.push_back(id);
  prefill_.emplace(model_, sequence_, std::move(ids));
}

void Generation::emit(int32_t id, const Step& step) {
  TokenEvent event{id, std::nullopt};
  if (job_.request.logprobs >= 0) {
    std::span<const float> logits(step.logits.data<float>(), step.logits.size());
    event.logprobs = logprobs_of(logits, id, job_.request.logprobs);
  }
  if (job_.events.push(std::move(event))) ++generated_;
}

EndEvent Generation::end() {
  // A step launched ahead may still write into the cache.
  mx::synchronize();
  EndEvent end;
  end.reason = reason();
  end.prompt_tokens = static_cast<int>(job_.request.prompt_ids.size());
  end.cached_tokens = cached_;
  end.generated_tokens = generated_;
  bool any = first_token_ != Clock::time_point{};
  end.timings.first_token_ms = any ? milliseconds(first_token_ - start_) : 0;
  end.timings.prefill_ms = milliseconds((any ? first_token_ : Clock::now()) - start_);
  end.timings.decode_ms = any ? milliseconds(last_token_ - first_token_) : 0;
  end.prompt_logprobs = std::move(prompt_scores_);
  end.graph = meter_.stats();
  return end;
}

}  // namespace llm_host
