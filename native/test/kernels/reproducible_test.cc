// Each row of a result has the same bits as alone, whatever is computed beside it.
#include "kernels/base/reproducible.h"

#include <cstring>
#include <random>
#include <vector>

#include "check.h"
#include "kernels/attention/attention.h"
#include "kernels/packed_expert_ops.h"
#include "packed_part.h"

namespace llm_host::reproducible_test {

static const check::Suite suite("reproducible", [] {
  mx::set_default_device(mx::Device::cpu);
  mx::set_compile_mode(mx::CompileMode::disabled);
});
namespace mx = mlx::core;

namespace {

std::mt19937 random_bits(3);

int random_int(int least, int most) {
  return std::uniform_int_distribution<int>(least, most)(random_bits);
}

std::vector<float> floats(const mx::array& array) {
  mx::array values = mx::contiguous(array);
  values.eval();
  return {values.data<float>(), values.data<float>() + values.size()};
}

// Positions [begin, end) of x [1, L, N].
mx::array part_of(const mx::array& x, int begin, int end) {
  mx::array part = mx::contiguous(mx::slice(x, {0, begin, 0}, {1, end, x.shape(2)}));
  part.eval();
  return part;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), 4 * a.size()) == 0;
}

// Computes f(x, begin, end) for all rows of x at once, in random chunks, and row by row.
template <typename F>
bool rows_are_independent(int length, F&& f) {
  cpu::ReproducibleScope scope(true);
  auto in_chunks = [&](int most) {
    std::vector<float> all;
    for (int begin = 0; begin < length;) {
      int end = std::min(length, begin + random_int(1, most));
      std::vector<float> some = floats(f(begin, end));
      all.insert(all.end(), some.begin(), some.end());
      begin = end;
    }
    return all;
  };
  std::vector<float> whole = floats(f(0, length));
  return same_bits(whole, in_chunks(1)) && same_bits(whole, in_chunks(length));
}

void check_packed(const Storage& storage, int length) {
  WeightArena arena;
  int groups = random_int(1, 5),
      cols = storage.group == 0 ? 2 * random_int(1, 90) : storage.group * groups;
  if (storage.mode != nullptr) cols *= 2;  // MLX quantizes no odd number of nvfp4's groups.
  std::vector<RandomPart> parts;
  for (int i = random_int(1, 3); i > 0; --i) {
    parts.emplace_back(arena, random_int(1, 120), cols, storage, i % 2 == 0,
                       random_int(0, 1) * random_int(1, 9));
  }
  std::vector<cpu::PackedPart> views;
  int rows = 0;
  for (const RandomPart& part : parts) {
    views.push_back(part.view());
    rows += part.rows();
  }
  mx::array x = random_array({1, length, cols}), residual = random_array({1, length, rows});
  mx::array norm = random_array({cols});
  bool normalised = random_int(0, 1) == 1, added = random_int(0, 1) == 1;
  float fine_above = static_cast<float>(random_int(0, 4));
  bool same = rows_are_independent(length, [&](int begin, int end) {
    cpu::Operand operand(part_of(x, begin, end));
    if (normalised) operand.norm_weight = norm;
    operand.eps = 1e-5f;
    operand.fine_above = fine_above;
    return cpu::packed_linear(operand, views,
                              added ? std::optional(part_of(residual, begin, end)) : std::nullopt);
  });
  if (!same) {
    std::printf("  %d bits, group %d, %d rows, %d cols, m %d\n", storage.bits, storage.group, rows,
                cols, length);
  }
  CHECK(same);
}

void check_gated(const Storage& storage, int width, int length) {
  WeightArena arena;
  int cols = 4 * (storage.group == 0 ? 16 : storage.group);
  RandomPart gate(arena, width, cols, storage, false, 4), up(arena, width, cols, storage, true, 0);
  std::vector<cpu::PackedPart> views{gate.view(), up.view()};
  mx::array x = random_array({1, length, cols});
  for (cpu::Gate kind : {cpu::Gate::kSwiGlu, cpu::Gate::kGeGlu}) {
    CHECK(rows_are_independent(length, [&](int begin, int end) {
      return cpu::packed_gated(cpu::Operand(part_of(x, begin, end)), views, kind);
    }));
  }
}

// A matrix as MLX stores it; 0 bits: dense.
struct Stored {
  Stored(const mx::Shape& shape, int bits, int group) : weight(random_array(shape)), bits(bits) {
    if (bits != 0) {
      std::vector<mx::array> parts = mx::quantize(weight, group, bits);
      weight = parts[0];
      scales = parts[1];
      biases = parts[2];
      mx::eval(*scales, *biases);
    }
    weight.eval();
  }
  mx::array weight;
  std::optional<mx::array> scales, biases, none;
  int bits;
};

