#include "encoders/dense_encoder.h"

#include <string>

namespace llm_host {

DenseEncoder::DenseEncoder(std::unique_ptr<Encoder> encoder, const std::vector<DenseSpec>& specs,
                           WeightStore& weights)
    : encoder_(std::move(encoder)), info_(encoder_->info()) {
  for (size_t i = 0; i < specs.size(); ++i) {
    std::string path = "dense." + std::to_string(i) + ".linear";
    dense_.emplace_back(weights, path, specs[i], info_.hidden_size);
    info_.hidden_size = specs[i].out;
  }
}

mx::array DenseEncoder::operator()(const TextBatch& batch) const {
  mx::array x = (*encoder_)(batch);
  for (const TextDense& dense : dense_) x = dense(x);
  return mx::astype(x, mx::float32);
}

}  // namespace llm_host
