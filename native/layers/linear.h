#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "kernels/packed/linear.h"
#include "layers/norm.h"
#include "mlx/mlx.h"
#include "weights/weight_store.h"

namespace llm_host {

// A weight matrix, in MLX's form or packed for the CPU's kernels.
class WeightMatrix {
 public:
  // Packs it if the store says so and there are kernels for it, and then drops the stored form.
  WeightMatrix(Matrix stored, WeightStore& weights);
  // Never packs it.
  explicit WeightMatrix(Matrix stored) : stored_(std::move(stored)) {}
  // `path`.weight [out, in], packed like that. `head_dim`: of rotary heads, whose rows are in
  // another order in GGUF files (see weights/unpermute.h); otherwise 0.
  static WeightMatrix load(WeightStore& weights, const std::string& path, int out, int in,
                           int head_dim = 0);

  // nullptr unless it is packed.
  const cpu::Packed* packed() const { return packed_ ? &*packed_ : nullptr; }
  // Only if it is not packed.
  const Matrix& stored() const { return *stored_; }
  // Rows by id, ids [...] -> [..., in]
  mx::array take(const mx::array& ids) const;

 private:
  explicit WeightMatrix(cpu::Packed packed) : packed_(std::move(packed)) {}

  std::optional<Matrix> stored_;
  std::optional<cpu::Packed> packed_;
};

// y = x Wᵀ (+ bias) (+ scale · (x A) B, while adapters apply); W is [out, in], dense or quantized.
class Linear {
 public:
  explicit Linear(WeightMatrix weight) : weight_(std::move(weight)) {}

  // Reads `path`.weight [out, in], .bias [out] if `bias`, and what the adapters add to `path`.
  static Linear load(WeightStore& weights, const std::string& path, int out, int in, bool bias);
  // As load() for q and k, whose rows are in another order in GGUF files: see weights/unpermute.h.
  static Linear load_rotary(WeightStore& weights, const std::string& path, int heads, int head_dim,
                            int in, bool bias);

  // As load() for the router of a mixture of experts, which is never quantized while loading.
  static Linear load_router(WeightStore& weights, const std::string& path, int out, int in,
                            bool bias);

  // x [..., in] -> [..., out]
  mx::array operator()(const mx::array& x) const;
  // The product in all the precision of packed kernels, for logits: small differences decide there.
  mx::array precise(const Normed& x) const;

  // Whether `apply` can take it.
  bool packed() const { return weight_.packed() != nullptr; }
  using Parts = std::vector<std::reference_wrapper<const Linear>>;
  // Several with the same input as one, their outputs side by side; nothing where the device policy
  // does not want it, or where they are stored differently.
  static std::optional<Linear> join(const Parts& parts);
  // Products of packed matrices with one operand, side by side [..., Σ out], plus `residual`.
  static mx::array apply(const Parts& parts, const cpu::Operand& operand,
                         const std::optional<mx::array>& residual = std::nullopt);
  // See cpu::packed_gated.
  static mx::array apply_gated(const Parts& parts, const cpu::Operand& operand, cpu::Gate gate);

 private:
  // The operand, as fine as the parts want it.
  static cpu::Operand as_fine(const Parts& parts, cpu::Operand operand);
  // For a model that turns texts into vectors: whether activations are rounded as the weights are.
  static bool rounds(const Parts& parts);
  // The products of each part then, plus `residual` of a single one.
  static std::vector<mx::array> rounded(const Parts& parts, const cpu::Operand& operand,
                                        const std::optional<mx::array>& residual = std::nullopt);
  static std::vector<cpu::PackedPart> matrices(const Parts& parts);
  // A matrix with its bias and its adapter.
  static Linear complete(WeightMatrix matrix, std::optional<mx::array> bias, WeightStore& weights,
                         const std::string& path, int out, int in);
  static std::optional<mx::array> bias_of(WeightStore& weights, const std::string& path, int out,
                                          bool bias);
  mx::array multiply(const mx::array& x) const;
  // With what the other processes have made, where this one has only some of the columns.
  mx::array completed(mx::array y) const;
  // By MLX's operations.
  mx::array product(const mx::array& x) const;
  // An adapter's factors, while adapters apply.
  const std::optional<mx::array>& down() const;
  const std::optional<mx::array>& up() const;
  int rows() const { return weight_.stored().weight.shape(0); }
  void join_biases(const Parts& parts);
  void join_adapters(const Parts& parts);

  WeightMatrix weight_;
  bool encodes_ = false;  // see WeightStore::encodes
  std::optional<mx::array> bias_;
  std::optional<mx::array> down_, up_;  // an adapter's: [rank, in], [rank, out] with its scale
  // If W has only some of the columns: adds up the products of all processes. Then the bias, which
  // each has whole, is added behind it.
  SumOverProcesses sum_;
  std::optional<mx::array> sum_bias_;
};

// x with its norm, which the kernel applies if it can.
cpu::Operand normalised(const Normed& x);

// Rows of a weight matrix by id, and the same matrix as the output head of tied models.
class Embedding {
 public:
  explicit Embedding(WeightMatrix weight) : weight_(std::move(weight)) {}

  // ids [...] -> [..., H]
  mx::array operator()(const mx::array& ids) const { return weight_.take(ids); }
  Linear as_linear() const { return Linear(weight_); }

 private:
  WeightMatrix weight_;
};

}  // namespace llm_host
