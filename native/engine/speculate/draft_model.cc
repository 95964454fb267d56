#include "engine/speculate/draft_model.h"

#include <algorithm>

namespace llm_host {
namespace {

// Tokens of a reply for which a sequence gets room at once.
constexpr int kDraftedReplyTokens = 256;

std::unique_ptr<Model> load(const LoadSpec& spec, const std::function<void()>& check) {
  Config config(spec.config);
  WeightStore weights(spec, [&](uint64_t, uint64_t) { check(); });
  std::unique_ptr<Model> model = make_model(config, weights, spec.context_length);
  weights.finish();
  return model;
}

}  // namespace

DraftModel::DraftModel(const LoadSpec& spec, int vocab, const std::function<void()>& check)
    : model_(load(spec, check)),
      options_{.max_positions = model_->info().context_length, .kv_bits = spec.kv_bits},
      sequences_([this] { return model_->new_cache(options_); }, spec.cache_bytes),
      vocab_(std::min(vocab, model_->info().vocab_size)) {}

std::optional<SequencePool::Lease> DraftModel::take(std::span<const int32_t> prompt) {
  int most = model_->info().context_length;
  if (static_cast<int>(prompt.size()) >= most) return std::nullopt;
  return sequences_.take(prompt,
                         std::min(most, static_cast<int>(prompt.size()) + kDraftedReplyTokens));
}

}  // namespace llm_host
