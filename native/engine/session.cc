#include "engine/session.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "common/device_policy.h"
#include "engine/cache/cache_file.h"
#include "engine/distributed/process_group.h"
#include "engine/runtime.h"
#include "kernels/packed/sets/tiles.h"

namespace llm_host {
namespace {

ModelInfo loaded_info(const Model& model, WeightStore& weights) {
  weights.finish();
  ModelInfo info = model.info();
  info.parameters = weights.parameters();
  info.weight_bytes = weights.bytes();
  info.device = device_text();
  return info;
}

std::unique_ptr<DraftModel> load_drafts(const LoadSpec& spec, const ModelInfo& info,
                                        const Session::Progress& progress) {
  if (!spec.draft) return nullptr;
  // Reports the same progress again: the caller may stop the load here too.
  auto check = [&] { progress(info.weight_bytes, info.weight_bytes); };
  return std::make_unique<DraftModel>(*spec.draft, info.vocab_size, check);
}

// The processes that share the model; null: it is whole.
std::shared_ptr<ProcessGroup> group_of(const LoadSpec& spec) {
  if (!spec.group_limit_ms) return nullptr;
  check_shareable(spec);
  sharding_of(Config(spec.config));
  int sum = *spec.group_limit_ms, joining = spec.group_join_ms;
  return ProcessGroup::join(
      {std::chrono::milliseconds(sum), std::chrono::milliseconds(joining > 0 ? joining : sum)});
}

// This process's part of the model.
LoadSpec own_part(const LoadSpec& spec, const std::shared_ptr<ProcessGroup>& group) {
  if (!group) return spec;
  const Sharding& sharding = sharding_of(Config(spec.config));
  auto sum = [group](const mx::array& x) { return group->sum(x); };
  return part_of(spec, sharding, {group->rank(), group->size(), sum});
}

}  // namespace

std::unique_ptr<Session> Session::load(const LoadSpec& whole, const Progress& progress) {
  check_mlx_version();
  DevicePolicy::check();
  auto group = group_of(whole);
  LoadSpec spec = own_part(whole, group);
  Config config(spec.config);
  WeightStore weights(spec, progress);
  return std::unique_ptr<Session>(new Session(config, weights, spec, group, progress));
}

Session::Session(const Config& config, WeightStore& weights, const LoadSpec& spec,
                 const std::shared_ptr<ProcessGroup>& group, const Progress& progress)
    : model_(make_model(config, weights, spec.context_length)),
      options_{.max_positions = model_->info().context_length, .kv_bits = spec.kv_bits},
      sequences_([this] { return model_->new_cache(options_); }, spec.cache_bytes),
      whole_(!spec.group_limit_ms),
      info_(loaded_info(*model_, weights)),
      drafts_(load_drafts(spec, info_, progress)),
      scheduler_(*model_, sequences_,
                 {.parallel = spec.parallel,
                  .chunk = DevicePolicy::get().prefill_chunk(info_.parameters),
                  .max_gap_ms = spec.max_gap_ms,
                  .reproducible = !group && weights.packed() && packed_tiles() == nullptr,
                  .drafts = drafts_.get(),
                  .read_prefix =
                      [this](const CacheFile& file) {
                        check_whole();
                        return read_cache(file, *model_, options_);
                      },
                  .decisions = group ? std::make_shared<Decisions>(group) : nullptr}) {
  info_.adapters_optional = spec.adapters_optional;
  info_.wants_checkpoints = !sequences_.latest().cache.always_trimmable();
  // Loading took more memory for a moment: back to the system with it.
  mx::clear_cache();
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

void Session::check_whole() const {
  if (whole_) return;
  throw Error(kCache, "caches of a model that several processes share are not kept in files");
}

SavedCache Session::save_cache(const CacheTarget& target) {
  check_whole();
  const Sequence& latest = sequences_.latest();
  return write_cache(latest, static_cast<int>(latest.ids.size()), target);
}

SavedCache Session::save_prefix(std::span<const int32_t> ids, const Needs& needs,
                                const CacheTarget& target) {
  check_whole();
  const Sequence* holder = sequences_.holder(ids, needs);
  if (holder == nullptr) return {};
  return write_cache(*holder, static_cast<int>(ids.size()), target);
}

SavedCache Session::load_cache(const CacheFile& file) {
  check_whole();
  Sequence sequence = read_cache(file, *model_, options_);
  SavedCache loaded{static_cast<int>(sequence.ids.size()), file.bytes()};
  sequences_.latest() = std::move(sequence);
  return loaded;
}

}  // namespace llm_host
