#pragma once

#include <memory>
#include <vector>

#include "encoders/encoder.h"
#include "layers/encoder/text_dense.h"

namespace llm_host {

// An encoder with matrices behind its pooling.
class DenseEncoder final : public Encoder {
 public:
  DenseEncoder(std::unique_ptr<Encoder> encoder, const std::vector<DenseSpec>& specs,
               WeightStore& weights);

  mx::array operator()(const TextBatch& batch) const override;
  const ModelInfo& info() const override { return info_; }

 private:
  std::unique_ptr<Encoder> encoder_;
  std::vector<TextDense> dense_;
  ModelInfo info_;
};

}  // namespace llm_host
