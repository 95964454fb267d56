#include "engine/generation.h"

#include <algorithm>

#include "common/error.h"
#include "engine/prompt_score.h"
#include "engine/schedule_ahead.h"
#include "layers/positions.h"

namespace llm_host {
namespace {

// Of values that are computed later: several layers of a chunk.
constexpr size_t kAheadBytes = size_t{24} << 20;

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

Generation::Generation(const Model& model, Row& row, Job& job, int chunk,
                       const std::function<void()>& on_step)
    : model_(model),
      row_(row),
      job_(job),
      chunk_(chunk),
      on_step_(on_step),
      sampler_(sampling_of(job.request), job.request.prompt_ids),
      meter_(job.request.measure_graph) {}

EndEvent Generation::run() {
  if (prefill()) decode();
  // A step launched ahead may still write into the cache.
  mx::synchronize();
  return end();
}

bool Generation::prefill() {
  const std::vector<int32_t>& prompt = job_.request.prompt_ids;
  int total = static_cast<int>(prompt.size());
  // Keys made under other position angles are of no use.
  if (model_.position_regime(total) != model_.position_regime(row_.cache.planned())) row_.clear();
  // What is in the cache is not computed again, and so has no scores.
  if (job_.request.prompt_logprobs) row_.clear();
  cached_ = row_.rewind(prompt);
  row_.cache.plan(total);
  std::set<int> stops = checkpoints();
  if (!job_.events.push(PrefillEvent{cached_, total, cached_})) return false;
  // MLX keeps buffers for results of their own size; those of a prompt of another length are of no
  // use.
  mx::clear_cache();
  for (int done = cached_; done < total;) {
    auto stop = stops.upper_bound(done);
    int count = std::min(chunk_, (stop == stops.end() ? total : *stop) - done);
    int outputs = job_.request.prompt_logprobs ? count : 1;
    mx::array hidden = read({prompt.begin() + done, static_cast<size_t>(count)}, outputs);
    done += count;
    last_hidden_ = hidden;
    if (job_.request.prompt_logprobs) {
      int first = done - count + 1;
      std::span<const int32_t> next(prompt.begin() + first,
                                    prompt.begin() + std::min(done + 1, total));
      append_scores(model_, hidden, next, prompt_logprobs_);
    }
    if (stops.contains(done)) row_.checkpoint();
    on_step_();
    if (!job_.events.push(PrefillEvent{done, total, cached_})) return false;
  }
  return true;
}

mx::array Generation::read(std::span<const int32_t> ids, int outputs) {
  mx::Shape shape{1, static_cast<int>(ids.size())};
  mx::array hidden = model_.body(mx::array(ids.begin(), shape, mx::int32), row_.cache, outputs);
  row_.ids.insert(row_.ids.end(), ids.begin(), ids.end());
  // A state that nothing of the chunk reads would otherwise keep its whole graph alive.
  std::vector<mx::array> results = row_.cache.arrays();
  results.push_back(hidden);
  ScheduleAhead few(kAheadBytes);
  mx::eval(results);
  return hidden;
}

std::set<int> Generation::checkpoints() const {
  // A step less would be lost on those that nobody needs.
  if (row_.cache.always_trimmable()) return {};
  const std::vector<int32_t>& positions = job_.request.checkpoints;
  return {positions.begin(), positions.end()};
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
  int length = row_.cache.length() + 1;
  row_.cache.plan(length);
  if (model_.positions_restart_at(length)) return start_over(step);
  meter_.start();
  return launch(model_.body(mx::reshape(step.token, {1, 1}), row_.cache, 1), generated_ + 1);
}

std::optional<Generation::Step> Generation::start_over(const Step& step) {
  std::vector<int32_t> ids = row_.ids;
  ids.push_back(id_of(step));
  row_.clear();
  std::optional<mx::array> hidden;
  for (std::span<const int32_t> left(ids); !left.empty();) {
    // As long as the prompt took.
    if (job_.events.cancelled()) return std::nullopt;
    size_t count = std::min(static_cast<size_t>(chunk_), left.size());
    hidden = read(left.first(count), 1);
    left = left.subspan(count);
    on_step_();
  }
  // The caller adds it, as for every step.
  row_.ids.pop_back();
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
  Step step = launch(*last_hidden_, 0);
  last_hidden_.reset();
  for (;;) {
    bool last = generated_ + 1 == request.max_tokens;
    bool full = row_.cache.length() >= room;
    std::optional<Step> next;
    if (!last && !full) {
      next = advance(step);
      if (!next) return;
    }
    int32_t id = id_of(step);
    if (next) row_.ids.push_back(id);
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
  end.cached_tokens = cached_;
  end.generated_tokens = generated_;
  bool any = first_token_ != Clock::time_point{};
  end.timings.first_token_ms = any ? milliseconds(first_token_ - start_) : 0;
  end.timings.prefill_ms = milliseconds((any ? first_token_ : Clock::now()) - start_);
  end.timings.decode_ms = any ? milliseconds(last_token_ - first_token_) : 0;
  end.prompt_logprobs = prompt_logprobs_;
  end.graph = meter_.stats();
  return end;
}

}  // namespace llm_host
