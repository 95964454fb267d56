#include "engine/generate/generation.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "engine/device/device_memory.h"
#include "layers/adapter_scope.h"
#include "layers/attention/positions.h"

namespace llm_host {
namespace {

// States that are kept while proposed tokens are verified, at most: a model with more of them per
// token gets fewer proposals.
constexpr uint64_t kMostStateBytes = 256 << 20;

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
  params.call_start = r.call_start;
  params.call_confidence = r.call_confidence;
  return params;
}

// Null where there is no draft model, or no room for its cache.
std::unique_ptr<Draft> draft_of(DraftModel* drafts, const Request& request) {
  if (drafts == nullptr) return nullptr;
  auto lease = drafts->take(request.prompt_ids);
  if (!lease) return nullptr;
  return std::make_unique<Draft>(*drafts, std::move(*lease), sampling_of(request),
                                 request.prompt_ids);
}

}  // namespace

Generation::Generation(const Model& model, Sequence& sequence, Job& job, Governor& governor,
                       DraftModel* drafts, Decisions* decisions)
    : model_(model),
      sequence_(sequence),
      job_(job),
      decisions_(decisions),
      sampler_(sampling_of(job.request), job.request.prompt_ids),
      meter_(job.request.measure_graph) {
  prefill_.emplace(model, sequence, job.request);
  cached_ = prefill_->cached();
  job_.events.push(PrefillEvent{cached_, prefill_->total(), cached_});
  // MLX keeps freed buffers for results of the same size, but this prompt has another length.
  mx::clear_cache();
  // The host's cost is measured for steps of one token.
  bool proposes = job.request.lookup != Lookup::kOff || drafts != nullptr;
  if (!proposes || job.request.measure_graph) return;
  speculator_.emplace(governor, job.request.lookup, job.request.prompt_ids,
                      draft_of(drafts, job.request));
}

mx::array Generation::step_prefill(int count) {
  AdapterScope scope(job_.request.adapted);
  return prefill_->step(count);
}

void Generation::read(int count) {
  mx::array hidden = step_prefill(count);
  if (decisions_ != nullptr) decisions_->check();
  bool again = last_id_ >= 0;  // behind a part of the reply, since positions restarted
  if (!again) job_.events.push(PrefillEvent{prefill_->done(), prefill_->total(), cached_});
  if (drops_buffers()) mx::clear_cache();
  if (speculator_) speculator_->read(prefill_->done());
  if (!prefill_->finished()) return;
  if (!again) prompt_scores_ = prefill_->take_scores();
  prefill_.reset();
  AdapterScope scope(job_.request.adapted);
  mx::array logits = model_.head(last_positions(hidden, 1));
  logits = mx::astype(mx::reshape(logits, {1, logits.shape(2)}), mx::float32);
  mx::array token = sampler_.verify(logits, static_cast<uint64_t>(generated_), {});
  step_ = {logits, decisions_ != nullptr ? decisions_->first(token) : token, {}};
  mx::async_eval(step_->tokens, step_->logits);
}

int Generation::most_proposed() const {
  const ModelCache& cache = sequence_.cache;
  int length = cache.length() + 1;
  // This turn begins the sequence anew and verifies nothing.
  if (model_.positions_restart_at(length)) return 0;
  int most =
      std::min(job_.request.max_tokens - generated_ - 1, model_.info().context_length - length);
  if (uint64_t bytes = cache.state_bytes()) {
    most = std::min(most, static_cast<int>(kMostStateBytes / bytes) - 1);
  }
  int count = 0;
  uint64_t room = cache.bytes_after(1);
  while (count < std::min(most, Governor::kMost)) {
    int next = length + count + 1;
    bool same_angles = !model_.positions_restart_at(next) &&
                       model_.position_regime(next) == model_.position_regime(length);
    if (!same_angles || cache.bytes_after(count + 2) > room) break;
    ++count;
  }
  return count;
}

bool Generation::propose(int sequences) {
  waited_ = false;
  proposed_.clear();
  if (!speculator_ || (step_->proposed.empty() && !speculator_->promises(sequences))) return false;
  waited_ = true;
  report();
  if (reason() == nullptr) proposed_ = speculator_->propose(sequences, most_proposed());
  return true;
}

bool Generation::advances() {
  restarts_ = false;
  int unreported = waited_ ? 0 : 1;
  if (generated_ + unreported == job_.request.max_tokens) return false;
  int length = sequence_.cache.length() + 1;
  if (length > model_.info().context_length) return false;
  restarts_ = model_.positions_restart_at(length);
  if (restarts_) return false;
  if (!proposed_.empty()) sequence_.cache.remember();
  return true;
}

mx::array Generation::input() const {
  if (!waited_) return mx::reshape(step_->tokens, {1, 1});
  std::vector<int32_t> ids{last_id_};
  ids.insert(ids.end(), proposed_.begin(), proposed_.end());
  return mx::array(ids.begin(), {1, rows()}, mx::int32);
}

LazySampler::Draw Generation::draw() const {
  return {sampler_, static_cast<uint64_t>(generated_ + (waited_ ? 0 : 1)), proposed_};
}

