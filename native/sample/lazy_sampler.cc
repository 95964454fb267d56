#include "sample/lazy_sampler.h"

#include "common/device_policy.h"
#include "kernels/base/cpu_op.h"
#include "kernels/base/thread_pool.h"

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
  Draw one{*this, step, {}};
  return draw(mx::reshape(logits, {1, logits.shape(0)}), {&one, 1});
}

mx::array LazySampler::verify(const mx::array& logits, uint64_t step,
                              std::vector<int32_t> proposed) const {
  Draw one{*this, step, std::move(proposed)};
  return draw(logits, {&one, 1});
}

mx::array LazySampler::draw(const mx::array& logits, std::span<const Draw> draws) {
  int vocab = logits.shape(1), first = 0;
  if (draws.front().sampler.state_->in_graph) {
    std::vector<mx::array> tokens;
    for (const Draw& one : draws) {
      int end = first + one.rows();
      one.sampler.state_->next_in_graph(mx::slice(logits, {first, 0}, {end, vocab}), one.step,
                                        tokens);
      first = end;
    }
    return tokens.size() == 1 ? tokens[0] : mx::concatenate(tokens, 0);
  }
  struct Part {
    std::shared_ptr<State> state;
    uint64_t step;
    std::vector<int32_t> proposed;
    int64_t first;
  };
  std::vector<Part> parts;
  for (const Draw& one : draws) {
    parts.push_back({one.sampler.state_, one.step, one.proposed, first});
    first += one.rows();
  }
  mx::array input = mx::contiguous(mx::astype(logits, mx::float32));
  return cpu_op(
      "Sample", mx::Shape{logits.shape(0)}, {input},
      [parts = std::move(parts), vocab](const std::vector<mx::array>& inputs, mx::array& out) {
        const float* values = inputs[0].data<float>();
        auto* tokens = out.data<int32_t>();
        auto one = [&](int i) {
          const Part& part = parts[static_cast<size_t>(i)];
          part.state->next(values + part.first * vocab, static_cast<size_t>(vocab), part.step,
                           part.proposed, tokens + part.first);
        };
        if (parts.size() == 1) return one(0);
        parallel_for(static_cast<int>(parts.size()), one);
      },
      mx::int32);
}

int32_t LazySampler::State::next(std::span<const float> logits, uint64_t step) {
  std::vector<float> first;
  if (step == 0 && restricts_first(params)) logits = first = first_logits(logits, params);
  int32_t token = sample(logits, params, step + static_cast<uint64_t>(params.continued), history);
  if (!params.penalties.off() && token >= 0) history.add(token);
  return token;
}

void LazySampler::State::next(const float* logits, size_t vocab, uint64_t step,
                              std::span<const int32_t> proposed, int32_t* tokens) {
  for (size_t i = 0; i <= proposed.size(); ++i) {
    tokens[i] = next({logits + i * vocab, vocab}, step + i);
    if (i < proposed.size() && tokens[i] != proposed[i]) break;
  }
}

void LazySampler::State::next_in_graph(const mx::array& logits, uint64_t step,
                                       std::vector<mx::array>& tokens) {
  int count = logits.shape(0), vocab = logits.shape(1);
  counts.clear();
  for (int i = 0; i < count; ++i) {
    mx::array row = mx::flatten(mx::slice(logits, {i, 0}, {i + 1, vocab}));
    tokens.push_back((*in_graph)(row, step + static_cast<uint64_t>(i)));
    if (count > 1) counts.push_back(in_graph->counts());
  }
}

void LazySampler::keep(size_t count) const {
  if (state_->in_graph) state_->in_graph->restore(std::move(state_->counts.at(count - 1)));
}

}  // namespace llm_host
