#pragma once

#include <string>

#include "engine/cache/saved_cache.h"
#include "engine/cache/sequence.h"
#include "models/model.h"

// A sequence as a safetensors file: int32 tensors `ids` [tokens] and `planned` [1] (the length that
// the position angles are for), and `layers.<index>.<name>` with the state of each layer at the end
// of what is saved. Checkpoints are not saved: the next prompt usually continues from the end; one
// that diverges earlier, in a model with layers that cannot be trimmed, is read again from the
// start and makes new ones. The metadata are `format` "llm-host-cache", `version`, `model_hash` and
// `checksum`.
namespace llm_host {

inline constexpr char kCacheVersion[] = "2";

// Writes the first `length` tokens, which `sequence` must be able to go back to. Replaces the file
// as a whole or not at all. Throws CACHE.
SavedCache write_cache(const Sequence& sequence, int length, const CacheTarget& target);

// Throws CACHE if the file does not fit the model, MODEL_BROKEN if it cannot be read.
Sequence read_cache(const CacheFile& file, const Model& model, const CacheOptions& options);

}  // namespace llm_host
