#pragma once

#include <string>

#include "engine/saved_cache.h"
#include "engine/sequence.h"
#include "models/model.h"

// A sequence in a safetensors file: tensors `ids` [tokens] and `planned` [1], the length that
// position angles were chosen for, both int32, and `layers.<index>.<name>` for what each layer
// remembers at the sequence's end. Checkpoints are left out: the next prompt goes on from the end,
// and one that parts earlier, where a layer cannot be trimmed, is read again and makes new ones.
// The metadata say `format` "llm-host-cache", `version` and `model_hash`.
namespace llm_host {

inline constexpr char kCacheVersion[] = "1";

// Through a file beside `path`, which takes its place at the end. Throws CACHE.
SavedCache write_cache(const Sequence& sequence, const std::string& path,
                       const std::string& model_hash);

// Throws CACHE if the file does not fit the model, MODEL_BROKEN if it cannot be read.
Sequence read_cache(const CacheFile& file, const Model& model, const CacheOptions& options);

}  // namespace llm_host
