#include "kernels/packed_expert_ops.h"

#include <algorithm>
#include <vector>

#include "kernels/base/parallel_in_order.h"
#include "kernels/base/thread_pool.h"
#include "kernels/expert_routes.h"
#include "kernels/packed/sets/kernels.h"

namespace llm_host::cpu {
namespace {

// Weights of a work item: some microseconds of work.
constexpr int kItemWeights = 48 * 1024;
// Floats between the two matrices at a time, which bounds the memory that a prompt takes.
constexpr int64_t kMiddleFloats = 8 << 20;
constexpr int kColumnsAtOnce = 512;

// A PackedExpertWeight without its bias, which is an input of the operation.
struct Stack {
  Packed matrix;
  int rows;
  int bias;  // index of the input; -1: none
};

// Routes [begin, end), all of one expert.
struct Run {
  size_t begin, end;

  int count() const { return static_cast<int>(end - begin); }
};

// The runs of routes that are in the order of their experts.
std::vector<Run> runs_of(const std::vector<Route>& routes) {
  std::vector<Run> runs;
  for (size_t begin = 0, end = 0; begin < routes.size(); begin = end) {
    while (end < routes.size() && routes[end].expert == routes[begin].expert) ++end;
    runs.push_back({begin, end});
  }
  return runs;
}

// The run of each route.
std::vector<Run> by_route(const std::vector<Run>& runs) {
  std::vector<Run> found;
  for (const Run& run : runs) found.insert(found.end(), run.end - run.begin, run);
  return found;
}

// A row of activations for each route, in the form that a matrix is multiplied with.
class ActivationRows {
 public:
  ActivationRows(const PackedMatrix& matrix, size_t rows)
      : matrix_(matrix), groups_(static_cast<size_t>(matrix.groups())) {
    size_t values = rows * static_cast<size_t>(matrix.cols);
    if (matrix.quantized()) {
      int8_.resize(2 * values);
      scales_.resize(rows * groups_);
      sums_.resize(rows * groups_);
      offsets_.resize(2 * rows * groups_);
      fine_.resize(rows * groups_);
    } else {
      values_.resize(values);
    }
  }

  // Row `row` of this run: x [cols]. Rows may be set at the same time.
  void set(const Run& run, size_t row, const float* x) {
    if (matrix_.quantized()) {
      packed_kernels().quantize(x, matrix_, static_cast<int>(row - run.begin), int8_of(run));
    } else {
      std::copy_n(x, matrix_.cols,
                  values_of(run) + static_cast<int64_t>(row - run.begin) * matrix_.cols);
    }
  }

  PackedInput rows(const Run& run) {
    if (!matrix_.quantized()) return {values_of(run), {}, run.count()};
    return {nullptr, int8_of(run), run.count()};
  }

 private:
  float* values_of(const Run& run) {
    return values_.data() + run.begin * static_cast<size_t>(matrix_.cols);
  }
  PackedInt8 int8_of(const Run& run) {
    size_t group = run.begin * groups_;
    return {int8_.data() + 2 * run.begin * static_cast<size_t>(matrix_.cols),
            scales_.data() + group,
            sums_.data() + group,
            offsets_.data() + 2 * group,
            fine_.data() + group,
            run.count(),
            usual_fine_above()};
  }

