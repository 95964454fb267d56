#include "engine/cache/checksum.h"

#include <array>
#include <bit>
#include <cstring>

namespace llm_host {
namespace {

constexpr uint64_t kOdd1 = 0x9e3779b97f4a7c15, kOdd2 = 0xc2b2ae3d27d4eb4f;

// For each `sum` one to one in `word`, so no change of one word is lost.
uint64_t mixed(uint64_t sum, uint64_t word) {
  return std::rotl(sum ^ (word * kOdd1), 29) * kOdd2 + kOdd1;
}

uint64_t spread(uint64_t sum) {
  sum = (sum ^ (sum >> 32)) * kOdd1;
  return (sum ^ (sum >> 29)) * kOdd2;
}

}  // namespace

uint64_t checksum(const void* data, size_t size, uint64_t seed) {
  constexpr size_t kLanes = 4;
  const auto* at = static_cast<const uint8_t*>(data);
  std::array<uint64_t, kLanes> lanes{seed, seed + kOdd1, seed + kOdd2, ~seed};
  std::array<uint64_t, kLanes> words{};
  size_t left = size;
  // Lanes of their own, so that no multiplication waits for the one before.
  for (; left >= sizeof(words); left -= sizeof(words), at += sizeof(words)) {
    std::memcpy(words.data(), at, sizeof(words));
    for (size_t i = 0; i < kLanes; ++i) lanes[i] = mixed(lanes[i], words[i]);
  }
  words = {};
  if (left > 0) std::memcpy(words.data(), at, left);
  uint64_t sum = seed + size;
  for (size_t i = 0; i < kLanes; ++i) sum = mixed(sum, mixed(lanes[i], words[i]));
  return spread(sum);
}

uint64_t checksum(const std::string& name, const mx::array& tensor) {
  uint64_t sum = checksum(name.data(), name.size(), static_cast<uint64_t>(tensor.dtype().val()));
  sum = checksum(tensor.shape().data(), tensor.ndim() * sizeof(tensor.shape()[0]), sum);
  return checksum(tensor.data<uint8_t>(), tensor.nbytes(), sum);
}

}  // namespace llm_host
