#include "engine/device/device_failures.h"

#include <mutex>
#include <optional>

namespace llm_host {
namespace {

std::mutex failures_mutex;
uint64_t failures = 0;
std::optional<Error> last_failure;

}  // namespace

uint64_t DeviceFailures::told() {
  std::lock_guard lock(failures_mutex);
  return failures;
}

void DeviceFailures::note(const Error& error) {
  std::lock_guard lock(failures_mutex);
  ++failures;
  last_failure = error;
}

void DeviceFailures::check(uint64_t before) {
  std::lock_guard lock(failures_mutex);
  if (failures != before) throw Error(*last_failure);
}

}  // namespace llm_host
