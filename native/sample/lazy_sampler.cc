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
  mx::array input = mx::contiguous(mx::astype(logits, mx::float32));
  return cpu_op(
      "Sample", mx::Shape{1}, {input},
      [state = state_, step](const std::vector<mx::array>& inputs, mx::array& out) {
        std::span<const float> values(inputs[0].data<float>(), inputs[0].size());
        *out.data<int32_t>() = state->next(values, step);
      },
      mx::int32);
}

int32_t LazySampler::State::next(std::span<const float> logits, uint64_t step) {
  std::vector<float> allowed;
  if (step == 0 && !params.allowed_first.empty()) {
    logits = allowed = only_allowed(logits, params.allowed_first);
  }
  int32_t token = sample(logits, params, step + static_cast<uint64_t>(params.continued), history);
  if (!params.penalties.off() && token >= 0) history.add(token);
  return token;
}

mx::array LazySampler::verify(const mx::array& logits, uint64_t step,
                              std::vector<int32_t> proposed) const {
  int count = logits.shape(0), vocab = logits.shape(1);
  state_->counts.clear();
  if (state_->in_graph) {
    std::vector<mx::array> tokens;
    for (int i = 0; i < count; ++i) {
      mx::array row = mx::flatten(mx::slice(logits, {i, 0}, {i + 1, vocab}));
      tokens.push_back((*state_->in_graph)(row, step + static_cast<uint64_t>(i)));
      state_->counts.push_back(state_->in_graph->counts());
    }
    return mx::concatenate(tokens, 0);
  }
  mx::array input = mx::contiguous(mx::astype(logits, mx::float32));
  return cpu_op(
      "Verify", mx::Shape{count}, {input},
      [state = state_, step, proposed = std::move(proposed)](const std::vector<mx::array>& inputs,
                                                             mx::array& out) {
        auto vocab = static_cast<size_t>(inputs[0].shape(1));
        const float* logits = inputs[0].data<float>();
        auto* tokens = out.data<int32_t>();
        for (size_t i = 0; i <= proposed.size(); ++i) {
          tokens[i] = state->next({logits + i * vocab, vocab}, step + i);
          if (i < proposed.size() && tokens[i] != proposed[i]) break;
        }
      },
      mx::int32);
}

void LazySampler::keep(size_t count) const {
  if (state_->in_graph) state_->in_graph->restore(std::move(state_->counts.at(count - 1)));
}

}  // namespace llm_host
