#pragma once

#include <string>

#include "engine/cache/saved_cache.h"
#include "engine/cache/sequence.h"
#include "models/model.h"

// A sequence as a safetensors file: int32 tensors `ids` [tokens] and `planned` [1] (the length that
// the position angles are for), and `layers.<index>.<name>` with the state of each layer at the end
// of the sequence. Checkpoints are not saved: the next prompt usually continues from the end; one
// that diverges earlier, in a model with layers that cannot be trimmed, is read again from the
// start and makes new ones. The metadata are `format` "llm-host-cache", `version` and `model_hash`.
namespace llm_host {

inline constexpr char kCacheVersion[] = "1";

// Replaces `path` as a whole or not at all. Throws CACHE.
SavedCache write_cache(const Sequence& sequence, const std::string& path,
                       const std::string& model_hash);

// Throws CACHE if the file does not fit the model, MODEL_BROKEN if it cannot be read.
Sequence read_cache(const CacheFile& file, const Model& model, const CacheOptions& options);

}  // namespace llm_host
