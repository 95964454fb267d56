#pragma once

#include <memory>
#include <optional>

#include "engine/cache/sequence_pool.h"
#include "models/model.h"
#include "weights/load_spec.h"

namespace llm_host {

// A smaller model with the same tokens, which proposes what a larger one may say next, and its KV
// caches.
class DraftModel {
 public:
  // `vocab`: of the larger model. Throws as Session::load.
  DraftModel(const LoadSpec& spec, int vocab, const std::function<void()>& check);

  const Model& model() const { return *model_; }
  // Ids below this are known to both models.
  int vocab() const { return vocab_; }
  // Nothing if its caches have no room.
  std::optional<SequencePool::Lease> take(std::span<const int32_t> prompt);

 private:
  std::unique_ptr<Model> model_;
  CacheOptions options_;
  SequencePool sequences_;
  int vocab_;
};

}  // namespace llm_host
