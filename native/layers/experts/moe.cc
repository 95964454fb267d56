#include "layers/experts/moe.h"

#include <numeric>

#include "common/launch_groups.h"
#include "layers/mlp.h"
#include "layers/plain_mlp.h"

namespace llm_host {
namespace {

// From this many rows on, sort them by expert, so that each expert's weights are read once.
constexpr int kSortFrom = 64;

using Arrays = std::vector<mx::array>;

// gate and up, each with its bias if there are biases: in[i] and in[i + 2].
mx::array biased(const Arrays& in, size_t i, size_t others) {
  return in.size() - others == 4 ? mx::add(in[i], in[i + 2]) : in[i];
}

Arrays biased_swiglu(const Arrays& in) {
  mx::array gate = biased(in, 0, 0), up = biased(in, 1, 0);
  return {mx::multiply(mx::multiply(gate, mx::sigmoid(gate)), up)};
}

Arrays biased_geglu(const Arrays& in) {
  return {mx::multiply(gelu_tanh(biased(in, 0, 0)), biased(in, 1, 0))};
}

// And then limit, −limit, alpha and 1.
Arrays clipped_swiglu(const Arrays& in) {
  const mx::array* scalars = in.data() + in.size() - 4;
  mx::array gate = mx::minimum(biased(in, 0, 4), scalars[0]);
  mx::array up = mx::clip(biased(in, 1, 4), scalars[1], scalars[0]);
  mx::array glu = mx::multiply(gate, mx::sigmoid(mx::multiply(scalars[2], gate)));
  return {mx::multiply(glu, mx::add(up, scalars[3]))};
}

// y [.., out], weights [.., 1] and the bias of each y if there is one.
Arrays weighted(const Arrays& in) {
  mx::array y = in.size() == 3 ? mx::add(in[0], in[2]) : in[0];
  return {mx::multiply(y, mx::astype(in[1], y.dtype()))};
}

// 0, 1, 2, ... as data, which no kernel makes.
mx::array indices(mx::Shape shape) {
  int count = 1;
  for (int size : shape) count *= size;
  std::vector<uint32_t> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0u);
  return mx::array(values.begin(), std::move(shape), mx::uint32);
}

// For operations that take no ids from `experts` on: another expert without weight.
Routing without_others(const Routing& routing, int experts) {
  mx::array here = mx::less(routing.experts, mx::array(static_cast<uint32_t>(experts)));
  return {mx::where(here, routing.experts, mx::array(0u)),
          mx::where(here, routing.weights, mx::array(0.0f, routing.weights.dtype()))};
}

}  // namespace

Experts::Experts(WeightStore& weights, const std::string& path, const Shape& shape)
    : shape_(shape), stacks_(no_matrices()) {
  if (const PartialModules* partial = weights.partial(path)) {
    shape_.experts /= partial->count;
    first_ = shape_.experts * partial->index;
    sum_ = partial->sum;
  }
  if (packs(weights, shape) && pack_while_reading(weights, path)) return;
  stacks_ = read_expert_stacks(weights, path, shape_, packs(weights, shape));
  if (packs(weights, shape)) pack(weights);
}

ExpertStacks Experts::no_matrices() {
  Matrix none{mx::array(0.0f), std::nullopt, std::nullopt};
  return {{none, std::nullopt}, {none, std::nullopt}};
}

bool Experts::pack_while_reading(WeightStore& weights, const std::string& path) {
  std::optional<ExpertTensors> tensors = find_expert_tensors(weights, path, shape_);
  if (!tensors) return false;
  int rows = shape_.wide() / static_cast<int>(tensors->first.size());
  auto first = weights.packed_experts(tensors->first, shape_.experts, rows, shape_.hidden);
  if (!first) return false;
  // Both or neither: the kernels take them together.
  auto down =
      weights.packed_experts({tensors->down}, shape_.experts, shape_.hidden, shape_.intermediate);
  if (!down) return false;
  read_expert_biases(weights, *tensors, shape_, stacks_);
  packed_.emplace(PackedStacks{std::move(*first), std::move(*down)});
  return true;
}

bool Experts::packs(const WeightStore& weights, const Shape& shape) {
  // Each expert's rows must be whole blocks.
  constexpr int kRows = PackedMatrix::kBlockRows;
  return weights.packed() && shape.wide() % kRows == 0 && shape.hidden % kRows == 0;
}

void Experts::pack(WeightStore& weights) {
  auto packed = [&](const Matrix& m) {
    auto flat = [](const mx::array& a) {
      mx::array rows = mx::contiguous(mx::reshape(a, {-1, a.shape(-1)}));
      rows.eval();
      return rows;
    };
    auto each = [&](const std::optional<mx::array>& a) {
      return a ? std::optional(flat(*a)) : std::nullopt;
    };
    return cpu::Packed::pack(weights.arena(), flat(m.weight), each(m.scales), each(m.biases),
                             m.group_size, m.bits);
  };
  // Both or neither: the kernels take them together, and they are stored alike.
  std::optional<cpu::Packed> first = packed(stacks_.gate_up.matrix);
  std::optional<cpu::Packed> second;
  if (first) second = packed(stacks_.down.matrix);
  std::initializer_list<Matrix*> both{&stacks_.gate_up.matrix, &stacks_.down.matrix};
  if (!second) {
    for (Matrix* matrix : both) {
      if (!matrix->quantized()) matrix->weight = evaluated(matrix->dequantize());
    }
    return;
  }
  for (Matrix* matrix : both) {
    weights.drop(*matrix);
    *matrix = no_matrices().down.matrix;
  }
  packed_.emplace(PackedStacks{std::move(*first), std::move(*second)});
}