void check_linear(int bits, int group, int length) {
  int cols = bits == 0 ? random_int(1, 150) : group * random_int(1, 5), rows = random_int(1, 150);
  Stored w({rows, cols}, bits, group);
  std::optional<mx::array> down, up;
  if (random_int(0, 1) == 1) {
    down = random_array({5, cols});
    up = random_array({5, rows});
    mx::eval(*down, *up);
  }
  mx::array x = random_array({1, length, cols});
  bool same = rows_are_independent(length, [&](int begin, int end) {
    return cpu::linear(part_of(x, begin, end),
                       {w.weight, w.scales, w.biases, group, bits, down, up});
  });
  if (!same) std::printf("  %dx%d, %d bits, group %d, m %d\n", rows, cols, bits, group, length);
  CHECK(same);
}

void check_experts(int bits, int length) {
  constexpr int kExperts = 6, kHidden = 64, kMiddle = 96, kChosen = 2;
  Stored gate_up({kExperts, 2 * kMiddle, kHidden}, bits, 32);
  Stored down({kExperts, kHidden, kMiddle}, bits, 32);
  mx::array x = random_array({1, length, kHidden});
  mx::array weights = random_array({1, length, kChosen});
  std::vector<uint32_t> ids;
  for (int i = 0; i < length; ++i) {
    uint32_t first = static_cast<uint32_t>(random_int(0, kExperts - 1));
    ids.insert(ids.end(), {first, (first + 1) % kExperts});
  }
  CHECK(rows_are_independent(length, [&](int begin, int end) {
    mx::array chosen(ids.begin() + kChosen * begin, {1, end - begin, kChosen}, mx::uint32);
    return cpu::experts(part_of(x, begin, end), chosen, part_of(weights, begin, end),
                        {gate_up.weight, gate_up.scales, gate_up.biases, gate_up.none, 32, bits},
                        {down.weight, down.scales, down.biases, down.none, 32, bits}, {});
  }));
  if (bits == 0) return;
  WeightArena arena;
  auto pack = [&](const Stored& stack) {
    auto flat = [](const mx::array& a) {
      mx::array rows = mx::contiguous(mx::reshape(a, {-1, a.shape(-1)}));
      rows.eval();
      return rows;
    };
    return *cpu::Packed::pack(arena, flat(stack.weight), flat(*stack.scales), flat(*stack.biases),
                              32, bits);
  };
  cpu::Packed first = pack(gate_up), second = pack(down);
  CHECK(rows_are_independent(length, [&](int begin, int end) {
    mx::array chosen(ids.begin() + kChosen * begin, {1, end - begin, kChosen}, mx::uint32);
    return cpu::packed_experts(part_of(x, begin, end), chosen, part_of(weights, begin, end),
                               {first, gate_up.none, 2 * kMiddle}, {second, down.none, kHidden},
                               {});
  }));
}

struct AttentionCase {
  int length, heads, kv_heads, head_dim, window;
  bool sinks, float16;
  // The number of dropped tokens before slot 0, for tokens read in chunks: a window's cache drops
  // the past.
  int dropped;
};

// A prompt in one call, against its second half in chunks after the first half in one.
void check_attention(const AttentionCase& c) {
  int first = c.length / 2, width = c.heads * c.head_dim, kv_width = c.kv_heads * c.head_dim;
  mx::array q = random_array({1, c.length, width}), k = random_array({1, c.length, kv_width});
  mx::array v = random_array({1, c.length, kv_width}), sinks = random_array({c.heads});
  std::vector<float> frequencies;
  for (int i = 0; i < c.head_dim / 2; ++i) frequencies.push_back(1.0f / static_cast<float>(1 + i));
  mx::Dtype type = c.float16 ? mx::float16 : mx::float32;
  mx::array keys = mx::zeros({1, c.kv_heads, c.length, c.head_dim}, type);
  mx::array values = mx::zeros(keys.shape(), type);
  mx::eval(keys, values);
  auto attend = [&](const mx::array& in_keys, const mx::array& in_values, int begin, int end,
                    int dropped) {
    cpu::AttentionShape shape{c.heads,         c.kv_heads, c.head_dim,  c.window,
                              begin - dropped, begin,      end - begin, 0.2f};
    shape.allow_bfloat16 = true;
    return cpu::attention({part_of(q, begin, end), part_of(k, begin, end), part_of(v, begin, end)},
                          in_keys, in_values, shape, {frequencies, 1, false},
                          {c.sinks ? std::optional(sinks) : std::nullopt, std::nullopt});
  };
  cpu::ReproducibleScope scope(true);
  std::vector<float> whole = floats(attend(keys, values, 0, c.length, 0));
  auto kept = [&](const mx::array& cache) {
    mx::array slots = mx::slice(cache, {0, 0, c.dropped, 0}, cache.shape());
    mx::array copy = mx::add(slots, mx::zeros_like(slots));
    copy.eval();
    return copy;
  };
  mx::array some_keys = kept(keys), some_values = kept(values);
  whole.erase(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(first) * width);
  for (int most : {1, 3, c.length}) {
    std::vector<float> all;
    for (int begin = first; begin < c.length;) {
      int end = std::min(c.length, begin + random_int(1, most));
      std::vector<float> some = floats(attend(some_keys, some_values, begin, end, c.dropped));
      all.insert(all.end(), some.begin(), some.end());
      begin = end;
    }
    if (!same_bits(whole, all)) {
      std::printf("  length %d heads %d / %d of %d, window %d, dropped %d, chunks of %d\n",
                  c.length, c.heads, c.kv_heads, c.head_dim, c.window, c.dropped, most);
    }
    CHECK(same_bits(whole, all));
  }
}

