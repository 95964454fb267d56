#pragma once

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "weights/load_spec.h"

// A BERT of two layers with mean pooling; see TinyLlama.
class TinyBert {
 public:
  static constexpr int kVocab = 64, kHidden = 32, kPositions = 40;

  // `damaged`: one weight is so large that the arithmetic overflows.
  explicit TinyBert(bool damaged = false)
      : path_("/tmp/llm-host-tiny-bert-" + std::to_string(getpid()) + (damaged ? "-damaged" : "") +
              ".bin"),
        damaged_(damaged) {
    file_.open(path_, std::ios::binary);
    spec_.weights.files = {path_};
    spec_.config = config();
    spec_.encoder = llm_host::EncoderSpec{.pooling = "mean"};
    add("embeddings.word_embeddings.weight", {kVocab, kHidden});
    add("embeddings.position_embeddings.weight", {kPositions, kHidden});
    add("embeddings.token_type_embeddings.weight", {2, kHidden});
    add_norm("embeddings.LayerNorm");
    for (int i = 0; i < kLayers; ++i) add_layer("encoder.layer." + std::to_string(i) + ".");
    file_.close();
  }
  ~TinyBert() { std::remove(path_.c_str()); }
  TinyBert(const TinyBert&) = delete;
  TinyBert& operator=(const TinyBert&) = delete;

  const llm_host::LoadSpec& spec() const { return spec_; }

 private:
  static constexpr int kLayers = 2, kHeads = 2, kInner = 64;

  static llm_host::Value config() {
    llm_host::Value::Object object;
    auto number = [&](const char* key, double value) {
      object.emplace(key, llm_host::Value(value));
    };
    object.emplace("model_type", llm_host::Value(std::string("bert")));
    number("hidden_size", kHidden);
    number("num_hidden_layers", kLayers);
    number("num_attention_heads", kHeads);
    number("intermediate_size", kInner);
    number("vocab_size", kVocab);
    number("max_position_embeddings", kPositions);
    number("type_vocab_size", 2);
    return llm_host::Value(std::move(object));
  }

  void add_linear(const std::string& path, int out, int in) {
    add(path + ".weight", {out, in});
    add(path + ".bias", {out});
  }
  void add_norm(const std::string& path) {
    add(path + ".weight", {kHidden});
    add(path + ".bias", {kHidden});
  }
  void add_layer(const std::string& path) {
    for (const char* part : {"query", "key", "value"}) {
      add_linear(path + "attention.self." + part, kHidden, kHidden);
    }
    add_linear(path + "attention.output.dense", kHidden, kHidden);
    add_norm(path + "attention.output.LayerNorm");
    add_linear(path + "intermediate.dense", kInner, kHidden);
    add_linear(path + "output.dense", kHidden, kInner);
    add_norm(path + "output.LayerNorm");
  }

  // From -0.5 to 0.5.
  void add(const std::string& name, const std::vector<int64_t>& shape) {
    size_t count = 1;
    for (int64_t size : shape) count *= static_cast<size_t>(size);
    std::vector<float> values(count);
    for (float& value : values) {
      state_ = state_ * 1664525 + 1013904223;
      value = static_cast<float>(state_ >> 8) / (1 << 24) - 0.5f;
    }
    if (damaged_ && name == "encoder.layer.1.output.LayerNorm.weight") {
      values[0] = std::numeric_limits<float>::max();
    }
    auto offset = static_cast<uint64_t>(file_.tellp());
    uint64_t bytes = count * sizeof(float);
    file_.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(bytes));
    spec_.weights.tensors.push_back({name, "F32", shape, 0, offset, bytes});
  }

  std::string path_;
  bool damaged_;
  std::ofstream file_;
  llm_host::LoadSpec spec_;
  uint32_t state_ = 1;
};
