#include "engine/generate/prefill.h"

#include <algorithm>
#include <span>

#include "engine/generate/prompt_score.h"
#include "engine/generate/schedule_ahead.h"

namespace llm_host {
namespace {

std::set<int> checkpoints_of(const Sequence& sequence, const Request& request) {
  // Each costs a step, which is wasted where any prefix can be reused.
  if (sequence.cache.always_trimmable()) return {};
  return {request.checkpoints.begin(), request.checkpoints.end()};
}

// Drops what cannot be reused of the sequence, and goes back to the prefix it shares with the
// prompt. -> its length
int reuse_prefix(const Model& model, Sequence& sequence, const Request& request) {
  int total = static_cast<int>(request.prompt_ids.size());
  bool other_angles =
      model.position_regime(total) != model.position_regime(sequence.cache.planned());
  // Cached tokens are not computed again, and so would get no scores.
  if (other_angles || request.prompt_logprobs) sequence.forget();
  int cached = sequence.rewind(request.prompt_ids);
  sequence.cache.plan(total);
  return cached;
}

// Runs the model over `ids` and appends them to the sequence. -> hidden states of the last
// `outputs` of them, [1, outputs, H], computed
mx::array append_tokens(const Model& model, Sequence& sequence, std::span<const int32_t> ids,
                        int outputs) {
  mx::Shape shape{1, static_cast<int>(ids.size())};
  mx::array hidden = model.body(mx::array(ids.begin(), shape, mx::int32), sequence.cache, outputs);
  sequence.ids.insert(sequence.ids.end(), ids.begin(), ids.end());
  // The cache too: a state that `hidden` does not depend on would keep its whole graph alive.
  std::vector<mx::array> results = sequence.cache.arrays();
  results.push_back(hidden);
  ScheduleAhead few;
  mx::eval(results);
  return hidden;
}

}  // namespace

Prefill::Prefill(const Model& model, Sequence& sequence, const Request& request)
    : model_(model),
      sequence_(sequence),
      ids_(request.prompt_ids),
      scored_(request.prompt_logprobs),
      cached_(reuse_prefix(model, sequence, request)),
      checkpoints_(checkpoints_of(sequence, request)) {}

Prefill::Prefill(const Model& model, Sequence& sequence, std::vector<int32_t> ids)
    : model_(model), sequence_(sequence), ids_(std::move(ids)), scored_(false) {
  sequence.forget();
  sequence.cache.plan(total());
}

mx::array Prefill::step(int count) {
  int first = done();
  auto stop = checkpoints_.upper_bound(first);
  int length = std::min(count, (stop == checkpoints_.end() ? total() : *stop) - first);
  std::span<const int32_t> ids(ids_);
  mx::array hidden = append_tokens(
      model_, sequence_, ids.subspan(static_cast<size_t>(first), length), scored_ ? length : 1);
  if (scored_) {
    size_t from = static_cast<size_t>(first) + 1, to = static_cast<size_t>(done()) + 1;
    append_scores(model_, hidden, ids.subspan(from, std::min(to, ids.size()) - from), scores_);
  }
  if (checkpoints_.contains(done())) sequence_.checkpoint();
  return hidden;
}

}  // namespace llm_host
