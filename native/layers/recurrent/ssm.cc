#include "layers/recurrent/ssm.h"

#include <algorithm>

#include "common/launch_groups.h"
#include "kernels/ops.h"
#include "kernels/ssm_ops.h"
#include "layers/recurrent/decay_rates.h"

namespace llm_host {
namespace {

using Arrays = std::vector<mx::array>;

mx::array silu(const mx::array& x) { return mx::multiply(x, mx::sigmoid(x)); }

// what is projected, bias, least, most
Arrays softplus_clipped(const Arrays& in) {
  mx::array dt = mx::add(mx::astype(in[0], mx::float32), in[1]);
  return {mx::clip(mx::logaddexp(dt, mx::array(0.0f)), in[2], in[3])};
}

// states [.., P, N], dt, a, x [.., P, 1] and b [.., 1, N]
Arrays next_states(const Arrays& in) {
  mx::array decay = mx::exp(mx::multiply(in[1], in[2]));
  return {mx::add(mx::multiply(decay, in[0]), mx::multiply(mx::multiply(in[1], in[3]), in[4]))};
}

// y, x and d in float32, gate -> silu(gate) · (y + d · x) in gate's type
Arrays gated_output(const Arrays& in) {
  mx::array y = mx::add(in[0], mx::multiply(in[1], in[2]));
  return {mx::multiply(silu(in[3]), mx::astype(y, in[3].dtype()))};
}

// Time steps computed together as an attention; memory grows with block² · heads.
constexpr int kStepsTogether = 128;

mx::array steps(const mx::array& x, int begin, int end) {
  mx::Shape start(x.ndim(), 0), stop = x.shape();
  start[0] = begin;
  stop[0] = end;
  return mx::slice(x, start, stop);
}

// log_decay [L, heads] -> [heads, L, L]: the decay from step j to step i, Π_(j < t ≤ i), or 0 for
// j > i. Adds up the terms in between, since differences of a running sum would lose the small
// ones.
mx::array decays(const mx::array& log_decay) {
  int length = log_decay.shape(0), heads = log_decay.shape(1);
  mx::array terms = mx::expand_dims(mx::transpose(log_decay), 2);  // [heads, i, 1]
  terms = mx::broadcast_to(terms, {heads, length, length});
  return mx::tril(mx::exp(mx::cumsum(mx::tril(terms, -1), 1)));
}

SsmOutputs ssm_block(const SsmInputs& in, const mx::array& states) {
  int length = in.x.shape(0), heads = in.x.shape(1), dims = in.x.shape(2);
  int groups = in.b.shape(1), n = in.b.shape(2), repeats = heads / groups;
  mx::array log_decay = mx::multiply(in.dt, in.a);
  mx::array decay = decays(log_decay);  // [heads, i, j]
  // exp of the sum up to each step, for what was in the state before: [heads, L, 1]
  mx::array from_start = mx::expand_dims(mx::transpose(mx::exp(mx::cumsum(log_decay, 0))), 2);

  mx::array b = mx::transpose(in.b, {1, 0, 2}), c = mx::transpose(in.c, {1, 0, 2});  // [G, L, N]
  mx::array scores = mx::matmul(c, mx::swapaxes(b, 1, 2));                           // [G, i, j]
  scores = mx::reshape(mx::multiply(mx::expand_dims(scores, 1),
                                    mx::reshape(decay, {groups, repeats, length, length})),
                       {heads, length, length});
  mx::array input =
      mx::transpose(mx::multiply(in.x, mx::expand_dims(in.dt, 2)), {1, 0, 2});  // [heads, L, P]
  mx::array grouped = mx::reshape(states, {groups, repeats * dims, n});
  mx::array carried = mx::matmul(c, mx::swapaxes(grouped, 1, 2));  // [G, L, repeats · P]
  carried = mx::transpose(mx::reshape(carried, {groups, length, repeats, dims}), {0, 2, 1, 3});
  carried = mx::multiply(mx::reshape(carried, {heads, length, dims}), from_start);
  mx::array y = mx::add(mx::matmul(scores, input), carried);

  mx::array to_end = mx::slice(decay, {0, length - 1, 0}, {heads, length, length});
  mx::array weighted = mx::multiply(input, mx::swapaxes(to_end, 1, 2));  // [heads, L, P]
  weighted = mx::reshape(weighted, {groups, repeats, length, dims});
  mx::array added = mx::matmul(mx::swapaxes(weighted, 2, 3), mx::expand_dims(b, 1));
  mx::array kept = mx::slice(from_start, {0, length - 1, 0}, {heads, length, 1});
  mx::array next = mx::add(mx::multiply(states, kept), mx::reshape(added, {heads, dims, n}));
  return {mx::transpose(y, {1, 0, 2}), next};
}

}  // namespace

SsmOutputs ssm_step(const SsmInputs& in, const mx::array& states) {
  int heads = in.x.shape(1), dims = in.x.shape(2), groups = in.b.shape(1), n = in.b.shape(2);
  int repeats = heads / groups;
  auto per_head = [&](const mx::array& v) { return mx::reshape(v, {groups, repeats, 1, 1}); };
  mx::array next =
      fused("NextStates", next_states,
            {mx::reshape(states, {groups, repeats, dims, n}), per_head(in.dt), per_head(in.a),
             mx::reshape(in.x, {groups, repeats, dims, 1}), mx::reshape(in.b, {groups, 1, 1, n})});
  mx::array y =
      mx::matmul(mx::reshape(next, {groups, repeats * dims, n}), mx::reshape(in.c, {groups, n, 1}));
  return {mx::reshape(y, {1, heads, dims}), mx::reshape(next, {heads, dims, n})};
}

SsmOutputs ssm_blocks(const SsmInputs& in, const mx::array& states, int block) {
  int length = in.x.shape(0);
  std::vector<mx::array> ys;
  mx::array state = states;
  for (int begin = 0; begin < length; begin += block) {
    int end = std::min(length, begin + block);
    SsmOutputs out = ssm_block({steps(in.x, begin, end), steps(in.dt, begin, end), in.a,
                                steps(in.b, begin, end), steps(in.c, begin, end)},
                               state);
    ys.push_back(out.y);
    state = out.states;
  }
  return {ys.size() == 1 ? ys[0] : mx::concatenate(ys, 0), state};
}

Mamba2::Mamba2(WeightStore& weights, const std::string& path, const Shape& s)
    : shape_(s),
      input_(Linear::load(weights, path + ".in_proj", inner() + conv_channels() + s.heads, s.hidden,
                          s.bias)),
      conv_(weights, path + ".conv1d", conv_channels(), s.kernel, s.conv_bias),
      dt_bias_(mx::astype(weights.vector(path + ".dt_bias", s.heads), mx::float32)),
      a_(decay_rates(weights, path, s.heads)),
      d_(mx::astype(weights.vector(path + ".D", s.heads), mx::float32)),
      factors_(factors(weights.dtype())),
      output_(Linear::load(weights, path + ".out_proj", s.hidden, inner(), s.output_bias)) {
  mx::eval(dt_bias_, d_);
  if (s.norm) norm_ = weights.vector(path + ".norm.weight", inner());
}

std::optional<mx::array> Mamba2::factors(mx::Dtype dtype) const {
  const Shape& s = shape_;
  int bc = s.groups * s.state;
  const std::array<int, 5> sizes{inner(), inner(), bc, bc, s.heads};
  std::vector<float> all;
  for (size_t i = 0; i < sizes.size(); ++i) {
    all.insert(all.end(), static_cast<size_t>(sizes[i]), s.factors[i]);
  }
  if (std::all_of(all.begin(), all.end(), [](float f) { return f == 1; })) return std::nullopt;
  mx::array row = mx::astype(mx::array(all.begin(), {static_cast<int>(all.size())}), dtype);
  row.eval();
  return row;
}

mx::array Mamba2::operator()(const mx::array& x, StateCache& cache) const {
  mx::array projected = input_(x);  // gate | convolution's input | time steps
  if (factors_) projected = mx::multiply(projected, *factors_);
  int conv_end = inner() + conv_channels();
  mx::array xbc = conv_.activated(channels_of(projected, inner(), conv_end), cache);
  mx::array dt = time_steps(channels_of(projected, conv_end, conv_end + shape_.heads));
  mx::array gated = gated_scan(xbc, dt, channels_of(projected, 0, inner()), cache);
  cache.advance(x.shape(1));
  return output_(normed(gated));
}

mx::array Mamba2::time_steps(const mx::array& columns) const {
  mx::array least(shape_.min_step), most(shape_.max_step);
  return fused("TimeSteps", softplus_clipped, {columns, dt_bias_, least, most});
}

mx::array Mamba2::gated_scan(const mx::array& xbc, const mx::array& dt, const mx::array& gate,
                             StateCache& cache) const {
  if (!cpu::usable()) return gated_scan_in_graph(xbc, dt, gate, cache);
  const Shape& s = shape_;
  mx::array states =
      cache.get("ssm").value_or(mx::zeros({1, s.heads, s.head_dim, s.state}, mx::float32));
  auto [y, next] = cpu::ssm_scan(mx::contiguous(xbc), mx::contiguous(dt), a_, d_, states,
                                 {s.heads, s.head_dim, s.groups, s.state});
  cache.set("ssm", next);
  return cpu::swiglu(mx::contiguous(gate), mx::contiguous(y));
}

mx::array Mamba2::gated_scan_in_graph(const mx::array& xbc, const mx::array& dt,
                                      const mx::array& gate, StateCache& cache) const {
  const Shape& s = shape_;
  int length = xbc.shape(1), bc = s.groups * s.state;
  auto part = [&](int begin, int end, int rows, int size) {
    return mx::reshape(mx::astype(channels_of(xbc, begin, end), mx::float32), {length, rows, size});
  };
  SsmInputs in{part(0, inner(), s.heads, s.head_dim), mx::reshape(dt, {length, s.heads}), a_,
               part(inner(), inner() + bc, s.groups, s.state),
               part(inner() + bc, inner() + 2 * bc, s.groups, s.state)};
  mx::Shape shape{s.heads, s.head_dim, s.state};
  auto known = cache.get("ssm");
  mx::array states = known ? mx::reshape(*known, shape) : mx::zeros(shape, mx::float32);
  SsmOutputs out = length == 1 ? ssm_step(in, states) : ssm_blocks(in, states, kStepsTogether);
  cache.set("ssm", mx::expand_dims(out.states, 0));
  mx::array gates = mx::reshape(gate, in.x.shape());
  mx::array gated = fused("GatedOutput", gated_output, {out.y, in.x, mx::expand_dims(d_, 1), gates},
                          length == 1 ? Shapes::kThese : Shapes::kAny);
  return mx::reshape(gated, {1, length, inner()});
}

// Like transformers and the paper's own code, normalises each group of heads by itself; mlx-lm
// normalises all of them together, which differs for more than one group.
mx::array Mamba2::normed(const mx::array& gated) const {
  const Shape& s = shape_;
  if (!norm_) return gated;
  if (cpu::usable() && s.groups == 1) return cpu::rms_norm(gated, *norm_, s.eps);
  auto norm = [&](const mx::array& x, const std::optional<mx::array>& weight) {
    return one_launch("RMSNorm", {x}, [&] { return mx::fast::rms_norm(x, weight, s.eps); });
  };
  if (s.groups == 1) return norm(gated, *norm_);
  mx::Shape grouped{1, gated.shape(1), s.groups, inner() / s.groups};
  return mx::multiply(mx::reshape(norm(mx::reshape(gated, grouped), std::nullopt), gated.shape()),
                      *norm_);
}

}  // namespace llm_host
