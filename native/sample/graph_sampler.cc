#include "sample/graph_sampler.h"

#include <algorithm>
#include <cmath>

#include "common/launch_groups.h"

namespace llm_host {
namespace {

using Arrays = std::vector<mx::array>;

const float kExcluded = -INFINITY;

// logits, bias, 1 for tokens of the prompt, times generated, and the three penalties: see
// apply_penalties.
Arrays with_penalties(const Arrays& in) {
  mx::array zero(0.0f);
  mx::array x = mx::add(in[0], in[1]);
  mx::array repeated = mx::where(mx::less(x, zero), mx::multiply(x, in[4]), mx::divide(x, in[4]));
  x = mx::where(mx::greater(mx::add(in[2], in[3]), zero), repeated, x);
  mx::array once = mx::add(in[5], mx::multiply(in[6], in[3]));
  return {mx::subtract(x, mx::where(mx::greater(in[3], zero), once, zero))};
}

// scores, temperature
Arrays tempered(const Arrays& in) { return {mx::divide(in[0], in[1])}; }

// scores, the lowest that is kept
Arrays kept_from(const Arrays& in) {
  return {mx::where(mx::greater_equal(in[0], in[1]), in[0], mx::array(kExcluded))};
}

// scores, which are allowed
Arrays allowed_only(const Arrays& in) { return {mx::where(in[1], in[0], mx::array(kExcluded))}; }

// scores, logits, their logsumexp, which token is the start of a call, ln call_confidence
Arrays without_unsure_call(const Arrays& in) {
  mx::array unsure = mx::less(mx::subtract(in[1], in[2]), in[4]);
  return {mx::where(mx::logical_and(in[3], unsure), mx::array(kExcluded), in[0])};
}

// the greatest score, ln min_p, the lowest that is kept so far
Arrays raised(const Arrays& in) { return {mx::maximum(in[2], mx::add(in[0], in[1]))}; }

// logsumexp of the logits, the token
Arrays if_finite(const Arrays& in) {
  mx::array finite = mx::less(mx::abs(in[0]), mx::array(INFINITY));
  return {mx::where(finite, mx::astype(in[1], mx::int32), mx::array(-1))};
}

mx::array bits_of(const std::vector<uint8_t>& allowed, int vocab) {
  std::vector<uint8_t> bytes;
  for (int id = 0; id < vocab; ++id) bytes.push_back(is_allowed(allowed, static_cast<size_t>(id)));
  return mx::array(bytes.begin(), mx::Shape{vocab}, mx::bool_);
}

mx::array element(const mx::array& x, int index) {
  return mx::slice(x, mx::Shape{index}, mx::Shape{index + 1});
}

}  // namespace

GraphSampler::GraphSampler(const SamplingParams& params, std::span<const int32_t> prompt)
    : params_(params) {
  auto continued = static_cast<size_t>(params.continued);
  prompt_.assign(prompt.begin(), prompt.end() - static_cast<std::ptrdiff_t>(continued));
  continued_.assign(prompt.end() - static_cast<std::ptrdiff_t>(continued), prompt.end());
}

void GraphSampler::make_state(int vocab) {
  std::vector<float> bias(static_cast<size_t>(vocab)), seen(bias), counts(bias);
  for (auto [id, value] : params_.penalties.logit_bias) bias[static_cast<size_t>(id)] += value;
  for (int32_t id : prompt_) seen[static_cast<size_t>(id)] = 1;
  for (int32_t id : continued_) ++counts[static_cast<size_t>(id)];
  auto array = [&](const std::vector<float>& v) { return mx::array(v.begin(), mx::Shape{vocab}); };
  bias_ = array(bias);
  in_prompt_ = array(seen);
  counts_ = array(counts);
}

mx::array GraphSampler::penalised(const mx::array& logits) {
  const Penalties& p = params_.penalties;
  if (p.off()) return logits;
  if (!counts_) make_state(logits.shape(0));
  return fused("Penalties", with_penalties,
               {logits, *bias_, *in_prompt_, *counts_, mx::array(p.repetition),
                mx::array(p.presence), mx::array(p.frequency)});
}

mx::array GraphSampler::truncated(const mx::array& scores) const {
  int vocab = scores.shape(0), k = params_.top_k;
  bool top_k = k > 0 && k < vocab, top_p = params_.top_p < 1, min_p = params_.min_p > 0;
  if (!top_k && !top_p && !min_p) return scores;
  mx::array sorted = mx::sort(scores);  // the least likely first
  mx::array lowest = top_k ? element(sorted, vocab - k) : mx::full({1}, kExcluded);
  if (top_p) {
    mx::array kept = top_k ? fused("KeptFrom", kept_from, {sorted, lowest}) : sorted;
    mx::array up_to = mx::cumsum(mx::softmax(kept, -1, true), 0);
    // A token stays if those likelier than it add up to less than p; the likeliest always stays.
    mx::array dropped = mx::sum(mx::less_equal(up_to, mx::array(1 - params_.top_p)), 0, true);
    lowest = mx::take(sorted, mx::minimum(dropped, mx::array(vocab - 1)), 0);
  }
  if (min_p) {
    mx::array best = element(sorted, vocab - 1);
    lowest = fused("MinP", raised, {best, mx::array(std::log(params_.min_p)), lowest});
  }
  return fused("KeptFrom", kept_from, {scores, lowest});
}

mx::array GraphSampler::chosen(const mx::array& scores, uint64_t step) const {
  if (params_.temperature <= 0) return mx::argmax(scores, 0, true);
  // Less is as good as greedy, and must not make scores infinite.
  mx::array temperature(std::max(params_.temperature, 1e-4f));
  mx::array tempered_scores = fused("Temperature", tempered, {scores, temperature});
  uint64_t at = step + static_cast<uint64_t>(params_.continued);
  mx::array key = mx::random::key(static_cast<uint64_t>(params_.seed) << 32 ^ at);
  mx::array row = mx::expand_dims(truncated(tempered_scores), 0);
  return mx::random::categorical(row, -1, key);
}

mx::array GraphSampler::first_scores(mx::array scores, const mx::array& logits,
                                     const mx::array& total) const {
  int vocab = logits.shape(0);
  if (!params_.allowed_first.empty()) {
    scores = fused("Allowed", allowed_only, {scores, bits_of(params_.allowed_first, vocab)});
  }
  if (params_.call_start < 0) return scores;
  mx::array start = mx::equal(mx::arange(vocab, mx::int32), mx::array(params_.call_start));
  mx::array least(std::log(params_.call_confidence));
  return fused("SureCall", without_unsure_call, {scores, logits, total, start, least});
}

mx::array GraphSampler::operator()(const mx::array& logits, uint64_t step) {
  mx::array scores = penalised(logits), total = mx::logsumexp(logits, 0, true);
  if (step == 0 && restricts_first(params_)) {
    scores = first_scores(scores, logits, total);
    // Not finite either if none of the tokens that are left has a probability.
    total = mx::add(total, mx::logsumexp(scores, 0, true));
  }
  mx::array token = fused("IfFinite", if_finite, {total, chosen(scores, step)});
  if (counts_) {
    mx::array one = mx::ones({1}, mx::float32);
    counts_ = mx::scatter_add_axis(*counts_, token, one, 0);
  }
  return token;
}

}  // namespace llm_host
