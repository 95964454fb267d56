#include "engine/distributed/group_progress.h"

#include <mutex>

namespace llm_host {
namespace {

std::mutex group_mutex;
GroupProgress group_sums;

}  // namespace

GroupProgress group_progress() {
  std::lock_guard lock(group_mutex);
  return group_sums;
}

SumUnderWay::SumUnderWay(size_t bytes) {
  std::lock_guard lock(group_mutex);
  ++group_sums.begun;
  group_sums.bytes = static_cast<int64_t>(bytes);
  group_sums.waits = true;
}

SumUnderWay::~SumUnderWay() {
  std::lock_guard lock(group_mutex);
  group_sums.waits = false;
}

}  // namespace llm_host
