#include "layers/recurrent/gated_delta.h"

#include <algorithm>
#include <cmath>

#include "common/launch_groups.h"
#include "kernels/delta_ops.h"
#include "kernels/ops.h"
#include "layers/recurrent/decay_rates.h"

namespace llm_host {
namespace {

using Arrays = std::vector<mx::array>;

// what is projected, bias, -exp(A_log)
Arrays decay_of(const Arrays& in) {
  mx::array dt = mx::add(mx::astype(in[0], mx::float32), in[1]);
  return {mx::exp(mx::multiply(in[2], mx::logaddexp(dt, mx::array(0.0f))))};
}

Arrays beta_of(const Arrays& in) { return {mx::sigmoid(mx::astype(in[0], mx::float32))}; }

// The normed output in its type, z -> the same times silu(z)
Arrays gated(const Arrays& in) {
  mx::array z = mx::astype(in[1], mx::float32);
  mx::array gate = mx::multiply(z, mx::sigmoid(z));
  return {mx::astype(mx::multiply(mx::astype(in[0], mx::float32), gate), in[1].dtype())};
}

std::vector<Linear> load_inputs(WeightStore& weights, const std::string& path,
                                const GatedDelta::Shape& s) {
  int keys = s.key_heads * s.key_dim, values = s.value_heads * s.value_dim;
  auto load = [&](const char* name, int rows) {
    return Linear::load(weights, path + "." + name, rows, s.hidden, false);
  };
  if (weights.has(path + ".in_proj_qkvz.weight")) {
    return {load("in_proj_qkvz", 2 * keys + 2 * values), load("in_proj_ba", 2 * s.value_heads)};
  }
  std::vector<Linear> inputs{load("in_proj_qkv", 2 * keys + values), load("in_proj_z", values)};
  if (weights.has(path + ".in_proj_ba.weight")) {
    inputs.push_back(load("in_proj_ba", 2 * s.value_heads));
  } else {
    inputs.push_back(load("in_proj_b", s.value_heads));
    inputs.push_back(load("in_proj_a", s.value_heads));
  }
  return inputs;
}

mx::array float32_vector(WeightStore& weights, const std::string& name, int size) {
  mx::array vector = mx::astype(weights.vector(name, size), mx::float32);
  vector.eval();
  return vector;
}

}  // namespace

GatedDelta::GatedDelta(WeightStore& weights, const std::string& path, const Shape& s)
    : shape_(s),
      inputs_(load_inputs(weights, path, s)),
      joined_(Linear::join({inputs_.begin(), inputs_.end()})),
      conv_(weights, path + ".conv1d", channels(), s.kernel, false),
      dt_bias_(float32_vector(weights, path + ".dt_bias", s.value_heads)),
      a_(decay_rates(weights, path, s.value_heads)),
      norm_(weights.vector(path + ".norm.weight", s.value_dim)),
      output_(Linear::load(weights, path + ".out_proj", s.hidden, values(), false)) {}

GatedDelta::Projected GatedDelta::project(const mx::array& x) const {
  std::vector<int> ends{channels(), channels() + values(),
                        channels() + values() + shape_.value_heads};
  size_t count = inputs_.size();
  if (count == 3) ends.pop_back();
  if (count == 2) ends = {channels() + values()};
  bool packed = std::all_of(inputs_.begin(), inputs_.end(),
                            [](const Linear& input) { return input.packed(); });
  std::vector<mx::array> parts;
  if (joined_ || packed) {
    mx::array all =
        joined_ ? (*joined_)(x) : Linear::apply({inputs_.begin(), inputs_.end()}, cpu::Operand(x));
    parts = mx::split(all, mx::Shape(ends.begin(), ends.end()), -1);
  } else {
    for (const Linear& input : inputs_) parts.push_back(input(x));
  }
  if (count == 2) return sorted(parts[0], parts[1]);
  if (count == 4) return {parts[0], parts[1], parts[2], parts[3]};
  auto [b, a] = halves(parts[2]);
  return {parts[0], parts[1], b, a};
}

// The first and the second half of each key head's columns.
std::pair<mx::array, mx::array> GatedDelta::halves(const mx::array& ba) const {
  const Shape& s = shape_;
  int length = ba.shape(1), group = s.value_heads / s.key_heads;
  std::vector<mx::array> parts =
      mx::split(mx::reshape(ba, {1, length, s.key_heads, 2 * group}), 2, -1);
  mx::Shape flat{1, length, s.value_heads};
  return {mx::reshape(parts[0], flat), mx::reshape(parts[1], flat)};
}

GatedDelta::Projected GatedDelta::sorted(const mx::array& qkvz, const mx::array& ba) const {
  const Shape& s = shape_;
  int length = qkvz.shape(1), group = s.value_heads / s.key_heads, values_of = group * s.value_dim;
  mx::array heads = mx::reshape(qkvz, {1, length, s.key_heads, 2 * (s.key_dim + values_of)});
  auto part = [&](const mx::array& x, int begin, int size) {
    mx::array some = mx::slice(x, {0, 0, 0, begin}, {1, length, s.key_heads, begin + size});
    return mx::reshape(some, {1, length, s.key_heads * size});
  };
  int v_at = 2 * s.key_dim;
  mx::array qkv = mx::concatenate(
      {part(heads, 0, s.key_dim), part(heads, s.key_dim, s.key_dim), part(heads, v_at, values_of)},
      2);
  auto [b, a] = halves(ba);
  return {qkv, part(heads, v_at + values_of, values_of), b, a};
}

mx::array GatedDelta::operator()(const mx::array& x, StateCache& cache) const {
  Projected p = project(x);
  mx::array qkv = conv_.activated(p.qkv, cache);
  mx::array decay = fused("Decay", decay_of, {p.a, dt_bias_, a_});
  mx::array beta = fused("Beta", beta_of, {p.b});
  mx::array y = scan(qkv, decay, beta, cache);
  cache.advance(x.shape(1));
  return output_(gated_norm(y, p.z));
}

mx::array GatedDelta::scan(const mx::array& qkv, const mx::array& decay, const mx::array& beta,
                           StateCache& cache) const {
  if (!cpu::usable()) return scan_in_graph(qkv, decay, beta, cache);
  const Shape& s = shape_;
  mx::array states = cache.get("delta").value_or(
      mx::zeros({1, s.value_heads, s.value_dim, s.key_dim}, mx::float32));
  auto [y, next] =
      cpu::delta_scan(mx::contiguous(qkv), mx::contiguous(decay), mx::contiguous(beta), states,
                      {s.key_heads, s.value_heads, s.key_dim, s.value_dim, s.tiled});
  cache.set("delta", next);
  return y;
}

mx::array GatedDelta::scan_in_graph(const mx::array& qkv, const mx::array& decay,
                                    const mx::array& beta, StateCache& cache) const {
  const Shape& s = shape_;
  int length = qkv.shape(1);
  auto part = [&](int begin, int end, int heads, int size) {
    return mx::reshape(channels_of(qkv, begin, end), {1, length, heads, size});
  };
  // To length 1: transformers adds 1e-6 to the sum of the squares, mlx-lm to their mean.
  auto unit = [&](const mx::array& x, float factor) {
    float size = static_cast<float>(s.key_dim);
    mx::array normed = one_launch(
        "RMSNorm", {x}, [&] { return mx::fast::rms_norm(x, std::nullopt, 1e-6f / size); });
    return mx::multiply(normed, mx::array(factor / std::sqrt(size), x.dtype()));
  };
  mx::array q =
      unit(part(0, keys(), s.key_heads, s.key_dim), 1 / std::sqrt(static_cast<float>(s.key_dim)));
  mx::array k = unit(part(keys(), 2 * keys(), s.key_heads, s.key_dim), 1);
  mx::array v = part(2 * keys(), channels(), s.value_heads, s.value_dim);
  if (s.tiled) {
    std::vector<int> once_more{1, 1, s.value_heads / s.key_heads, 1};
    q = mx::tile(q, once_more);
    k = mx::tile(k, once_more);
  }
  std::vector<mx::array> results =
      mx::fast::gated_delta_update(q, k, v, decay, beta, cache.get("delta"));
  cache.set("delta", results[1]);
  return mx::reshape(results[0], {1, length, values()});
}

mx::array GatedDelta::gated_norm(const mx::array& y, const mx::array& z) const {
  const Shape& s = shape_;
  int length = y.shape(1);
  mx::array heads = mx::reshape(y, {1, length, s.value_heads, s.value_dim});
  if (cpu::usable()) {
    mx::array normed = mx::reshape(cpu::rms_norm(heads, norm_, s.eps), y.shape());
    return cpu::swiglu(mx::contiguous(z), normed);
  }
  mx::array normed = one_launch("RMSNorm", {heads, norm_},
                                [&] { return mx::fast::rms_norm(heads, norm_, s.eps); });
  return fused("GatedNorm", gated, {mx::reshape(normed, z.shape()), z});
}

}  // namespace llm_host