  PackedMatrix matrix_;
  size_t groups_;
  std::vector<int8_t> int8_;
  std::vector<uint8_t> fine_;
  std::vector<int32_t> offsets_;
  std::vector<float> scales_, sums_, values_;
};

// y [routes, rows]: the product of each route's row of x with its expert's matrix.
void multiply(const Stack& stack, const float* bias, const std::vector<Route>& routes,
              const std::vector<Run>& runs, ActivationRows& x, float* y) {
  struct Item {
    Run run;
    int block, blocks_end;
  };
  PackedMatrix one = stack.matrix.layout();
  one.rows = stack.rows;
  int step = std::max(1, kItemWeights / one.cols / PackedMatrix::kBlockRows);
  std::vector<Item> items;
  for (const Run& run : runs) {
    for (int b = 0; b < one.blocks(); b += step) {
      items.push_back({run, b, std::min(one.blocks(), b + step)});
    }
  }
  parallel_in_order(static_cast<int>(items.size()), [&](int i) {
    const Item& item = items[static_cast<size_t>(i)];
    int64_t expert = routes[item.run.begin].expert;
    PackedMatrix matrix = one;
    matrix.data += expert * one.bytes();
    packed_kernels().multiply(matrix, x.rows(item.run), item.block, item.blocks_end,
                              {y + static_cast<int64_t>(item.run.begin) * one.rows, one.rows,
                               bias == nullptr ? nullptr : bias + expert * one.rows, nullptr});
  });
}

// out [.., hidden] += routing weight · rows [routes, hidden], in the order of the experts.
void add_weighted(const std::vector<Route>& routes, const float* rows, int hidden, float* out) {
  int chunks = (hidden + kColumnsAtOnce - 1) / kColumnsAtOnce;
  parallel_for(chunks, [&](int chunk) {
    int begin = chunk * kColumnsAtOnce, end = std::min(hidden, begin + kColumnsAtOnce);
    for (size_t r = 0; r < routes.size(); ++r) {
      const float* row = rows + static_cast<int64_t>(r) * hidden;
      float* y = out + static_cast<int64_t>(routes[r].token) * hidden;
      for (int c = begin; c < end; ++c) y[c] += routes[r].weight * row[c];
    }
  });
}

struct Plan {
  Stack gate_up, down;
  ExpertActivation activation;
};

// Tokens [begin, end).
void run(const Plan& plan, const std::vector<mx::array>& in, int begin, int end, float* out) {
  auto bias_of = [&](const Stack& stack) {
    return stack.bias < 0 ? nullptr : in[static_cast<size_t>(stack.bias)].data<float>();
  };
  const float* x = in[0].data<float>();
  int hidden = plan.down.rows, wide = plan.gate_up.rows;
  int middle = plan.activation.width(wide);
  int experts = plan.down.matrix.layout().rows / hidden;
  std::vector<Route> routes = routes_of(in[1], in[2], begin, end, experts);
  if (routes.empty()) return;
  std::vector<Run> runs = runs_of(routes), run_of = by_route(runs);
  int count = static_cast<int>(routes.size());
  ActivationRows first(plan.gate_up.matrix.layout(), routes.size());
  parallel_for(count, [&](int i) {
    size_t r = static_cast<size_t>(i);
    first.set(run_of[r], r, x + static_cast<int64_t>(routes[r].token) * hidden);
  });
  std::vector<float> both(routes.size() * static_cast<size_t>(wide));
  multiply(plan.gate_up, bias_of(plan.gate_up), routes, runs, first, both.data());
  ActivationRows second(plan.down.matrix.layout(), routes.size());
  parallel_for(count, [&](int i) {
    // Each route's activations replace its gate.
    size_t r = static_cast<size_t>(i);
    float* gate_up = both.data() + r * static_cast<size_t>(wide);
    activate(plan.activation, gate_up, middle, gate_up);
    second.set(run_of[r], r, gate_up);
  });
  std::vector<float> rows(routes.size() * static_cast<size_t>(hidden));
  multiply(plan.down, bias_of(plan.down), routes, runs, second, rows.data());
  add_weighted(routes, rows.data(), hidden, out);
}

}  // namespace

mx::array packed_experts(const mx::array& x, const mx::array& ids, const mx::array& routing_weights,
                         const PackedExpertWeight& gate_up, const PackedExpertWeight& down,
                         ExpertActivation activation) {
  std::vector<mx::array> inputs{x, ids, routing_weights, gate_up.matrix.buffer(),
                                down.matrix.buffer()};
  auto stack_of = [&](const PackedExpertWeight& w) {
    int bias = w.bias ? static_cast<int>(inputs.size()) : -1;
    if (w.bias) inputs.push_back(*w.bias);
    return Stack{w.matrix, w.rows, bias};
  };
  Plan plan{stack_of(gate_up), stack_of(down), activation};
  auto body = [plan = std::move(plan)](const std::vector<mx::array>& in, mx::array& out) {
    std::fill_n(out.data<float>(), out.size(), 0.0f);
    int per_token = in[1].shape(-1);
    int tokens = static_cast<int>(in[1].size()) / per_token;
    int step = static_cast<int>(std::max<int64_t>(
        1, kMiddleFloats / per_token / std::max(plan.gate_up.rows, plan.down.rows)));
    for (int begin = 0; begin < tokens; begin += step) {
      run(plan, in, begin, std::min(tokens, begin + step), out.data<float>());
    }
  };
  return cpu_op("PackedExperts", x.shape(), std::move(inputs), std::move(body));
}

}  // namespace llm_host::cpu