// The next token of several sequences together, against each by itself.
void check_step(int rows, bool fused, bool float16, bool sinks, int window) {
  constexpr int kHeads = 6, kKvHeads = 2, kHeadDim = 16, kSlots = 300;
  constexpr int kWidth = kHeads * kHeadDim, kKvWidth = kKvHeads * kHeadDim;
  std::vector<int> widths = fused ? std::vector<int>{kWidth + 2 * kKvWidth}
                                  : std::vector<int>{kWidth, kKvWidth, kKvWidth};
  std::vector<mx::array> projected;
  for (int width : widths) {
    projected.push_back(random_array({1, rows, width}));
    projected.back().eval();
  }
  std::optional<mx::array> logits;
  if (sinks) logits = random_array({kHeads});
  std::vector<float> some{1, 0.5f, 0.1f}, others{0.7f, 0.2f};
  cpu::AttentionShape shape{kHeads, kKvHeads, kHeadDim, window, 0, 0, 1, 0.3f, true};
  auto filled = [&] {
    mx::array cache = random_array({1, kKvHeads, kSlots, kHeadDim});
    cache = mx::astype(cache, float16 ? mx::float16 : mx::float32);
    cache.eval();
    return cache;
  };
  cpu::ReproducibleScope scope(true);
  std::vector<cpu::AttentionRow> together;
  std::vector<float> alone;
  for (int i = 0; i < rows; ++i) {
    int slot = random_int(0, kSlots - 1), position = slot + random_int(0, 9);
    mx::array keys = filled(), values = filled();
    cpu::Rotation rotation{i % 3 == 0 ? others : some, 1, i % 2 == 0};
    auto copy = [](const mx::array& cache) {
      mx::array other = mx::add(cache, mx::zeros_like(cache));
      other.eval();
      return other;
    };
    together.push_back({copy(keys), copy(values), slot, position, rotation});
    std::vector<mx::array> own;
    for (const mx::array& part : projected) own.push_back(part_of(part, i, i + 1));
    cpu::AttentionShape one = shape;
    one.slot = slot;
    one.position = position;
    std::vector<float> y =
        floats(cpu::attention(own, keys, values, one, rotation, {logits, std::nullopt}));
    alone.insert(alone.end(), y.begin(), y.end());
  }
  CHECK(same_bits(alone,
                  floats(cpu::attention_step(projected, together, shape, {logits, std::nullopt}))));
}

}  // namespace

TEST(the_next_token_of_several_sequences) {
  for (int rows : {1, 2, 5, 16, 40}) {
    for (bool fused : {false, true}) {
      check_step(rows, fused, false, rows % 2 == 0, 0);
      check_step(rows, fused, true, rows % 2 == 1, 50);
    }
  }
}

TEST(packed_products) {
  for (const Storage& storage : storages()) {
    for (int i = 0; i < 4; ++i) check_packed(storage, random_int(1, 70));
  }
}

TEST(packed_gates) {
  for (const Storage& storage : {Storage{4, 32, mx::float16}, Storage{0, 0, mx::bfloat16},
                                 Storage{8, 256, mx::float16, "Q6_K"}}) {
    for (int width : {7, 32, 150}) check_gated(storage, width, random_int(2, 70));
    // More than one work item.
    check_gated(storage, 1600, 40);
  }
}

TEST(products_of_stored_matrices) {
  for (int i = 0; i < 12; ++i) {
    check_linear(0, 0, random_int(1, 70));
    for (int bits : {4, 8}) {
      for (int group : {32, 64, 128}) check_linear(bits, group, random_int(1, 70));
    }
  }
}

TEST(experts) {
  for (int bits : {0, 4, 8}) {
    for (int i = 0; i < 4; ++i) check_experts(bits, random_int(2, 70));
  }
}

TEST(attention_over_all_keys) {
  for (bool float16 : {false, true}) {
    for (int head_dim : {8, 16, 24, 64, 80, 128, 256}) {
      check_attention({random_int(2, 500), 4, 2, head_dim, 0, false, float16, 0});
      check_attention({random_int(2, 300), 6, 2, head_dim, 0, true, float16, 0});
    }
    check_attention({700, 9, 3, 64, 0, false, float16, 0});
  }
}

TEST(attention_in_a_window) {
  for (bool float16 : {false, true}) {
    for (int window : {1, 5, 100, 128, 200}) {
      int length = random_int(250, 600);
      check_attention({length, 4, 2, 64, window, window == 5, float16, 0});
      // The second half sees no more than its own window before it.
      int dropped = std::max(0, length / 2 - window - random_int(0, 10));
      check_attention({length, 3, 1, 16, window, false, float16, dropped});
    }
  }
}

}  // namespace llm_host::reproducible_test
