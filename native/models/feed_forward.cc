#include "models/feed_forward.h"

#include "common/error.h"

namespace llm_host {

FeedForward dense_feed_forward(const DecoderConfig& c, WeightStore& weights,
                               const std::string& path) {
  if (c.intermediate < 1) throw Error(kModelBroken, "config.json has no intermediate_size");
  return Mlp(weights, path + ".mlp", {c.hidden, c.intermediate, c.mlp_bias, c.activation});
}

mx::array FeedForward::operator()(const Normed& x, const std::optional<mx::array>& residual) const {
  if (mlp_) return (*mlp_)(x, residual);
  mx::array y = whole_(x.value());
  return residual ? mx::add(*residual, y) : y;
}

}  // namespace llm_host
