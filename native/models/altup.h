#pragma once

#include "layers/linear.h"
#include "models/decoder_config.h"

namespace llm_host {

// Alternating updates (https://arxiv.org/abs/2301.13310): several residual streams, of which a
// layer computes one and predicts the others. Streams are [L, N, H].
class AltUp {
 public:
  struct Shape {
    int streams;
    int active;   // the stream that layers compute
    bool scales;  // whether `scaled` does anything
  };

  // Reads `path`.{router_norm, modality_router, prediction_coefs, correction_coefs,
  // correct_output_scale}.
  AltUp(WeightStore& weights, const std::string& path, const DecoderConfig& c, const Shape& shape);

  // The streams before the layer.
  mx::array predict(const mx::array& streams) const;
  // The streams after it, when it has made `activated` [1, L, H] of the active one.
  mx::array correct(const mx::array& predictions, const mx::array& activated) const;
  // The active one, [1, L, H].
  mx::array active(const mx::array& streams) const;
  // x [1, L, H] times a weight of each channel.
  mx::array scaled(const mx::array& x) const;

 private:
  // How much each stream is used for x [1, L, H] -> [1, L, N]
  mx::array modalities(const mx::array& x) const;

  Shape shape_;
  Norm norm_;  // divided by H
  Linear router_, prediction_, correction_;
  std::optional<mx::array> scale_;
};

// How streams begin and end: further ones are projections of the first, made as long as it is.
class AltUpEnds {
 public:
  // Reads model.altup_projections.i and model.altup_unembed_projections.i.
  AltUpEnds(WeightStore& weights, const DecoderConfig& c, int streams);

  // h [1, L, H] -> [L, N, H]
  mx::array begin(const mx::array& h) const;
  // Their mean, [1, L, H].
  mx::array end(const mx::array& streams) const;

 private:
  std::vector<Linear> into_, out_of_;  // N - 1 each
};

}  // namespace llm_host
