#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace llm_host {

// Length of the longest common prefix of the cached tokens and a prompt, without the prompt's last
// token: that one must be computed, for its logits.
inline int reusable_prefix(std::span<const int32_t> cached, std::span<const int32_t> prompt) {
  if (prompt.empty()) return 0;
  size_t limit = std::min(cached.size(), prompt.size() - 1);
  size_t n = 0;
  while (n < limit && cached[n] == prompt[n]) ++n;
  return static_cast<int>(n);
}

}  // namespace llm_host
