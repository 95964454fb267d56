#include <random>
#include <string>

#include "check.h"
#include "kernels/packed_expert_ops.h"

namespace llm_host::experts_test {

static const check::Suite suite("experts", [] {
  mx::set_default_device(mx::Device::cpu);
  mx::set_compile_mode(mx::CompileMode::disabled);
});

namespace mx = mlx::core;

namespace {

constexpr int kExperts = 5, kHidden = 64, kMiddle = 32;

mx::array random_array(const mx::Shape& shape, uint64_t seed) {
  return mx::random::normal(shape, mx::float32, mx::random::key(seed));
}

// One row, whose groups of 32 without fine bytes are in steps of 1/127 of their largest magnitude:
// see PackedInt8.
mx::array rounded_to_int8(const mx::array& x) {
  mx::array groups = mx::reshape(x, {-1, 32});
  mx::array most = mx::max(mx::abs(groups), 1, true);
  mx::array steps = mx::round(mx::multiply(groups, mx::divide(mx::array(127.0f), most)));
  mx::array rounded = mx::multiply(steps, mx::divide(most, mx::array(127.0f)));
  mx::array least = mx::multiply(mx::sqrt(mx::mean(mx::square(x))), mx::array(kFineAbove));
  return mx::reshape(mx::where(mx::greater(most, least), groups, rounded), x.shape());
}

// A matrix of each expert, stored and dense. Bits 16: bfloat16.
struct Stack {
  Stack(int out, int in, int bits, bool biased, uint64_t seed, const char* mode = "affine")
      : dense(random_array({kExperts, out, in}, seed)), weight(dense), bits(bits) {
    if (std::string(mode) != "affine") {
      std::vector<mx::array> parts = mx::quantize(dense, 32, bits, mode);
      weight = parts[0];
      scales = parts[1];
      mx::eval(weight, *scales);
      dense =
          mx::dequantize(weight, parts[1], std::nullopt, 32, bits, mode, std::nullopt, mx::float32);
    } else if (bits == 16) {
      weight = mx::astype(dense, mx::bfloat16);
      dense = mx::astype(weight, mx::float32);
    } else if (bits != 0) {
      std::vector<mx::array> parts = mx::quantize(dense, 32, bits);
      weight = parts[0];
      scales = parts[1];
      biases = parts[2];
      dense = mx::dequantize(weight, parts[1], parts[2], 32, bits);
    }
    if (biased) bias = random_array({kExperts, out}, seed + 1);
    mx::eval(dense, weight);
  }

  cpu::ExpertWeight view() const { return {weight, scales, biases, bias, 32, bits}; }
  cpu::Packed pack(WeightArena& arena) const {
    auto flat = [](const mx::array& a) {
      mx::array rows = mx::contiguous(mx::reshape(a, {-1, a.shape(-1)}));
      rows.eval();
      return rows;
    };
    auto each = [&](const std::optional<mx::array>& a) {
      return a ? std::optional(flat(*a)) : std::nullopt;
    };
    return *cpu::Packed::pack(arena, flat(weight), each(scales), each(biases), 32, bits);
  }
  // x [in] -> [out] by the expert `id`.
  mx::array apply(const mx::array& x, int id) const {
    mx::array y = mx::matmul(mx::take(dense, id, 0), x);
    return bias ? mx::add(y, mx::take(*bias, id, 0)) : y;
  }

  // Applies the expert to x as packed kernels round it: see PackedInt8.
  mx::array apply_packed(const mx::array& x, int id) const {
    return apply(bits == 0 || bits == 16 ? x : rounded_to_int8(x), id);
  }