void Generation::add(const mx::array& logits, const mx::array& tokens, int sequences,
                     std::vector<mx::array>& results) {
  Step step{logits, tokens, std::exchange(proposed_, {})};
  meter_.built({step.tokens, step.logits});
  results.insert(results.end(), {step.tokens, step.logits});
  ++decoding_.passes;
  decoding_.sequences += sequences;
  decoding_.proposed += static_cast<int>(step.proposed.size());
  if (waited_) sequence_.ids.push_back(last_id_);
  (waited_ ? step_ : next_) = std::move(step);
}

void Generation::wait_for(Step& step) {
  if (step.computed) return;
  step.tokens.eval();
  if (decisions_ != nullptr) decisions_->check();
  DeviceFailures::check(step.failures);
  step.computed = true;
}

std::vector<int32_t> Generation::ids_of(Step& step) {
  wait_for(step);
  const auto* sampled = step.tokens.data<int32_t>();
  std::vector<int32_t> ids;
  do {
    if (sampled[ids.size()] < 0) {
      throw Error(kModelBroken,
                  "the model computes values that are not numbers: its weights are broken");
    }
    ids.push_back(sampled[ids.size()]);
  } while (ids.size() <= step.proposed.size() && ids.back() == step.proposed[ids.size() - 1]);
  return ids;
}

void Generation::report() {
  const std::vector<int32_t>& stops = job_.request.stop_ids;
  Step step = std::move(*step_);
  step_.reset();
  std::vector<int32_t> ids = ids_of(step);
  auto stop = std::find_first_of(ids.begin(), ids.end(), stops.begin(), stops.end());
  if (!step.proposed.empty()) {
    // Tokens after a stop are forgotten too.
    auto accepted = std::min(ids.end() - ids.begin() - 1, stop - ids.begin() + 1);
    decoding_.accepted += static_cast<int>(accepted);
    sequence_.ids.insert(sequence_.ids.end(), ids.begin(), ids.begin() + accepted);
    sequence_.cache.keep(static_cast<int>(sequence_.ids.size()));
    sampler_.keep(ids.size());
  }
  last_token_ = Clock::now();
  if (generated_ == 0) first_token_ = last_token_;
  for (auto id = ids.begin(); id != stop; ++id) emit(*id, step, static_cast<int>(id - ids.begin()));
  last_id_ = stop == ids.end() ? ids.back() : *stop;
  if (stop == ids.end()) return;
  reason_ = "stop";
  if (waited_ && stop + 1 == ids.end()) append_last();
}

void Generation::append_last() {
  if (generated_ + 1 == job_.request.max_tokens) return;
  waited_ = true;
  if (!advances()) return;
  AdapterScope scope(job_.request.adapted);
  mx::eval(model_.body(input(), sequence_.cache, 1));
  sequence_.ids.push_back(last_id_);
}

void Generation::settle() {
  if (!waited_) {
    report();
    // The launched token is in the cache.
    if (next_) sequence_.ids.push_back(last_id_);
    step_ = std::exchange(next_, std::nullopt);
  }
  waited_ = false;
  if (reason_ == nullptr && !step_) conclude();
}

void Generation::wait() {
  if (step_) wait_for(*step_);
}

void Generation::conclude() {
  if (restarts_) return start_over();
  reason_ = generated_ >= job_.request.max_tokens ? "length" : "full";
}

void Generation::start_over() {
  std::vector<int32_t> ids = sequence_.ids;
  ids.push_back(last_id_);
  prefill_.emplace(model_, sequence_, std::move(ids));
}

void Generation::emit(int32_t id, const Step& step, int row) {
  TokenEvent event{id, std::nullopt};
  if (job_.request.logprobs >= 0) {
    auto vocab = static_cast<size_t>(step.logits.shape(1));
    std::span<const float> logits(step.logits.data<float>() + static_cast<size_t>(row) * vocab,
                                  vocab);
    event.logprobs = logprobs_of(logits, id, job_.request.logprobs);
  }
  if (speculator_) speculator_->add(id);
  if (!job_.events.push(std::move(event))) return;
  ++generated_;
  bool due = generated_ > 1 && generated_ % kTokensBetweenDrops == 0;
  if (due && drops_buffers()) mx::clear_cache();
}

EndEvent Generation::end() {
  // A step launched ahead may still write into the cache; if it failed, others must not use that.
  mx::synchronize();
  wait();
  // The proposed tokens are dropped.
  if (step_ && !step_->proposed.empty()) {
    sequence_.cache.keep(static_cast<int>(sequence_.ids.size()));
  }
  EndEvent end;
  end.reason = reason();
  end.prompt_tokens = static_cast<int>(job_.request.prompt_ids.size());
  end.cached_tokens = cached_;
  end.generated_tokens = generated_;
  bool any = first_token_ != Clock::time_point{};
  end.timings.first_token_ms = any ? milliseconds(first_token_ - start_) : 0;
  end.timings.prefill_ms = milliseconds((any ? first_token_ : Clock::now()) - start_);
  end.timings.decode_ms = any ? milliseconds(last_token_ - first_token_) : 0;
  end.decoding = decoding_;
  end.prompt_logprobs = std::move(prompt_scores_);
  end.graph = meter_.stats();
  return end;
}

}  // namespace llm_host
