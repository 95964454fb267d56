#include "layers/linear.h"

#include <algorithm>

#include "common/device_policy.h"
#include "kernels/ops.h"
#include "kernels/packed/rounded_linear.h"
#include "layers/adapter_scope.h"
#include "weights/join.h"
#include "weights/unpermute.h"

namespace llm_host {

namespace {

const std::optional<mx::array> kNoAdapter;

// A dense matrix with an adapter added to it, rounded once.
Matrix sum_of(Matrix m, const Adapters::LowRank& adapter) {
  auto wide = [](const mx::array& a) { return mx::astype(a, mx::float32); };
  mx::array change = mx::matmul(mx::transpose(wide(adapter.up)), wide(adapter.down));
  m.weight = mx::astype(mx::add(wide(m.weight), change), m.dtype);
  m.weight.eval();
  return m;
}

// As float16 if that holds every value: it is read anew for each token.
mx::array smallest(const mx::array& matrix) {
  mx::array half = mx::astype(matrix, mx::float16);
  half.eval();
  bool same = mx::array_equal(mx::astype(half, matrix.dtype()), matrix).item<bool>();
  return same ? half : matrix;
}

}  // namespace

WeightMatrix::WeightMatrix(Matrix stored, WeightStore& weights) {
  if (weights.packed()) {
    mx::array weight = stored.weight;
    if (weights.encodes() && !stored.quantized() && weight.dtype() == mx::float32) {
      weight = mx::astype(weight, mx::bfloat16);
      weight.eval();
    }
    packed_ = cpu::Packed::pack(weights.arena(), weight, stored.scales, stored.biases,
                                stored.group_size, stored.bits);
  }
  if (packed_) {
    weights.drop(stored);
    return;
  }
  if (!stored.quantized()) {
    stored.weight = mx::astype(stored.weight, stored.dtype);
    stored.weight.eval();
  }
  stored_ = std::move(stored);
}

WeightMatrix WeightMatrix::load(WeightStore& weights, const std::string& path, int out, int in,
                                int head_dim) {
  if (!weights.gguf()) head_dim = 0;
  if (std::optional<cpu::Packed> packed = weights.packed_matrix(path, out, in, head_dim)) {
    return WeightMatrix(std::move(*packed));
  }
  Matrix matrix = weights.matrix(path, out, in, weights.packed());
  if (head_dim != 0) matrix = unpermute(matrix, out / head_dim, head_dim);
  return WeightMatrix(std::move(matrix), weights);
}

mx::array WeightMatrix::take(const mx::array& ids) const {
  return packed_ ? cpu::packed_rows(*packed_, ids) : stored_->take(ids);
}

std::optional<mx::array> Linear::bias_of(WeightStore& weights, const std::string& path, int out,
                                         bool bias) {
  return bias ? std::optional(weights.vector(path + ".bias", out)) : std::nullopt;
}

Linear Linear::load(WeightStore& weights, const std::string& path, int out, int in, bool bias) {
  return complete(WeightMatrix::load(weights, path, out, in), bias_of(weights, path, out, bias),
                  weights, path, out, in);
}

Linear Linear::load_router(WeightStore& weights, const std::string& path, int out, int in,
                           bool bias) {
  WeightMatrix matrix(weights.router(path, out, in));
  return complete(std::move(matrix), bias_of(weights, path, out, bias), weights, path, out, in);
}

Linear Linear::load_rotary(WeightStore& weights, const std::string& path, int heads, int head_dim,
                           int in, bool bias) {
  int out = heads * head_dim;
  std::optional<mx::array> offset = bias_of(weights, path, out, bias);
  if (weights.gguf() && offset) offset = unpermute(*offset, heads, head_dim);
  return complete(WeightMatrix::load(weights, path, out, in, head_dim), std::move(offset), weights,
                  path, out, in);
}

Linear Linear::complete(WeightMatrix matrix, std::optional<mx::array> bias, WeightStore& weights,
                        const std::string& path, int out, int in) {
  Linear linear(std::move(matrix));
  linear.encodes_ = weights.encodes();
  if (const PartialModules* partial = weights.partial(path)) {
    linear.sum_ = partial->sum;
    linear.sum_bias_ = std::move(bias);
  } else {
    linear.bias_ = std::move(bias);
  }
  auto adapter = weights.adapter(path, out, in);
  if (!adapter) return linear;
  bool dense = !linear.packed() && !linear.weight_.stored().quantized();
  if (dense && DevicePolicy::get().joins_matrices() && !weights.adapters_optional()) {
    linear.weight_ = WeightMatrix(sum_of(linear.weight_.stored(), *adapter));
  } else {
    bool packed = linear.packed();
    linear.down_ = packed ? smallest(adapter->down) : adapter->down;
    linear.up_ = packed ? smallest(adapter->up) : adapter->up;
  }
  return linear;
}

const std::optional<mx::array>& Linear::down() const {
  return adapters_apply() ? down_ : kNoAdapter;
}
const std::optional<mx::array>& Linear::up() const { return adapters_apply() ? up_ : kNoAdapter; }

mx::array Linear::multiply(const mx::array& x) const {
  const Matrix& w = weight_.stored();
  cpu::Weight cpu_weight{w.weight, w.scales, w.biases, w.group_size, w.bits, down(), up()};
  if (!cpu::usable() || !cpu::supports(cpu_weight)) return product(x);
  mx::array y = cpu::linear(x, cpu_weight);
  return bias_ ? mx::add(y, *bias_) : y;
}

mx::array Linear::product(const mx::array& x) const {
  const Matrix& w = weight_.stored();
  bool dense = !w.quantized();
  mx::array y = dense && bias_ ? mx::addmm(*bias_, x, mx::transpose(w.weight)) : w.multiply(x);
  if (!dense && bias_) y = mx::add(y, *bias_);
  return down() ? mx::addmm(y, mx::matmul(x, mx::transpose(*down())), *up()) : y;
}

mx::array Linear::operator()(const mx::array& x) const {
  return packed() ? apply({*this}, cpu::Operand{x}) : completed(multiply(x));
}

mx::array Linear::precise(const Normed& x) const {
  if (!packed()) return (*this)(x.value());
  cpu::Operand operand = normalised(x);
  operand.fine_above = 0;
  return apply({*this}, operand);
}

mx::array Linear::completed(mx::array y) const {
  if (sum_) y = sum_(y);
  return sum_bias_ ? mx::add(y, *sum_bias_) : y;
}

std::optional<Linear> Linear::join(const Parts& parts) {
  if (!DevicePolicy::get().joins_matrices()) return std::nullopt;
  std::vector<Matrix> matrices;
  for (const Linear& part : parts) {
    if (part.packed()) return std::nullopt;
    matrices.push_back(part.weight_.stored());
  }
  if (!stored_alike(matrices)) return std::nullopt;
  Linear joined(WeightMatrix(concatenate("", matrices, "")));
  joined.join_biases(parts);
  joined.join_adapters(parts);
  return joined;
}

void Linear::join_biases(const Parts& parts) {
  std::vector<mx::array> biases;
  bool any = false;
  for (const Linear& part : parts) {
    any = any || part.bias_;
    biases.push_back(part.bias_.value_or(mx::zeros({part.rows()}, part.weight_.stored().dtype)));
  }
  if (!any) return;
  bias_ = mx::concatenate(biases, 0);
  bias_->eval();
}

// One stack of all that is applied to the input, and a matrix with each part's second factor in its
// own columns and zeros elsewhere.
void Linear::join_adapters(const Parts& parts) {
  std::vector<mx::array> downs, ups;
  int columns = 0, before = 0;
  for (const Linear& part : parts) columns += part.rows();
  for (const Linear& part : parts) {
    int rows = part.rows();
    if (part.down_) {
      downs.push_back(*part.down_);
      ups.push_back(mx::pad(*part.up_, {{0, 0}, {before, columns - before - rows}}));
    }
    before += rows;
  }
  if (downs.empty()) return;
  down_ = mx::concatenate(downs, 0);
  up_ = mx::concatenate(ups, 0);
  mx::eval(*down_, *up_);
}

std::vector<cpu::PackedPart> Linear::matrices(const Parts& parts) {
  std::vector<cpu::PackedPart> matrices;
  for (const Linear& part : parts) {
    matrices.push_back({*part.weight_.packed(), part.bias_, part.down(), part.up()});
  }
  return matrices;
}

cpu::Operand Linear::as_fine(const Parts& parts, cpu::Operand operand) {
  if (parts.front().get().encodes_) operand.fine_above = 0;
  return operand;
}

bool Linear::rounds(const Parts& parts) {
  return std::all_of(parts.begin(), parts.end(), [](const Linear& part) {
    bool whole = !part.down_ && !part.sum_;
    return part.encodes_ && whole && cpu::rounds_activations(*part.weight_.packed());
  });
}

std::vector<mx::array> Linear::rounded(const Parts& parts, const cpu::Operand& operand,
                                       const std::optional<mx::array>& residual) {
  const auto& weight = operand.norm_weight;
  mx::array x = weight ? cpu::rms_norm(operand.x, *weight, operand.eps) : operand.x;
  std::vector<mx::array> products;
  for (const Linear& part : parts) {
    products.push_back(cpu::rounded_linear(x, *part.weight_.packed(), part.bias_, residual));
  }
  return products;
}

mx::array Linear::apply(const Parts& parts, const cpu::Operand& operand,
                        const std::optional<mx::array>& residual) {
  const Linear& first = parts.front();
  if (rounds(parts)) {
    if (parts.size() == 1) return rounded(parts, operand, residual)[0];
    mx::array y = mx::concatenate(rounded(parts, operand), -1);
    return residual ? mx::add(*residual, y) : y;
  }
  cpu::Operand fine = as_fine(parts, operand);
  if (!first.sum_) return cpu::packed_linear(fine, matrices(parts), residual);
  mx::array y = first.completed(cpu::packed_linear(fine, matrices(parts), std::nullopt));
  return residual ? mx::add(*residual, y) : y;
}

mx::array Linear::apply_gated(const Parts& parts, const cpu::Operand& operand, cpu::Gate gate) {
  if (!rounds(parts)) return cpu::packed_gated(as_fine(parts, operand), matrices(parts), gate);
  std::vector<mx::array> halves = rounded(parts, operand);
  if (halves.size() == 1) {
    halves = mx::split(halves[0], 2, -1);
    for (mx::array& half : halves) half = mx::contiguous(half);
  }
  return gate == cpu::Gate::kSwiGlu ? cpu::swiglu(halves[0], halves[1])
                                    : cpu::geglu(halves[0], halves[1]);
}

cpu::Operand normalised(const Normed& x) {
  if (x.norm == nullptr || x.norm->centred()) return cpu::Operand(x.value());
  cpu::Operand operand(x.x);
  operand.norm_weight = x.norm->weight();
  operand.eps = x.norm->eps();
  return operand;
}

}  // namespace llm_host
