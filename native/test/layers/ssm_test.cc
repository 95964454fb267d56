#include "layers/recurrent/ssm.h"

#include <cmath>
#include <random>

#include "check.h"
#include "kernels/ops.h"
#include "kernels/ssm_ops.h"

namespace llm_host::ssm_test {

static const check::Suite suite("ssm", [] {
  mx::set_default_device(mx::Device::cpu);
  mx::set_compile_mode(mx::CompileMode::disabled);
});

namespace {

struct Case {
  int length, heads, head_dim, groups, state;
};

// One long run, one of a single step, and one per block boundary.
constexpr Case kCases[] = {{37, 4, 6, 1, 8}, {1, 4, 6, 2, 8}, {20, 6, 5, 3, 16}, {16, 2, 3, 2, 4}};

std::mt19937 random_bits(5);

std::vector<float> random_floats(int count, float low, float high) {
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = uniform(random_bits);
  return values;
}

struct Data {
  explicit Data(const Case& c)
      : xbc(random_floats(c.length * width(c), -1, 1)),
        dt(random_floats(c.length * c.heads, 0.001f, 3)),
        a(random_floats(c.heads, -40, -0.01f)),
        d(random_floats(c.heads, -1, 1)),
        states(random_floats(c.heads * c.head_dim * c.state, -1, 1)) {}

  static int width(const Case& c) { return c.heads * c.head_dim + 2 * c.groups * c.state; }

