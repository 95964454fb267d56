#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "engine/cache/saved_cache.h"
#include "engine/cache/sequence_pool.h"
#include "engine/scheduler.h"
#include "engine/speculate/draft_model.h"
#include "models/model.h"
#include "weights/weight_store.h"

namespace llm_host {

// A loaded model with its KV caches and what it generates. For the model thread only.
class Session {
 public:
  // Called with the bytes read so far; may throw to stop the load.
  using Progress = std::function<void(uint64_t done_bytes, uint64_t total_bytes)>;

  // Throws MODEL_BROKEN, MODEL_UNSUPPORTED or ENGINE_UNAVAILABLE.
  static std::unique_ptr<Session> load(const LoadSpec& spec, const Progress& progress);

  const ModelInfo& info() const { return info_; }
  // Writes the KV cache used last to a file, as a whole or not at all. Throws CACHE.
  SavedCache save_cache(const CacheTarget& target);
  // Saves these tokens, which several conversations begin with. -> nothing, if they are in no
  // cache any more
  SavedCache save_prefix(std::span<const int32_t> ids, const Needs& needs,
                         const CacheTarget& target);
  // Replaces the KV cache used last by a saved one. Throws CACHE or MODEL_BROKEN, and then keeps
  // the one it has.
  SavedCache load_cache(const CacheFile& file);
  // Runs the generations. Saving and loading a cache are tasks of it.
  Scheduler& scheduler() { return scheduler_; }

 private:
  Session(const Config& config, WeightStore& weights, const LoadSpec& spec,
          const std::shared_ptr<ProcessGroup>& group, const Progress& progress);
  // Throws CACHE if other processes have parts of the model.
  void check_whole() const;

  std::unique_ptr<Model> model_;
  CacheOptions options_;
  SequencePool sequences_;
  bool whole_;
  ModelInfo info_;
  std::unique_ptr<DraftModel> drafts_;  // null without one
  Scheduler scheduler_;
};

}  // namespace llm_host
