#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "common/error.h"
#include "models/model_info.h"

namespace llm_host {

// Texts to encode: EncodeRequest in src/native/addon-types.ts.
struct EncodeRequest {
  std::vector<int32_t> ids;      // of all texts, one after the other
  std::vector<int32_t> lengths;  // of each
  std::vector<int32_t> types;    // of each token, 0 or 1; empty: 0
};

// Throws USAGE for ids, types or lengths that the model cannot have.
void check_encode_request(const ModelInfo& info, const EncodeRequest& request);

struct EncodeResult {
  std::vector<float> vectors;  // [texts, hidden_size of the model's info]
  std::optional<Error> error;
};
using EncodeHandler = std::function<void(EncodeResult)>;  // exactly once

// A request under way. Only the model thread touches what `cancelled` does not guard.
class EncodeJob {
 public:
  EncodeJob(int64_t model, EncodeRequest request, EncodeHandler on_done);

  const int64_t model;
  const EncodeRequest request;

  // Any thread.
  void cancel() { cancelled_ = true; }
  bool cancelled() const { return cancelled_; }

  // The text to encode next, the longest first, so that a batch's texts have similar lengths; -1:
  // all have been taken.
  int next() const { return taken_ < order_.size() ? order_[taken_] : -1; }
  int take() { return order_[taken_++]; }
  int64_t start_of(int text) const { return starts_[static_cast<size_t>(text)]; }
  int length_of(int text) const { return request.lengths[static_cast<size_t>(text)]; }

  // Keeps a text's vector; with the last one, the job is done.
  void keep(int text, const float* vector, int size);
  // Ends it; later calls do nothing.
  void fail(const Error& error);
  bool over() const { return over_; }

 private:
  void finish(EncodeResult result);

  EncodeHandler on_done_;
  std::atomic<bool> cancelled_{false};
  std::vector<int> order_;
  std::vector<int64_t> starts_;  // index of each text's first token
  size_t taken_ = 0, kept_ = 0;
  std::vector<float> vectors_;
  bool over_ = false;
};

}  // namespace llm_host
