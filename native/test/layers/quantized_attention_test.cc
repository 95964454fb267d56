#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>

#include "check.h"
#include "engine/runtime.h"
#include "layers/attention/attention.h"
#include "layers/cache/quantized_kv_cache.h"

namespace llm_host::quantized_attention_test {

static const check::Suite suite("quantized_attention", [] {
  setenv("LLM_HOST_DEVICE_POLICY", "gpu", 1);
  mx::set_default_device(mx::Device::cpu);
  init_runtime();
  mx::random::seed(3);
});

namespace {

constexpr int kHeads = 4, kKvHeads = 2, kHidden = 64, kPrompt = 300, kMost = 512;

// Hides that the cache can be read as it is: attention then dequantizes all of it.
class Dequantized final : public AttentionCache {
 public:
  explicit Dequantized(QuantizedKvCache& cache) : cache_(cache) {}

  View append(const mx::array& keys, const mx::array& values) override {
    return cache_.append(keys, values);
  }
  std::optional<Buffers> extend(int) override { return std::nullopt; }
  View newest(int count) const override { return cache_.newest(count); }
  std::optional<Buffers> newest_buffers(int) const override { return std::nullopt; }
  int length() const override { return cache_.length(); }
  bool can_trim(int length) const override { return cache_.can_trim(length); }
  void trim(int length) override { cache_.trim(length); }
  bool always_trimmable() const override { return true; }
  LayerState state_at(int length) const override { return cache_.state_at(length); }
  void restore(const LayerState& state) override { cache_.restore(state); }
  uint64_t bytes() const override { return cache_.bytes(); }
  uint64_t bytes_after(int count) const override { return cache_.bytes_after(count); }

 private:
  QuantizedKvCache& cache_;
};

// The matrices and norm of one layer, random.
class Layer {
 public:
  explicit Layer(int head_dim) : path_("/tmp/llm-host-attention-" + std::to_string(getpid())) {
    std::ofstream file(path_, std::ios::binary);
    int q = kHeads * head_dim, kv = kKvHeads * head_dim;
    for (auto [name, rows, columns] : {std::tuple{"q_proj", q, kHidden},
                                       {"k_proj", kv, kHidden},
                                       {"v_proj", kv, kHidden},
                                       {"o_proj", kHidden, q}}) {
      add(file, "a." + std::string(name) + ".weight", {rows, columns});
    }
    add(file, "norm.weight", {kHidden});
    spec_.weights.files = {path_};
    spec_.config = Value(Value::Object{});
  }
  ~Layer() { std::remove(path_.c_str()); }
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  const LoadSpec& spec() const { return spec_; }

 private:
  void add(std::ofstream& file, const std::string& name, const std::vector<int64_t>& shape) {
    mx::Shape dims(shape.begin(), shape.end());
    mx::array values = mx::multiply(mx::random::normal(dims), mx::array(0.2f));
    values.eval();
    auto offset = static_cast<uint64_t>(file.tellp());
    file.write(reinterpret_cast<const char*>(values.data<float>()),
               static_cast<std::streamsize>(values.nbytes()));
    spec_.weights.tensors.push_back({name, "F32", shape, 0, offset, values.nbytes()});
  }

  std::string path_;
  LoadSpec spec_;
};

// The greatest number of elements that an operation makes of floats.
size_t largest_floats(const mx::array& output) {
  size_t largest = 0;
  std::set<uintptr_t> seen;
  std::vector<mx::array> waiting{output};
  while (!waiting.empty()) {
    mx::array next = waiting.back();
    waiting.pop_back();
    if (!next.has_primitive() || next.status() != mx::array::Status::unscheduled) continue;
    if (!seen.insert(next.id()).second) continue;
    if (mx::issubdtype(next.dtype(), mx::floating)) largest = std::max(largest, next.size());
    waiting.insert(waiting.end(), next.inputs().begin(), next.inputs().end());
  }
  return largest;
}

double difference(const mx::array& a, const mx::array& b) {
  return mx::max(mx::abs(mx::subtract(a, b))).item<float>() / mx::max(mx::abs(b)).item<float>();
}

// A prompt, then single tokens, by the packed rows and by the same rows dequantized.
void check_both(int bits, int head_dim) {
  Layer files(head_dim);
  WeightStore weights(files.spec(), [](uint64_t, uint64_t) {});
  Attention attention(weights, "a", {kHidden, kHeads, kKvHeads, head_dim, 0.2f});
  Norm norm(weights, "norm", kHidden, {1e-5f});
  QuantizedKvCache packed(kKvHeads, head_dim, bits, kMost, mx::float32);
  QuantizedKvCache other(kKvHeads, head_dim, bits, kMost, mx::float32);
  Dequantized unpacked(other);
  RopeAngles none;
  auto run = [&](const mx::array& x, AttentionCache& cache) {
    WindowMasks masks;
    HeadPositions positions;
    return attention({x, &norm}, {none, masks, positions, x.shape(1)}, cache, std::nullopt);
  };
  size_t whole = static_cast<size_t>(kKvHeads) * kPrompt * static_cast<size_t>(head_dim);
  for (int length : {kPrompt, 1, 1, 3}) {
    mx::array x = mx::random::normal({1, length, kHidden});
    x.eval();
    mx::array a = run(x, packed), b = run(x, unpacked);
    if (length == 1) {
      CHECK(largest_floats(a) < whole);
      // So the measure would see it.
      CHECK(largest_floats(b) >= whole);
    }
    CHECK(difference(a, b) < 1e-4);
    // Nothing of the step is left to be computed with the next one.
    for (const QuantizedKvCache* cache : {&packed, &other}) {
      for (const auto& [name, array] : cache->state().arrays) mx::array(array).eval();
    }
  }
}

}  // namespace

TEST(packed_keys_and_values_give_what_dequantized_ones_do_and_are_not_unpacked_whole) {
  for (int bits : {4, 8}) {
    for (int head_dim : {32, 64}) check_both(bits, head_dim);
  }
}

}  // namespace llm_host::quantized_attention_test