  mx::array dense, weight;
  std::optional<mx::array> scales, biases, bias;
  int bits;
};

mx::array activated(const mx::array& gate_up, cpu::ExpertActivation activation) {
  std::vector<mx::array> parts = mx::split(gate_up, 2, 0);
  if (activation.limit == 0) {
    return mx::multiply(mx::multiply(parts[0], mx::sigmoid(parts[0])), parts[1]);
  }
  mx::array limit(activation.limit), one(1.0f);
  mx::array gate = mx::minimum(parts[0], limit);
  mx::array up = mx::add(mx::clip(parts[1], mx::negative(limit), limit), one);
  return mx::multiply(mx::multiply(gate, mx::sigmoid(mx::multiply(mx::array(1.702f), gate))), up);
}

void check_experts(int length, int per_token, int bits, bool biased,
                   cpu::ExpertActivation activation, const char* mode = "affine",
                   std::optional<uint32_t> elsewhere = std::nullopt) {
  Stack gate_up(2 * kMiddle, kHidden, bits, biased, 1, mode);
  Stack down(kHidden, kMiddle, bits, biased, 3, mode);
  mx::array x = random_array({1, length, kHidden}, 5);
  mx::array routing_weights = mx::abs(random_array({1, length, per_token}, 6));
  std::mt19937 bits_of(7);
  std::vector<uint32_t> ids;
  for (int t = 0; t < length; ++t) {
    // Some experts get many tokens, others one or none.
    uint32_t first = t % 3 == 0 ? bits_of() % (kExperts - 1) : 1;
    for (int k = 0; k < per_token; ++k) ids.push_back((first + k) % (kExperts - 1));
    if (elsewhere && t % 4 != 3) ids.back() = *elsewhere;
  }
  mx::array chosen(ids.begin(), {1, length, per_token}, mx::uint32);
  std::optional<mx::array> y;
  if (cpu::supports(gate_up.view())) {
    y = cpu::experts(x, chosen, routing_weights, gate_up.view(), down.view(), activation);
  }
  WeightArena arena;
  std::optional<mx::array> packed_y;
  if (bits != 0) {
    cpu::Packed first = gate_up.pack(arena), second = down.pack(arena);
    packed_y = cpu::packed_experts(x, chosen, routing_weights, {first, gate_up.bias, 2 * kMiddle},
                                   {second, down.bias, kHidden}, activation);
  }
  for (int t = 0; t < length; ++t) {
    mx::array expected = mx::zeros({kHidden}), rounded = expected;
    for (int k = 0; k < per_token; ++k) {
      int id = static_cast<int>(ids[static_cast<size_t>(t) * per_token + k]);
      if (elsewhere && id == static_cast<int>(*elsewhere)) continue;
      mx::array row = mx::take(mx::reshape(x, {length, kHidden}), t, 0);
      mx::array routing_weight = mx::take(mx::flatten(routing_weights), t * per_token + k);
      mx::array out = down.apply(activated(gate_up.apply(row, id), activation), id);
      expected = mx::add(expected, mx::multiply(out, routing_weight));
      mx::array middle = activated(gate_up.apply_packed(row, id), activation);
      out = down.apply_packed(middle, id);
      rounded = mx::add(rounded, mx::multiply(out, routing_weight));
    }
    if (y) {
      mx::array got = mx::take(mx::reshape(*y, {length, kHidden}), t, 0);
      CHECK(mx::allclose(got, expected, 1e-4, 1e-3).item<bool>());
    }
    if (!packed_y) continue;
    mx::array other = mx::take(mx::reshape(*packed_y, {length, kHidden}), t, 0);
    double largest = mx::max(mx::abs(rounded)).item<float>();
    CHECK(mx::allclose(other, rounded, 0, 1e-3 * largest).item<bool>());
  }
}

}  // namespace

TEST(outputs_are_weighted_by_routing_weights) {
  for (int bits : {0, 4, 8}) {
    for (int length : {1, 13}) {
      for (int per_token : {1, 2, 4}) check_experts(length, per_token, bits, false, {});
    }
  }
}

// Types that only the packed kernels take.
TEST(packed_experts_of_other_types) {
  for (int length : {1, 13}) {
    for (int bits : {2, 3, 5, 6, 16}) check_experts(length, 2, bits, false, {});
    check_experts(length, 4, 4, true, {7, 1.702f}, "mxfp4");
  }
}

TEST(experts_of_another_process_count_as_0) {
  // The first ids that are too large, and what those become that are too small.
  for (uint32_t id : {static_cast<uint32_t>(kExperts), UINT32_MAX}) {
    for (int bits : {0, 4}) {
      for (int per_token : {1, 3}) check_experts(9, per_token, bits, true, {}, "affine", id);
    }
  }
}

TEST(biases_and_the_clipped_activation) {
  for (int bits : {0, 4}) {
    for (int length : {1, 9}) check_experts(length, 2, bits, true, {7, 1.702f});
    check_experts(5, 2, bits, true, {0.5f, 1.702f});
  }
}

}  // namespace llm_host::experts_test
