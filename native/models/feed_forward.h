#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "models/decoder_config.h"

namespace llm_host {

// The feed-forward network of a layer: x [1, L, H] -> [1, L, H].
class FeedForward {
 public:
  FeedForward() = default;
  // From any function of the normalised x.
  template <typename F>
    requires std::is_invocable_r_v<mx::array, F, const mx::array&> &&
             (!std::is_same_v<F, FeedForward>)
  FeedForward(F whole) : whole_(std::move(whole)) {}
  // A dense one applies the norm and adds the residual in its own pass.
  FeedForward(Mlp mlp) : mlp_(std::make_shared<Mlp>(std::move(mlp))) {}

  mx::array operator()(const mx::array& x) const { return mlp_ ? (*mlp_)(x) : whole_(x); }
  // Plus `residual`.
  mx::array operator()(const Normed& x, const std::optional<mx::array>& residual) const;

 private:
  std::function<mx::array(const mx::array&)> whole_;
  std::shared_ptr<const Mlp> mlp_;
};
// Makes the one of layer `layer`, whose weights start with `path` ("model.layers.3").
using FeedForwardMaker =
    std::function<FeedForward(WeightStore& weights, const std::string& path, int layer)>;

// `path`.mlp with gate_proj, up_proj and down_proj, or with gate_up_proj.
FeedForward dense_feed_forward(const DecoderConfig& c, WeightStore& weights,
                               const std::string& path);

}  // namespace llm_host
