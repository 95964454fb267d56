#include "common/size_limits.h"

#include <string>

#include "common/error.h"

namespace llm_host {

int size_of(const Config& config, std::string_view key, int most) {
  const int size = config.integer(key);
  if (size <= most) return size;
  throw Error(kModelBroken, "config.json: " + config.path_of(key) + " must be at most " +
                                std::to_string(most) + ", got " + std::to_string(size));
}

int size_or(const Config& config, std::string_view key, int fallback, int most) {
  return config.has(key) ? size_of(config, key, most) : fallback;
}

}  // namespace llm_host
