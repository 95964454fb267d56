#include "layers/cache/kv_cache.h"

#include <memory>
#include <tuple>

#include "check.h"
#include "common/error.h"
#include "layers/cache/model_cache.h"
#include "layers/cache/quantized_kv_cache.h"

namespace llm_host::kv_cache_test {

static const check::Suite suite("kv_cache", [] {
  mx::set_default_device(mx::Device::cpu);
  mx::set_compile_mode(mx::CompileMode::disabled);
});

namespace {

constexpr int kHeads = 2, kDim = 4;

// Keys whose every value is the position.
mx::array positions(int from, int count) {
  mx::array column = mx::reshape(mx::arange(from, from + count, mx::float32), {1, 1, count, 1});
  return mx::contiguous(mx::broadcast_to(column, {1, kHeads, count, kDim}));
}

// Whether `keys` are those of the positions before `end`, as many as there are.
bool end_at(const mx::array& keys, int end) {
  int count = keys.shape(2);
  return mx::array_equal(keys, positions(end - count, count)).item<bool>();
}

bool holds(const mx::array& keys, int expected) {
  return keys.shape(2) == expected && end_at(keys, expected);
}

bool refuses(LayerCache& cache, const LayerState& state) {
  return check::throws<std::invalid_argument>([&] { cache.restore(state); },
                                              [](const std::invalid_argument&) { return true; });
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
  CHECK(!cache.can_trim(50) && !cache.can_trim(-1));
  cache.trim(0);
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
    auto [keys, values, slot, position] = *cache.extend(count);
    CHECK(slot == position && slot == cache.length() - count);
    mx::eval(keys, values);
    CHECK(keys.data<float>() != values.data<float>());
    CHECK(keys.flags().row_contiguous && values.flags().row_contiguous);
  }
  CHECK(cache.length() == 310);
}

TEST(a_rotating_cache_gives_what_the_window_sees) {
  constexpr int kWindow = 20;
  RotatingKvCache cache(kHeads, kDim, kWindow, 100000, mx::float32);
  int length = 0;
  for (int round = 0; round < 40; ++round) {
    for (int count : {1, 7, 30, 1, 1, 19, 20, 21}) {
      auto [keys, values] =
          cache.append(positions(length, count), mx::negative(positions(length, count)));
      length += count;
      CHECK(cache.length() == length);
      CHECK(keys.shape(2) == std::min(length, kWindow - 1 + count));
      CHECK(end_at(keys, length) && end_at(mx::negative(values), length));
      CHECK(cache.capacity() <= kWindow - 1 + KvCache::kBlock);
    }
  }
}

TEST(another_layer_reads_what_was_added) {
  constexpr int kWindow = 20;
  RotatingKvCache window(kHeads, kDim, kWindow, 100000, mx::float32);
  KvCache whole(kHeads, kDim, 100000, mx::float32);
  int length = 0;
  for (int count : {1, 30, 7, 300, 1, 21}) {
    for (KvCache* cache : {static_cast<KvCache*>(&window), &whole}) {
      auto added = cache->append(positions(length, count), mx::negative(positions(length, count)));
      auto again = cache->newest(count);
      CHECK(mx::array_equal(added.keys, again.keys).item<bool>());
      CHECK(mx::array_equal(added.values, again.values).item<bool>());
      auto buffers = *cache->newest_buffers(count);
      CHECK(buffers.position == length && buffers.keys.shape(2) == cache->capacity());
      mx::array slots =
          mx::slice(buffers.keys, {0, 0, buffers.slot, 0}, {1, kHeads, buffers.slot + count, kDim});
      CHECK(end_at(slots, length + count));
    }
    length += count;
  }
}

TEST(a_rotating_cache_grows_for_a_large_chunk_and_shrinks_again) {
  RotatingKvCache cache(kHeads, kDim, 8, 100000, mx::float32);
  cache.append(positions(0, 1000), positions(0, 1000));
  CHECK(cache.capacity() == 1007);
  for (int at = 1000; at < 1300; ++at) cache.append(positions(at, 1), positions(at, 1));
  CHECK(cache.capacity() == 7 + KvCache::kBlock);
}

TEST(a_rotating_cache_rotates_buffers_that_kernels_write_into) {
  RotatingKvCache cache(1, kDim, 10, 100000, mx::float32);
  for (int at = 0; at < 3000; ++at) {
    auto [keys, values, slot, position] = *cache.extend(1);
    mx::eval(keys, values);
    CHECK(position == at && keys.data<float>() != values.data<float>());
    for (mx::array* buffer : {&keys, &values}) {
      std::fill_n(const_cast<float*>(buffer->data<float>()) + slot * kDim, kDim, float(at));
      for (int back = 0; back < std::min(at + 1, 10); ++back) {
        CHECK(buffer->data<float>()[(slot - back) * kDim] == float(at - back));
      }
    }
  }
}

TEST(a_rotating_cache_goes_back_while_it_holds_enough) {
  constexpr int kWindow = 10;
  RotatingKvCache cache(kHeads, kDim, kWindow, 10000, mx::float32);
  cache.append(positions(0, 200), positions(0, 200));
  CHECK(!cache.always_trimmable() && cache.can_trim(3) && !cache.can_trim(201));
  for (int at = 200; at < 500; ++at) cache.append(positions(at, 1), positions(at, 1));
  CHECK(cache.can_trim(0) && !cache.can_trim(3) && cache.can_trim(495));
  CHECK(check::throws<std::logic_error>([&] { cache.trim(3); },
                                        [](const std::logic_error&) { return true; }));
  cache.trim(495);
  CHECK(end_at(cache.append(positions(495, 4), positions(495, 4)).keys, 499));
  cache.trim(0);
  CHECK(holds(cache.append(positions(0, 5), positions(0, 5)).keys, 5));
}

TEST(what_was_added_of_late_can_be_taken_back_wherever_a_rotating_cache_makes_room) {
  constexpr int kWindow = 10, kProposed = 15;
  for (int chunk : {1, 200, 256, 300}) {
    RotatingKvCache cache(kHeads, kDim, kWindow, 10000, mx::float32);
    int length = 0;
    auto add = [&](int count) {
      cache.append(positions(length, count), positions(length, count));
      length += count;
    };
    add(chunk);
    while (length < 900) {
      // Proposed one after the other, behind a token of the text; all but that one were wrong.
      add(1);
      int text = length;
      for (int i = 1; i < kProposed; ++i) add(1);
      CHECK(cache.can_trim(text));
      cache.trim(text);
      length = text;
    }
    CHECK(cache.capacity() <= kWindow - 1 + KvCache::kBlock);
    CHECK(end_at(cache.append(positions(length, 4), positions(length, 4)).keys, length + 4));
  }
}

TEST(a_cache_goes_on_from_a_state) {
  for (int window : {0, 6}) {
    auto make = [=]() -> std::unique_ptr<KvCache> {
      if (window == 0) return std::make_unique<KvCache>(kHeads, kDim, 900, mx::float32);
      return std::make_unique<RotatingKvCache>(kHeads, kDim, window, 900, mx::float32);
    };
    auto cache = make();
    cache->append(positions(0, 300), positions(0, 300));
    LayerState state = cache->state();
    CHECK(state.length == 300 && state.arrays.at("keys").shape(2) == (window ? window - 1 : 300));
    auto other = make();
    other->restore(state);
    for (KvCache* each : {cache.get(), other.get()}) {
      auto [keys, values] = each->append(positions(300, 3), positions(300, 3));
      CHECK(each->length() == 303);
      CHECK(end_at(keys, 303) && end_at(values, 303));
      CHECK(keys.shape(2) == (window ? window + 2 : 303));
    }
    // A kernel's writes must not reach the state.
    other->restore(state);
    mx::array keys = other->extend(1)->keys;
    mx::eval(keys, state.arrays.at("keys"));
    CHECK(keys.data<float>() != state.arrays.at("keys").data<float>());
  }
}

TEST(a_state_that_does_not_fit_is_refused) {
  KvCache cache(kHeads, kDim, 100, mx::float32);
  cache.append(positions(0, 4), positions(0, 4));
  mx::array five = positions(0, 5);
  CHECK(refuses(cache, {5, {{"keys", five}}}));
  CHECK(refuses(cache, {6, {{"keys", five}, {"values", five}}}));
  CHECK(refuses(cache, {-1, {}}));
  CHECK(refuses(cache, {3, {}}));
  mx::array long_one = positions(0, 101), half = mx::astype(five, mx::float16);
  CHECK(refuses(cache, {101, {{"keys", long_one}, {"values", long_one}}}));
  CHECK(refuses(cache, {5, {{"keys", half}, {"values", half}}}));
  mx::array flat = mx::flatten(five);
  CHECK(refuses(cache, {5, {{"keys", flat}, {"values", flat}}}));
  CHECK(cache.length() == 4);
  RotatingKvCache rotating(kHeads, kDim, 10, 100, mx::float32);
  CHECK(refuses(rotating, {50, {{"keys", five}, {"values", five}}}));
  StateCache small;
  CHECK(refuses(small, {3, {}}));
}

// Random numbers as attention computes them.
mx::array noise(int count, int dim, uint64_t seed) {
  return mx::random::normal({1, kHeads, count, dim}, mx::float32, 0, 1, mx::random::key(seed));
}

float greatest_difference(const mx::array& a, const mx::array& b) {
  return mx::max(mx::abs(mx::subtract(a, b))).item<float>();
}

TEST(a_quantized_cache_gives_nearly_what_it_was_given) {
  for (auto [dim, bits, tolerance] : {std::tuple{32, 8, 0.03f}, {64, 8, 0.03f}, {64, 4, 0.4f}}) {
    QuantizedKvCache cache(kHeads, dim, bits, 900, mx::float32);
    mx::array all = noise(700, dim, 1);
    int length = 0;
    for (int count : {1, 299, 1, 399}) {
      mx::array rows = mx::slice(all, {0, 0, length, 0}, {1, kHeads, length + count, dim});
      auto [keys, values] = cache.append(rows, mx::negative(rows));
      length += count;
      mx::array seen = mx::slice(all, {0, 0, 0, 0}, {1, kHeads, length, dim});
      CHECK(cache.length() == length && keys.shape() == seen.shape());
      CHECK(greatest_difference(keys, seen) < tolerance);
      CHECK(greatest_difference(mx::negative(values), seen) < tolerance);
    }
    CHECK(cache.always_trimmable() && !cache.extend(1));
    cache.trim(5);
    mx::array more = noise(3, dim, 2);
    mx::array expected =
        mx::concatenate({mx::slice(all, {0, 0, 0, 0}, {1, kHeads, 5, dim}), more}, 2);
    CHECK(greatest_difference(cache.append(more, more).keys, expected) < tolerance);
    QuantizedKvCache other(kHeads, dim, bits, 900, mx::float32);
    other.restore(cache.state());
    mx::array one = noise(1, dim, 3);
    CHECK(
        mx::array_equal(cache.append(one, one).values, other.append(one, one).values).item<bool>());
  }
}

TEST(a_quantized_cache_refuses_what_does_not_fit) {
  CHECK(QuantizedKvCache::group_size(128) == 64 && QuantizedKvCache::group_size(96) == 32);
  CHECK(QuantizedKvCache::group_size(80) == 0);
  ModelCache model({.max_positions = 100, .kv_bits = 4});
  CHECK_ERROR(kUsage, "heads of 80 values", model.add_attention({2, 80, 0, mx::float32}));
  QuantizedKvCache four(kHeads, 64, 4, 100, mx::float32), eight(kHeads, 64, 8, 100, mx::float32);
  four.append(noise(9, 64, 1), noise(9, 64, 2));
  CHECK(refuses(eight, four.state()));
  LayerState plain{9, {{"keys", noise(9, 64, 1)}, {"values", noise(9, 64, 1)}}};
  CHECK(refuses(four, plain) && four.length() == 9);
  CHECK(check::throws<std::length_error>([&] { four.append(noise(92, 64, 1), noise(92, 64, 1)); },
                                         [](const std::length_error&) { return true; }));
}

TEST(kv_bits_leave_windows_and_states_as_they_are) {
  ModelCache cache({.max_positions = 1000, .kv_bits = 8});
  cache.add_attention({kHeads, 32, 10, mx::float32});
  cache.add_attention({kHeads, 32, 0, mx::float32});
  CHECK(cache.attention(0).extend(1) && !cache.attention(1).extend(1));
}

TEST(a_state_cache_keeps_arrays_and_goes_back_only_to_nothing) {
  StateCache cache;
  CHECK(!cache.get("conv"));
  cache.set("conv", positions(0, 2));
  cache.advance(5);
  LayerState state = cache.state();
  cache.set("conv", positions(3, 2));
  cache.advance(1);
  CHECK(cache.length() == 6 && !cache.can_trim(5) && cache.can_trim(6));
  cache.restore(state);
  CHECK(cache.length() == 5 && mx::array_equal(*cache.get("conv"), positions(0, 2)).item<bool>());
  cache.trim(0);
  CHECK(cache.length() == 0 && !cache.get("conv"));
}

TEST(a_model_cache_has_a_cache_for_each_layer) {
  ModelCache cache({.max_positions = 1000});
  cache.add_attention({kHeads, kDim, 0, mx::float32});
  cache.add_attention({kHeads, kDim, 4, mx::float32});
  cache.add_attention({kHeads, kDim, 0, mx::float32});
  for (size_t i = 0; i < 3; ++i) cache.attention(i).append(positions(0, 8), positions(0, 8));
  cache.trim(5);
  CHECK(cache.length() == 5 && cache.attention(2).length() == 5);
  CHECK(cache.arrays().size() == 6);
  cache.add_state();
  cache.state(3).set("ssm", positions(0, 1));
  cache.state(3).advance(5);
  CHECK(!cache.can_trim(4) && cache.can_trim(5) && cache.can_trim(0));
  CHECK(check::throws<std::logic_error>([&] { cache.attention(3); },
                                        [](const std::logic_error&) { return true; }));
}

}  // namespace llm_host::kv_cache_test