mx::array Experts::operator()(const mx::array& x, const Routing& routing) const {
  if (!sum_) return own(x, routing);
  // Ids before the first one become the greatest numbers.
  mx::array first(static_cast<uint32_t>(first_));
  return sum_(own(x, {mx::subtract(routing.experts, first), routing.weights}));
}

mx::array Experts::own(const mx::array& x, const Routing& routing) const {
  if (packed_) {
    mx::array ids = mx::contiguous(routing.experts), weights = mx::contiguous(routing.weights);
    return cpu::packed_experts(
        x, ids, weights, {packed_->gate_up, stacks_.gate_up.bias, shape_.wide()},
        {packed_->down, stacks_.down.bias, shape_.hidden}, shape_.activation);
  }
  if (cpu::usable()) {
    auto weight_of = [](const ExpertStack& s) {
      const Matrix& m = s.matrix;
      return cpu::ExpertWeight{m.weight, m.scales, m.biases, s.bias, m.group_size, m.bits};
    };
    cpu::ExpertWeight gate_up = weight_of(stacks_.gate_up), down = weight_of(stacks_.down);
    if (cpu::supports(gate_up) && cpu::supports(down)) {
      mx::array ids = mx::contiguous(routing.experts), weights = mx::contiguous(routing.weights);
      return cpu::experts(x, ids, weights, gate_up, down, shape_.activation);
    }
  }
  Routing here = sum_ ? without_others(routing, shape_.experts) : routing;
  return mx::reshape(gather(mx::reshape(x, {-1, shape_.hidden}), here), x.shape());
}

mx::array Experts::gather(const mx::array& x, const Routing& routing) const {
  int length = x.shape(0), per_token = routing.experts.shape(-1), count = length * per_token;
  mx::array experts = mx::reshape(routing.experts, {length, per_token});
  mx::array y = [&] {
    if (count < kSortFrom) {
      return through({mx::reshape(x, {length, 1, 1, shape_.hidden}), experts, false});
    }
    mx::array all = mx::reshape(experts, {count}), order = mx::argsort(all);
    mx::array tokens = mx::floor_divide(order, mx::array(per_token, mx::uint32));
    // Not expand_dims: MLX's sorted products take the stride of that axis, 1, for that of a row.
    mx::array rows = mx::reshape(mx::take(x, tokens, 0), {count, 1, shape_.hidden});
    mx::array sorted = through({rows, mx::take(all, order, 0), true});
    return mx::take(sorted, mx::argsort(order), 0);
  }();
  mx::Shape each{length, per_token, shape_.hidden};
  Arrays inputs{mx::reshape(y, each), mx::reshape(routing.weights, {length, per_token, 1})};
  if (auto offsets = biases(stacks_.down, experts)) {
    inputs.push_back(mx::reshape(*offsets, each));
  }
  return mx::sum(fused("WeightExperts", weighted, inputs), 1);
}

mx::array Experts::through(const Chosen& c) const {
  mx::array middle = activate(multiply(stacks_.gate_up, c), biases(stacks_.gate_up, c.experts));
  return multiply(stacks_.down, {middle, c.experts, c.sorted});
}

mx::array Experts::multiply(const ExpertStack& stack, const Chosen& c) {
  const Matrix& m = stack.matrix;
  std::optional<mx::array> row;  // MLX does not see that they are sorted if it gets this
  if (!c.sorted) row = indices({c.x.shape().begin(), c.x.shape().end() - 2});
  return m.scales ? mx::gather_qmm(c.x, m.weight, *m.scales, m.biases, row, c.experts, true,
                                   m.group_size, m.bits, m.mode, std::nullopt, c.sorted)
                  : mx::gather_mm(c.x, mx::swapaxes(m.weight, -1, -2), row, c.experts, c.sorted);
}

std::optional<mx::array> Experts::biases(const ExpertStack& stack, const mx::array& experts) {
  if (!stack.bias) return std::nullopt;
  return mx::expand_dims(mx::take(*stack.bias, experts, 0), -2);
}

mx::array Experts::activate(const mx::array& gate_up,
                            const std::optional<mx::array>& biases) const {
  using Kind = cpu::ExpertActivation::Kind;
  if (!shape_.gated()) return relu_squared(biases ? mx::add(gate_up, *biases) : gate_up);
  Arrays inputs = mx::split(gate_up, 2, -1);
  if (biases) {
    for (const mx::array& half : mx::split(*biases, 2, -1)) inputs.push_back(half);
  }
  if (shape_.activation.kind == Kind::kGeGlu) return fused("GeGlu", biased_geglu, inputs);
  float limit = shape_.activation.limit;
  if (limit == 0) return fused("SwiGlu", biased_swiglu, inputs);
  for (float value : {limit, -limit, shape_.activation.alpha, 1.0f}) {
    inputs.push_back(mx::array(value, gate_up.dtype()));
  }
  return fused("ClippedSwiGlu", clipped_swiglu, inputs);
}

}  // namespace llm_host
