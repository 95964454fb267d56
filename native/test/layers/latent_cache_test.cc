#include "layers/cache/latent_cache.h"

#include "check.h"
#include "common/error.h"
#include "layers/cache/model_cache.h"

namespace llm_host::latent_cache_test {

static const check::Suite suite("latent_cache", [] {
  mx::set_default_device(mx::Device::cpu);
  mx::set_compile_mode(mx::CompileMode::disabled);
});

namespace {

constexpr int kRotary = 2, kRank = 6, kColumns = kRotary + kRank;

// Rows whose every value is the position.
mx::array positions(int from, int count) {
  mx::array column = mx::reshape(mx::arange(from, from + count, mx::float32), {1, 1, count, 1});
  return mx::contiguous(mx::broadcast_to(column, {1, 1, count, kColumns}));
}

bool holds(const mx::array& rows, int length) {
  return rows.shape(2) == length && mx::array_equal(rows, positions(0, length)).item<bool>();
}

bool refuses(LayerCache& cache, const LayerState& state) {
  return check::throws<std::invalid_argument>([&] { cache.restore(state); },
                                              [](const std::invalid_argument&) { return true; });
}

LatentCache cache_of(int max_positions) {
  return LatentCache(kRotary, kRank, max_positions, mx::float32);
}

}  // namespace

TEST(appends_and_grows_by_blocks_up_to_the_context) {
  LatentCache cache = cache_of(700);
  CHECK(cache.bytes() == 0 && cache.always_trimmable());
  int length = 0;
  for (int count : {1, 200, 55, 1, 300}) {
    uint64_t foretold = cache.bytes_after(count);
    mx::array rows = cache.append(positions(length, count));
    length += count;
    CHECK(holds(rows, length) && cache.length() == length);
    CHECK(cache.bytes() == foretold);
  }
  cache.append(positions(length, 143));
  CHECK(cache.bytes() == 700 * kColumns * sizeof(float));
  CHECK(check::throws<std::length_error>([&] { cache.append(positions(0, 1)); },
                                         [](const std::length_error&) { return true; }));
  CHECK(cache.length() == 700);
}

TEST(a_kernel_writes_into_slots_that_count) {
  LatentCache cache = cache_of(600);
  for (int count : {3, 300, 1}) {
    auto [rows, slot] = cache.extend(count);
    mx::eval(rows);
    CHECK(slot == cache.length() - count && rows.shape(2) >= cache.length());
    CHECK(rows.flags().row_contiguous);
  }
}

TEST(goes_back_to_any_shorter_length) {
  LatentCache cache = cache_of(100);
  cache.append(positions(0, 10));
  cache.append(mx::full({1, 1, 5, kColumns}, 99.0f));
  CHECK(cache.can_trim(10) && !cache.can_trim(16) && !cache.can_trim(-1));
  cache.trim(10);
  CHECK(holds(cache.append(positions(10, 2)), 12));
  cache.trim(0);
  CHECK(cache.length() == 0 && holds(cache.append(positions(0, 4)), 4));
  CHECK(check::throws<std::logic_error>([&] { cache.trim(5); },
                                        [](const std::logic_error&) { return true; }));
}

TEST(goes_on_from_a_state_and_leaves_it_alone) {
  LatentCache cache = cache_of(900), other = cache_of(900);
  cache.append(positions(0, 300));
  LayerState state = cache.state(), shorter = cache.state_at(7);
  CHECK(state.length == 300 && shorter.arrays.at("latents").shape(2) == 7);
  other.restore(state);
  CHECK(holds(other.append(positions(300, 3)), 303));
  other.restore(shorter);
  CHECK(other.length() == 7);
  mx::array rows = other.extend(1).rows;
  mx::eval(rows, shorter.arrays.at("latents"));
  CHECK(rows.data<float>() != shorter.arrays.at("latents").data<float>());
  other.restore(LayerState{});
  CHECK(other.length() == 0 && other.state().arrays.empty());
}

TEST(a_state_that_does_not_fit_is_refused) {
  LatentCache cache = cache_of(100);
  cache.append(positions(0, 4));
  mx::array five = positions(0, 5);
  CHECK(refuses(cache, {6, {{"latents", five}}}));
  CHECK(refuses(cache, {5, {{"keys", five}}}));
  CHECK(refuses(cache, {5, {{"latents", five}, {"values", five}}}));
  CHECK(refuses(cache, {-1, {}}));
  CHECK(refuses(cache, {3, {}}));
  CHECK(refuses(cache, {0, {{"latents", five}}}));
  CHECK(refuses(cache, {101, {{"latents", positions(0, 101)}}}));
  CHECK(refuses(cache, {5, {{"latents", mx::astype(five, mx::float16)}}}));
  CHECK(refuses(cache, {5, {{"latents", mx::flatten(five)}}}));
  CHECK(cache.length() == 4);
}

TEST(a_model_cache_has_it_by_its_kind_and_does_not_quantize_it) {
  ModelCache cache({.max_positions = 50});
  cache.add_latent({kRotary, kRank, mx::float32});
  cache.latent(0).append(positions(0, 5));
  CHECK(cache.length() == 5 && !cache.is_state(0) && cache.always_trimmable());
  cache.trim(2);
  CHECK(cache.latent(0).length() == 2);
  CHECK(check::throws<std::logic_error>([&] { cache.attention(0); },
                                        [](const std::logic_error&) { return true; }));
  ModelCache quantized({.max_positions = 50, .kv_bits = 8});
  CHECK(check::throws<Error>(
      [&] { quantized.add_latent({kRotary, kRank, mx::float32}); },
      [](const Error& e) { return std::string(e.what()).find("kvBits") != std::string::npos; }));
}

}  // namespace llm_host::latent_cache_test