  std::vector<float> xbc, dt, a, d, states;
};

mx::array array_of(const std::vector<float>& values, mx::Shape shape) {
  return mx::array(values.begin(), std::move(shape), mx::float32);
}

// The definition, in float64. -> y without D · x, then the states.
std::vector<double> reference(const Case& c, const Data& data) {
  int inner = c.heads * c.head_dim, width = Data::width(c);
  std::vector<double> s(data.states.begin(), data.states.end());
  std::vector<double> out(static_cast<size_t>(c.length * inner), 0.0);
  for (int t = 0; t < c.length; ++t) {
    for (int i = 0; i < inner; ++i) {
      int head = i / c.head_dim, group = head / (c.heads / c.groups);
      const float* row = data.xbc.data() + t * width;
      const float *b = row + inner + group * c.state, *cc = b + c.groups * c.state;
      double dt = data.dt[static_cast<size_t>(t) * c.heads + head];
      for (int n = 0; n < c.state; ++n) {
        double& state = s[static_cast<size_t>(i) * c.state + n];
        state = std::exp(dt * data.a[static_cast<size_t>(head)]) * state + dt * row[i] * b[n];
        out[static_cast<size_t>(t) * inner + i] += state * cc[n];
      }
    }
  }
  out.insert(out.end(), s.begin(), s.end());
  return out;
}

double difference(const std::vector<double>& expected, size_t from, const mx::array& got) {
  mx::array flat = mx::contiguous(mx::flatten(got));
  flat.eval();
  double worst = 0;
  for (size_t i = 0; i < flat.size(); ++i) {
    worst = std::max(worst, std::abs(expected[from + i] - flat.data<float>()[i]));
  }
  return worst;
}

SsmInputs inputs_of(const Case& c, const Data& data) {
  int inner = c.heads * c.head_dim, bc = c.groups * c.state;
  mx::array xbc = array_of(data.xbc, {c.length, Data::width(c)});
  auto part = [&](int begin, int end, int rows) {
    return mx::reshape(mx::slice(xbc, {0, begin}, {c.length, end}),
                       {c.length, rows, (end - begin) / rows});
  };
  return {part(0, inner, c.heads), array_of(data.dt, {c.length, c.heads}),
          array_of(data.a, {c.heads}), part(inner, inner + bc, c.groups),
          part(inner + bc, inner + 2 * bc, c.groups)};
}

void check_outputs(const std::vector<double>& expected, const mx::array& y,
                   const mx::array& states) {
  CHECK(difference(expected, 0, y) < 1e-4);
  CHECK(difference(expected, y.size(), states) < 1e-4);
}

}  // namespace

TEST(blocks_of_any_size_equal_the_recurrence) {
  for (const Case& c : kCases) {
    Data data(c);
    std::vector<double> expected = reference(c, data);
    mx::array states = array_of(data.states, {c.heads, c.head_dim, c.state});
    for (int block : {1, 3, 16, 64}) {
      SsmOutputs out = ssm_blocks(inputs_of(c, data), states, block);
      check_outputs(expected, out.y, out.states);
    }
  }
}

TEST(single_steps_equal_the_recurrence) {
  for (const Case& c : kCases) {
    Data data(c);
    SsmInputs in = inputs_of(c, data);
    mx::array states = array_of(data.states, {c.heads, c.head_dim, c.state});
    std::vector<mx::array> ys;
    for (int t = 0; t < c.length; ++t) {
      auto at = [&](const mx::array& x) { return mx::take(x, mx::array({t}), 0); };
      SsmOutputs out = ssm_step({at(in.x), at(in.dt), in.a, at(in.b), at(in.c)}, states);
      ys.push_back(out.y);
      states = out.states;
    }
    check_outputs(reference(c, data), mx::concatenate(ys, 0), states);
  }
}

TEST(kernel_equals_the_recurrence_and_leaves_the_old_states) {
  for (const Case& c : kCases) {
    Data data(c);
    int inner = c.heads * c.head_dim;
    mx::array old = array_of(data.states, {1, c.heads, c.head_dim, c.state});
    mx::array zero = mx::zeros({c.heads});
    auto scan = [&](const mx::array& d) {
      return cpu::ssm_scan(array_of(data.xbc, {1, c.length, Data::width(c)}),
                           array_of(data.dt, {1, c.length, c.heads}), array_of(data.a, {c.heads}),
                           d, old, {c.heads, c.head_dim, c.groups, c.state});
    };
    auto [y, states] = scan(zero);
    check_outputs(reference(c, data), y, states);
    CHECK(mx::array_equal(old, array_of(data.states, old.shape())).item<bool>());

    auto [with_d, same_states] = scan(array_of(data.d, {c.heads}));
    mx::array x = mx::reshape(inputs_of(c, data).x, {1, c.length, inner});
    mx::array factors = mx::repeat(array_of(data.d, {c.heads}), c.head_dim, 0);
    mx::array added = mx::add(y, mx::multiply(x, factors));
    CHECK(mx::allclose(with_d, added, 1e-5, 1e-5).item<bool>());
  }
}

TEST(depthwise_kernel_equals_mlx) {
  for (int kernel : {1, 3, 4}) {
    constexpr int kLength = 9, kChannels = 300;
    mx::array x = array_of(random_floats((kLength + kernel - 1) * kChannels, -1, 1),
                           {1, kLength + kernel - 1, kChannels});
    mx::array weight = array_of(random_floats(kernel * kChannels, -1, 1), {kernel, kChannels});
    mx::array bias = array_of(random_floats(kChannels, -1, 1), {kChannels});
    mx::array filters = mx::expand_dims(mx::transpose(weight), 2);
    mx::array plain = mx::conv1d(x, filters, 1, 0, 1, kChannels);
    CHECK(
        mx::allclose(cpu::depthwise_conv(x, weight, std::nullopt), plain, 1e-5, 1e-5).item<bool>());
    mx::array biased = mx::add(plain, bias);
    CHECK(mx::allclose(cpu::depthwise_conv(x, weight, bias), biased, 1e-5, 1e-5).item<bool>());
    mx::array silu = mx::multiply(biased, mx::sigmoid(biased));
    CHECK(mx::allclose(cpu::depthwise_conv(x, weight, bias, true), silu, 1e-5, 1e-5).item<bool>());
    mx::array last = mx::slice(x, {0, kLength - 1, 0}, x.shape());
    mx::array alone = cpu::depthwise_conv(last, weight, bias, true);
    mx::array of_all = mx::slice(cpu::depthwise_conv(x, weight, bias, true), {0, kLength - 1, 0},
                                 {1, kLength, kChannels});
    CHECK(mx::array_equal(alone, of_all).item<bool>());
  }
}

}  // namespace llm_host::ssm_test
