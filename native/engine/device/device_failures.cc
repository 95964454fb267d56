#include "engine/device/device_failures.h"

#include <mutex>
#include <optional>

namespace llm_host {
namespace {

std::mutex mutex;
uint64_t count = 0;
std::optional<Error> last;

}  // namespace

uint64_t DeviceFailures::told() {
  std::lock_guard lock(mutex);
  return count;
}

void DeviceFailures::note(const Error& error) {
  std::lock_guard lock(mutex);
  ++count;
  last = error;
}

void DeviceFailures::check(uint64_t before) {
  std::lock_guard lock(mutex);
  if (count != before) throw Error(*last);
}

}  // namespace llm_host
