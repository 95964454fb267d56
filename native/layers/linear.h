#pragma once

#include <optional>

#include "mlx/mlx.h"
#include "weights/weight_store.h"

namespace llm_host {

// y = x Wᵀ (+ bias) (+ scale · (x A) B); W is [out, in], dense or quantised.
class Linear {
 public:
  explicit Linear(WeightStore::Matrix weight) : weight_(std::move(weight)) {}

  // Reads `path`.weight, .bias if wanted, and the adapter's `path`.lora_a and .lora_b if there are
  // any.
  static Linear load(WeightStore& weights, const std::string& path, int out, int in, bool bias);
  // The same for q and k, whose rows GGUF files hold in another order (see WeightStore::unpermute).
  static Linear load_rotary(WeightStore& weights, const std::string& path, int heads, int head_dim,
                            int in, bool bias);

  // The same for the router of a mixture of experts, which is never quantised while loading.
  static Linear load_router(WeightStore& weights, const std::string& path, int out, int in,
                            bool bias);

  // x [..., in] -> [..., out]
  mx::array operator()(const mx::array& x) const;

 private:
  // A matrix with its bias and its adapter.
  static Linear complete(WeightStore::Matrix matrix, WeightStore& weights, const std::string& path,
                         int out, int in, bool bias);
  mx::array multiply(const mx::array& x) const;
  void add_adapter(WeightStore& weights, const std::string& path, int out, int in);

  WeightStore::Matrix weight_;
  std::optional<mx::array> bias_;
  std::optional<mx::array> down_, up_;  // an adapter's: [rank, in], [rank, out] with its scale
};

// Rows of a weight matrix by id, and the same matrix as the output head of tied models.
class Embedding {
 public:
  explicit Embedding(WeightStore::Matrix weight) : weight_(std::move(weight)) {}

  // ids [...] -> [..., H]
  mx::array operator()(const mx::array& ids) const { return weight_.take(ids); }
  Linear as_linear() const { return Linear(weight_); }

 private:
  WeightStore::Matrix weight_;
};

}  // namespace llm_host
