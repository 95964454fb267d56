#include "layers/latent/head_linear.h"

#include "common/error.h"
#include "kernels/base/cpu_op.h"
#include "kernels/head_ops.h"

namespace llm_host {
namespace {

// [heads · rows, in] -> [heads, rows, in]
Matrix by_head(Matrix m, int heads, int rows) {
  auto split = [&](const mx::array& x) { return mx::reshape(x, {heads, rows, x.shape(-1)}); };
  m.weight = split(m.weight);
  if (m.scales) m.scales = split(*m.scales);
  if (m.biases) m.biases = split(*m.biases);
  return m;
}

Matrix dense(const Matrix& m, mx::array weight) {
  weight = mx::contiguous(weight);
  weight.eval();
  return {weight, std::nullopt, std::nullopt, 0, 0, m.mode, m.dtype};
}

Matrix with_adapter(const Matrix& m, const Adapters::LowRank& adapter, WeightStore& weights) {
  weights.drop(m);
  auto wide = [](const mx::array& x) { return mx::astype(x, mx::float32); };
  mx::array change = mx::matmul(mx::transpose(wide(adapter.up)), wide(adapter.down));
  mx::array sum = mx::add(wide(m.dequantize()), change);
  Matrix result = dense(m, mx::astype(sum, m.quantized() ? m.dtype : m.weight.dtype()));
  weights.keep(result.weight);
  return result;
}

}  // namespace

HeadLinear::HeadLinear(Matrix stored, bool transposed, WeightStore& weights)
    : matrix_(std::move(stored)), transposed_(transposed) {
  if (!cpu::usable()) return;
  weights.drop(matrix_);
  bool narrow = weights.packed() && (matrix_.quantized() || matrix_.weight.dtype() != mx::float32);
  mx::array weight = mx::astype(matrix_.dequantize(), narrow ? mx::float16 : mx::float32);
  matrix_ = dense(matrix_, transposed ? mx::swapaxes(weight, -1, -2) : weight);
  weights.keep(matrix_.weight);
  transposed_ = false;
}

mx::array HeadLinear::multiply(const mx::array& x, bool by_rows) const {
  const Matrix& m = matrix_;
  if (by_rows) return m.multiply(x);
  if (!m.quantized()) return mx::matmul(x, m.weight);
  return mx::quantized_matmul(x, m.weight, *m.scales, m.biases, false, m.group_size, m.bits,
                              m.mode);
}

mx::array HeadLinear::side_by_side(const mx::array& x, int offset) const {
  return cpu::head_products(x, matrix_.weight, offset);
}

LatentHeads read_latent_heads(WeightStore& weights, const std::string& path,
                              const LatentHeadShape& s) {
  bool as_stored = weights.packed();
  std::string query = path + ".embed_q", output = path + ".unembed_out";
  if (weights.has(query + ".weight")) {
    Matrix embed = weights.experts(query, s.heads, s.rank, s.key_dim, as_stored);
    Matrix unembed = weights.experts(output, s.heads, s.value_dim, s.rank, as_stored);
    return {HeadLinear(embed, false, weights), HeadLinear(unembed, false, weights)};
  }
  std::string both = path + ".kv_b_proj";
  int rows = s.key_dim + s.value_dim, out = s.heads * rows;
  Matrix matrix = weights.matrix(both, out, s.rank, as_stored);
  if (auto adapter = weights.adapter(both, out, s.rank)) {
    if (weights.adapters_optional()) {
      throw Error(kModelUnsupported,
                  "an adapter of " + both + " cannot be left out of some requests");
    }
    matrix = with_adapter(matrix, *adapter, weights);
  }
  Matrix heads = by_head(matrix, s.heads, rows);
  return {HeadLinear(heads.rows(0, s.key_dim), true, weights),
          HeadLinear(heads.rows(s.key_dim, rows), false, weights)};
}

}  // namespace llm_host
