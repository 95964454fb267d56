#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <variant>

#include "common/error.h"
#include "engine/cache/saved_cache.h"
#include "engine/device/device_probe.h"
#include "engine/job/encode_job.h"
#include "engine/job/job.h"
#include "models/model_info.h"
#include "weights/load_spec.h"

// Commands for the model thread. Every callback is called on that thread and must not
// block.
namespace llm_host {

class Session;

struct LoadResult {
  int64_t model = 0;
  ModelInfo info;
  bool encodes = false;  // texts into vectors; else it generates
  std::optional<Error> error;
};
struct LoadHandlers {
  std::function<void(uint64_t done_bytes, uint64_t total_bytes)> on_progress;
  std::function<void(LoadResult)> on_done;  // exactly once
};
struct LoadCommand {
  LoadSpec spec;
  LoadHandlers handlers;
};

struct GenerateCommand {
  std::shared_ptr<Job> job;
};

struct EncodeCommand {
  std::shared_ptr<EncodeJob> job;
};

struct CacheResult {
  SavedCache saved;
  std::optional<Error> error;
};
using CacheHandler = std::function<void(CacheResult)>;  // exactly once
// Saving or loading a KV cache.
struct CacheCommand {
  int64_t model;
  std::function<SavedCache(Session&)> body;
  const char* doing;  // for messages
  CacheHandler on_done;
  bool when_idle = false;  // not until the model has nothing else to do
};

struct ProbeResult {
  DeviceReport report;
  std::optional<Error> error;
};
using ProbeHandler = std::function<void(ProbeResult)>;  // exactly once
struct ProbeCommand {
  ProbeHandler on_done;
};

struct CloseCommand {
  int64_t model;
  std::function<void()> on_done;
};

using Command = std::variant<LoadCommand, GenerateCommand, EncodeCommand, CacheCommand,
                             ProbeCommand, CloseCommand>;

}  // namespace llm_host
