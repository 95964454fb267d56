#include "engine/generate/step_meter.h"

#include <ctime>

#include "engine/generate/launches.h"

namespace llm_host {
namespace {

double thread_microseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

}  // namespace

void StepMeter::start() {
  if (!on_) return;
  running_ = true;
  // Steps are alike, but for a few operations more when a cache grows. The second counts: it also
  // computes states that the one before left for it.
  if (stats_.build_us.size() < 2) groups_.emplace();
  since_ = thread_microseconds();
}

void StepMeter::built(const std::vector<mx::array>& outputs) {
  if (!running_) return;
  stats_.build_us.push_back(static_cast<float>(thread_microseconds() - since_));
  if (groups_) {
    StepGraph graph = inspect(outputs, *groups_);
    stats_.primitives = graph.primitives;
    stats_.launches = std::move(graph.launches);
    groups_.reset();
  }
  since_ = thread_microseconds();
}

void StepMeter::submitted() {
  if (!running_) return;
  stats_.submit_us.push_back(static_cast<float>(thread_microseconds() - since_));
  running_ = false;
}

std::optional<GraphStats> StepMeter::stats() const {
  if (!on_) return std::nullopt;
  return stats_;
}

}  // namespace llm_host
