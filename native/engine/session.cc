#include "engine/session.h"

#include <algorithm>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "engine/cache_file.h"
#include "engine/generation.h"
#include "engine/host.h"
#include "engine/row_pool.h"

namespace llm_host {
namespace {

std::string device_text() {
  mx::Device device = mx::default_device();
  if (device == mx::Device::cpu) return "cpu";
  for (const auto& [key, value] : mx::device_info(device)) {
    const std::string* text = std::get_if<std::string>(&value);
    if (key == "device_name" && text != nullptr) return "gpu " + *text;
  }
  return "gpu";
}

class MlxSession final : public Session {
 public:
  MlxSession(const Config& config, WeightStore& weights, const LoadSpec& spec)
      : model_(make_model(config, weights, spec.context_length)),
        options_{.max_tokens = model_->info().context_length, .kv_bits = spec.kv_bits},
        rows_([this] { return model_->new_cache(options_); }, spec.cache_bytes),
        info_(model_->info()) {
    weights.finish();
    info_.parameters = weights.parameters();
    info_.weight_bytes = weights.bytes();
    info_.device = device_text();
    info_.wants_checkpoints = !rows_.latest().cache.always_trimmable();
    // What loading took for a moment goes back to the system.
    mx::clear_cache();
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
  }

  const ModelInfo& info() const override { return info_; }

  SavedCache save_cache(const std::string& path, const std::string& model_hash) override {
    return write_cache(rows_.latest(), path, model_hash);
  }

  SavedCache load_cache(const CacheFile& file) override {
    Row row = read_cache(file, *model_, options_);
    SavedCache loaded{static_cast<int>(row.ids.size()), file.bytes()};
    rows_.latest() = std::move(row);
    return loaded;
  }

  void generate(Job& job, const std::function<void()>& on_step) override {
    job.events.finish(run(job, on_step));
  }

 private:
  // A chunk is the longest time without a look at `cancel`, about half a second on a CPU; but each
  // reads all weights, so that many tokens want to share one.
  int chunk() const {
    constexpr uint64_t kCpuWork = 256'000'000'000;  // weights · tokens
    uint64_t weights = std::max<uint64_t>(1, info_.parameters);
    if (mx::default_device() != mx::Device::cpu) return 512;
    return static_cast<int>(std::clamp<uint64_t>(kCpuWork / weights, 64, 512));
  }

  Event run(Job& job, const std::function<void()>& on_step) {
    try {
      int tokens = job.request.prefill_chunk > 0 ? job.request.prefill_chunk : chunk();
      Row& row = rows_.choose(job.request.prompt_ids);
      return Generation(*model_, row, job, tokens, on_step).run();
    } catch (const std::exception& exception) {
      Error error = error_of(exception, "generating");
      forget();
      return ErrorEvent{error.code(), error.what()};
    }
  }

  // After a failed step nobody knows what the cache holds.
  void forget() {
    rows_.latest() = Row(model_->new_cache(options_));
    try {
      mx::synchronize();
    } catch (const std::exception&) {
      // The step launched ahead failed as well: it is the same failure, and has been told.
    }
  }

  std::unique_ptr<Model> model_;
  CacheOptions options_;
  RowPool rows_;
  ModelInfo info_;
};

}  // namespace

std::unique_ptr<Session> Session::load(const LoadSpec& spec, const Progress& progress) {
  MlxVersions versions = mlx_versions();
  if (versions.built != versions.loaded) {
    throw Error(kEngineUnavailable, "the addon was built for MLX " + versions.built + ", but MLX " +
                                        versions.loaded + " was found");
  }
  Config config(spec.config);
  WeightStore weights(spec, progress);
  return std::make_unique<MlxSession>(config, weights, spec);
}

}  // namespace llm_host
