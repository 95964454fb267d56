#include "layers/kv_cache.h"

#include "check.h"

using namespace llm_host;

namespace {

constexpr int kHeads = 2, kDim = 4;

// Keys whose every value is the position.
mx::array positions(int from, int count) {
  mx::array column = mx::reshape(mx::arange(from, from + count, mx::float32), {1, 1, count, 1});
  return mx::contiguous(mx::broadcast_to(column, {1, kHeads, count, kDim}));
}

bool holds(const mx::array& keys, int expected) {
  if (keys.shape(2) != expected) return false;
  return mx::array_equal(keys, positions(0, expected)).item<bool>();
}

}  // namespace

TEST(appends_and_grows_by_blocks) {
  KvCache cache(kHeads, kDim, 2000, mx::float32);
  CHECK(cache.capacity() == 0);
  int length = 0;
  for (int count : {1, 200, 55, 1, 300, 400}) {
    auto [keys, values] =
        cache.append(positions(length, count), mx::negative(positions(length, count)));
    length += count;
    CHECK(cache.length() == length);
    CHECK(cache.capacity() >= length && cache.capacity() % KvCache::kBlock == 0);
    CHECK(holds(keys, length));
    CHECK(holds(mx::negative(values), length));
  }
}

TEST(trimmed_positions_are_overwritten) {
  KvCache cache(kHeads, kDim, 100, mx::float32);
  cache.append(positions(0, 10), positions(0, 10));
  cache.append(mx::full({1, kHeads, 5, kDim}, 99.0f), mx::full({1, kHeads, 5, kDim}, 99.0f));
  cache.trim(10);
  CHECK(cache.length() == 10);
  auto [keys, values] = cache.append(positions(10, 7), positions(10, 7));
  CHECK(holds(keys, 17));
  cache.trim(50);
  CHECK(cache.length() == 17);
  cache.trim(-1);
  CHECK(cache.length() == 0);
}

TEST(capacity_never_passes_the_context) {
  KvCache cache(kHeads, kDim, 300, mx::float32);
  cache.append(positions(0, 300), positions(0, 300));
  CHECK(cache.capacity() == 300);
  CHECK(check::throws<std::length_error>([&] { cache.append(positions(0, 1), positions(0, 1)); },
                                         [](const std::length_error&) { return true; }));
}

TEST(keys_and_values_never_share_a_buffer) {
  // Kernels write into both in place.
  KvCache cache(kHeads, kDim, 1000, mx::float32);
  for (int count : {10, 300}) {
    auto [keys, values] = cache.extend(count);
    mx::eval(keys, values);
    CHECK(keys.data<float>() != values.data<float>());
    CHECK(keys.flags().row_contiguous && values.flags().row_contiguous);
  }
  CHECK(cache.length() == 310);
}

TEST(a_model_cache_trims_every_layer) {
  ModelCache cache(std::vector<KvCache>(3, KvCache(kHeads, kDim, 100, mx::float32)));
  for (size_t i = 0; i < 3; ++i) cache.layer(i).append(positions(0, 8), positions(0, 8));
  cache.trim(5);
  CHECK(cache.length() == 5);
  CHECK(cache.layer(2).length() == 5);
}

int main() {
  mx::set_default_device(mx::Device::cpu);
  mx::set_compile_mode(mx::CompileMode::disabled);
  return check::run("kv_cache");
}
