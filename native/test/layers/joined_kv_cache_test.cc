// The caches of a GPU, which keep keys and values in one buffer.
#include <cstdlib>
#include <memory>

#include "check.h"
#include "engine/runtime.h"
#include "layers/cache/kv_cache.h"

namespace llm_host::joined_kv_cache_test {

static const check::Suite suite("joined_kv_cache", [] {
  setenv("LLM_HOST_DEVICE_POLICY", "gpu", 1);
  mx::set_default_device(mx::Device::cpu);
  init_runtime();
});

namespace {

constexpr int kHeads = 2, kDim = 4, kMost = 900, kWindow = 6;

// Keys whose every value is the position, each head with a sign of its own.
mx::array keys_of(int from, int count) {
  mx::array column = mx::reshape(mx::arange(from, from + count, mx::float32), {1, 1, count, 1});
  mx::array signs = mx::reshape(mx::array({1.0f, -1.0f}), {1, kHeads, 1, 1});
  return mx::contiguous(mx::broadcast_to(mx::multiply(column, signs), {1, kHeads, count, kDim}));
}
mx::array values_of(int from, int count) { return mx::add(keys_of(from, count), mx::array(0.5f)); }

// Whether these are of the `count` positions before `end`.
bool are(const mx::array& keys, const mx::array& values, int end, int count) {
  return mx::array_equal(keys, keys_of(end - count, count)).item<bool>() &&
         mx::array_equal(values, values_of(end - count, count)).item<bool>();
}

std::unique_ptr<KvCache> make(int window) {
  if (window == 0) return std::make_unique<KvCache>(kHeads, kDim, kMost, mx::float32);
  return std::make_unique<RotatingKvCache>(kHeads, kDim, window, kMost, mx::float32);
}

AttentionCache::View append_one(KvCache& cache, int at) {
  return cache.append_joined(mx::concatenate({keys_of(at, 1), values_of(at, 1)}, 1)).value();
}

}  // namespace

TEST(tokens_follow_a_prompt_beyond_every_growth) {
  for (int window : {0, kWindow}) {
    auto cache = make(window);
    CHECK(cache->joined() && cache->capacity() == 0);
    auto prompt = cache->append(keys_of(0, 250), values_of(0, 250));
    CHECK(are(prompt.keys, prompt.values, 250, 250));
    for (int at = 250; at < 600; ++at) {
      auto view = append_one(*cache, at);
      CHECK(cache->length() == at + 1);
      CHECK(are(view.keys, view.values, at + 1, window == 0 ? at + 1 : window));
    }
    auto more = cache->append(keys_of(600, 20), values_of(600, 20));
    CHECK(are(more.keys, more.values, 620, window == 0 ? 620 : window - 1 + 20));
  }
}

TEST(goes_back_and_on_from_a_state_without_changing_it) {
  for (int window : {0, kWindow}) {
    auto cache = make(window), other = make(window);
    cache->append(keys_of(0, 300), values_of(0, 300));
    LayerState state = cache->state();
    int kept = window == 0 ? 300 : window - 1;
    other->restore(state);
    for (KvCache* each : {cache.get(), other.get()}) {
      auto view = append_one(*each, 300);
      CHECK(are(view.keys, view.values, 301, window == 0 ? 301 : window));
    }
    CHECK(are(state.arrays.at("keys"), state.arrays.at("values"), 300, kept));
  }
}

TEST(trimmed_positions_are_overwritten) {
  auto cache = make(0);
  cache->append(keys_of(0, 10), values_of(0, 10));
  cache->append(keys_of(700, 5), values_of(700, 5));
  cache->trim(10);
  auto view = append_one(*cache, 10);
  CHECK(are(view.keys, view.values, 11, 11));
}

TEST(takes_the_memory_that_two_buffers_would_and_gives_kernels_none) {
  auto cache = make(0);
  CHECK(cache->bytes() == 0);
  CHECK(!cache->extend(1) && cache->length() == 0);
  uint64_t after = cache->bytes_after(1);
  append_one(*cache, 0);
  CHECK(cache->bytes() == after);
  CHECK(after == 2 * KvCache::kBlock * kHeads * kDim * sizeof(float));
}

}  // namespace llm_host::joined_kv_cache_test
