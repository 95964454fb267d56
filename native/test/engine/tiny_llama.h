#pragma once

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "weights/load_spec.h"

// A llama of two layers. Its weights are in a temporary file as long as this object exists. Written
// without MLX, which only the model thread may use.
class TinyLlama {
 public:
  static constexpr int kVocab = 64;

  // Another seed gives other weights.
  explicit TinyLlama(uint32_t seed = 1)
      : path_("/tmp/llm-host-tiny-" + std::to_string(getpid()) + "-" + std::to_string(seed) +
              ".bin"),
        state_(seed) {
    file_.open(path_, std::ios::binary);
    spec_.weights.files = {path_};
    spec_.config = config();
    spec_.context_length = 512;
    add("model.embed_tokens.weight", {kVocab, kHidden});
    add("model.norm.weight", {kHidden});
    for (int i = 0; i < kLayers; ++i) add_layer("model.layers." + std::to_string(i) + ".");
    file_.close();
  }
  ~TinyLlama() { std::remove(path_.c_str()); }
  TinyLlama(const TinyLlama&) = delete;
  TinyLlama& operator=(const TinyLlama&) = delete;

  const llm_host::LoadSpec& spec() const { return spec_; }

 private:
  static constexpr int kHidden = 32, kLayers = 2, kHeads = 4, kKvHeads = 2, kInner = 64;

  static llm_host::Value config() {
    llm_host::Value::Object object;
    auto number = [&](const char* key, double value) {
      object.emplace(key, llm_host::Value(value));
    };
    object.emplace("model_type", llm_host::Value(std::string("llama")));
    object.emplace("tie_word_embeddings", llm_host::Value(true));
    number("hidden_size", kHidden);
    number("num_hidden_layers", kLayers);
    number("num_attention_heads", kHeads);
    number("num_key_value_heads", kKvHeads);
    number("intermediate_size", kInner);
    number("vocab_size", kVocab);
    number("max_position_embeddings", 512);
    number("rms_norm_eps", 1e-5);
    return llm_host::Value(std::move(object));
  }

  void add_layer(const std::string& path) {
    constexpr int kv = kHidden / kHeads * kKvHeads;
    add(path + "input_layernorm.weight", {kHidden});
    add(path + "post_attention_layernorm.weight", {kHidden});
    add(path + "self_attn.q_proj.weight", {kHidden, kHidden});
    add(path + "self_attn.k_proj.weight", {kv, kHidden});
    add(path + "self_attn.v_proj.weight", {kv, kHidden});
    add(path + "self_attn.o_proj.weight", {kHidden, kHidden});
    add(path + "mlp.gate_proj.weight", {kInner, kHidden});
    add(path + "mlp.up_proj.weight", {kInner, kHidden});
    add(path + "mlp.down_proj.weight", {kHidden, kInner});
  }

  // Norms are near 1, matrices from -0.5 to 0.5.
  void add(const std::string& name, const std::vector<int64_t>& shape) {
    size_t count = 1;
    for (int64_t size : shape) count *= static_cast<size_t>(size);
    std::vector<float> values(count);
    for (float& value : values) {
      state_ = state_ * 1664525 + 1013904223;
      value =
          static_cast<float>(state_ >> 8) / (1 << 24) - 0.5f + (shape.size() == 1 ? 1.0f : 0.0f);
    }
    auto offset = static_cast<uint64_t>(file_.tellp());
    uint64_t bytes = count * sizeof(float);
    file_.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(bytes));
    spec_.weights.tensors.push_back({name, "F32", shape, 0, offset, bytes});
  }

  std::string path_;
  std::ofstream file_;
  llm_host::LoadSpec spec_;
  uint32_t state_;
};
