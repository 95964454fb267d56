#include "sample/lazy_sampler.h"

#include "common/device_policy.h"
#include "kernels/base/cpu_op.h"

namespace llm_host {

LazySampler::LazySampler(SamplingParams params, std::span<const int32_t> prompt)
    : state_(std::make_shared<State>()) {
  state_->params = std::move(params);
  if (DevicePolicy::get().samples_in_graph()) state_->in_graph.emplace(state_->params, prompt);
  if (state_->params.penalties.off()) return;
  auto continued = static_cast<size_t>(state_->params.continued);
  state_->history = TokenHistory(prompt.first(prompt.size() - continued));
  for (int32_t id : prompt.last(continued)) state_->history.add(id);
}

mx::array LazySampler::operator()(const mx::array& logits, uint64_t step) const {
  if (state_->in_graph) return (*state_->in_graph)(logits, step);
  bool restricted = step == 0 && !state_->params.allowed_first.empty();
  mx::array input = mx::contiguous(mx::astype(logits, mx::float32));
  return cpu_op(
      "Sample", mx::Shape{1}, {input},
      [state = state_, step, restricted](const std::vector<mx::array>& inputs, mx::array& out) {
        std::span<const float> values(inputs[0].data<float>(), inputs[0].size());
        std::vector<float> allowed;
        if (restricted) values = allowed = only_allowed(values, state->params.allowed_first);
        uint64_t at = step + static_cast<uint64_t>(state->params.continued);
        int32_t token = sample(values, state->params, at, state->history);
        if (!state->params.penalties.off() && token >= 0) state->history.add(token);
        *out.data<int32_t>() = token;
      },
      mx::int32);
}

}  // namespace llm_host
