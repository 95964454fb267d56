#include "engine/prefill.h"

#include <algorithm>
#include <set>

#include "engine/prompt_score.h"
#include "engine/schedule_ahead.h"

namespace llm_host {
namespace {

// Prompt lengths at which to keep the state.
std::set<int> checkpoints(const Sequence& sequence, const Request& request) {
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
  if (other_angles || request.prompt_logprobs) sequence.clear();
  int cached = sequence.rewind(request.prompt_ids);
  sequence.cache.plan(total);
  return cached;
}

}  // namespace

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

Prefill prefill(const Model& model, Sequence& sequence, Job& job, int chunk,
                const std::function<void()>& on_step) {
  const std::vector<int32_t>& prompt = job.request.prompt_ids;
  int total = static_cast<int>(prompt.size());
  Prefill result;
  result.cached = reuse_prefix(model, sequence, job.request);
  std::set<int> stops = checkpoints(sequence, job.request);
  if (!job.events.push(PrefillEvent{result.cached, total, result.cached})) return result;
  // MLX keeps freed buffers for results of the same size, but this prompt has another length.
  mx::clear_cache();
  std::optional<mx::array> hidden;
  for (int done = result.cached; done < total;) {
    auto stop = stops.upper_bound(done);
    int count = std::min(chunk, (stop == stops.end() ? total : *stop) - done);
    int outputs = job.request.prompt_logprobs ? count : 1;
    hidden = append_tokens(model, sequence, {prompt.begin() + done, static_cast<size_t>(count)},
                           outputs);
    done += count;
    if (job.request.prompt_logprobs) {
      int first = done - count + 1;
      std::span<const int32_t> next(prompt.begin() + first,
                                    prompt.begin() + std::min(done + 1, total));
      append_scores(model, *hidden, next, result.logprobs);
    }
    if (stops.contains(done)) sequence.checkpoint();
    on_step();
    if (!job.events.push(PrefillEvent{done, total, result.cached})) return result;
  }
  result.hidden = std::move(hidden);
  return result;
}

}  // namespace llm_host
