#include "engine/distributed/group_progress.h"

#include <mutex>

namespace llm_host {
namespace {

std::mutex mutex;
GroupProgress progress;

}  // namespace

GroupProgress group_progress() {
  std::lock_guard lock(mutex);
  return progress;
}

SumUnderWay::SumUnderWay(size_t bytes) {
  std::lock_guard lock(mutex);
  ++progress.begun;
  progress.bytes = static_cast<int64_t>(bytes);
  progress.waits = true;
}

SumUnderWay::~SumUnderWay() {
  std::lock_guard lock(mutex);
  progress.waits = false;
}

}  // namespace llm_host
