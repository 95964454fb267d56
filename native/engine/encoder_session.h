#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "encoders/encoder.h"
#include "engine/job/encode_job.h"

namespace llm_host {

// A loaded encoder with the texts that wait for it. For the model thread only.
class EncoderSession {
 public:
  using Progress = std::function<void(uint64_t done_bytes, uint64_t total_bytes)>;

  // Throws MODEL_BROKEN, MODEL_UNSUPPORTED or ENGINE_UNAVAILABLE.
  static std::unique_ptr<EncoderSession> load(const LoadSpec& spec, const Progress& progress);

  const ModelInfo& info() const { return info_; }
  void add(std::shared_ptr<EncodeJob> job) { jobs_.push_back(std::move(job)); }
  // One batch, of one job's texts or of several jobs'; never throws. -> false: there is nothing to
  // do
  bool turn();
  bool idle() const { return jobs_.empty(); }

 private:
  // A text of a job.
  struct Place {
    std::shared_ptr<EncodeJob> job;
    int text;
  };
  EncoderSession(const Config& config, WeightStore& weights, const LoadSpec& spec);

  // Ends those that were cancelled and forgets those that are over.
  void drop_over();
  // Texts of at most `batch_tokens_` tokens, or a longer one alone.
  std::vector<Place> take_batch();
  void run(const std::vector<Place>& places);

  std::unique_ptr<Encoder> encoder_;
  ModelInfo info_;
  int batch_tokens_;
  std::deque<std::shared_ptr<EncodeJob>> jobs_;
};

}  // namespace llm_host
