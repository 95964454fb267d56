#include "engine/session.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "common/device_policy.h"
#include "engine/cache/cache_file.h"
#include "engine/generation.h"
#include "engine/runtime.h"
#include "kernels/base/reproducible.h"
#include "kernels/packed/tiles.h"

namespace llm_host {

std::unique_ptr<Session> Session::load(const LoadSpec& spec, const Progress& progress) {
  check_mlx_version();
  DevicePolicy::check();
  Config config(spec.config);
  WeightStore weights(spec, progress);
  return std::unique_ptr<Session>(new Session(config, weights, spec));
}

Session::Session(const Config& config, WeightStore& weights, const LoadSpec& spec)
    : model_(make_model(config, weights, spec.context_length)),
      options_{.max_positions = model_->info().context_length, .kv_bits = spec.kv_bits},
      reproducible_(weights.packed() && packed_tiles() == nullptr),
      sequences_([this] { return model_->new_cache(options_); }, spec.cache_bytes),
      info_(model_->info()) {
  weights.finish();
  info_.parameters = weights.parameters();
  info_.weight_bytes = weights.bytes();
  info_.device = device_text();
  info_.wants_checkpoints = !sequences_.latest().cache.always_trimmable();
  // Loading took more memory for a moment: back to the system with it.
  mx::clear_cache();
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

SavedCache Session::save_cache(const std::string& path, const std::string& model_hash) {
  return write_cache(sequences_.latest(), path, model_hash);
}

SavedCache Session::load_cache(const CacheFile& file) {
  Sequence sequence = read_cache(file, *model_, options_);
  SavedCache loaded{static_cast<int>(sequence.ids.size()), file.bytes()};
  sequences_.latest() = std::move(sequence);
  return loaded;
}

void Session::generate(Job& job, const std::function<void()>& on_step) {
  job.events.finish(run(job, on_step));
}

Event Session::run(Job& job, const std::function<void()>& on_step) {
  try {
    int tokens = job.request.prefill_chunk;
    if (tokens == 0) tokens = DevicePolicy::get().prefill_chunk(info_.parameters);
    bool needed = job.request.reproducible;
    Sequence& sequence = sequences_.choose(job.request.prompt_ids, needed);
    cpu::ReproducibleScope scope(needed || reproducible_);
    sequence.begin(cpu::reproducible(), needed);
    return Generation(*model_, sequence, job, tokens, on_step).run();
  } catch (const std::exception& exception) {
    Error error = error_of(exception, "generating");
    forget();
    return ErrorEvent{error.code(), error.what()};
  }
}

// After a failed step the cache's contents are unknown.
void Session::forget() {
  sequences_.latest() = Sequence(model_->new_cache(options_));
  try {
    mx::synchronize();
  } catch (const std::exception&) {
    // The step launched ahead failed too: the same failure, which is reported already.
  }
}

}  // namespace llm_host
