#include "engine/device/device_probe.h"

#include <algorithm>
#include <functional>
#include <sstream>

#include "common/launch_groups.h"
#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

namespace {

using Where = mx::StreamOrDevice;

// Numbers from -1 to 1 without a generator of the device's: sin(i · step).
mx::array numbers(const mx::Shape& shape, float step) {
  int count = 1;
  for (int size : shape) count *= size;
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(std::sin(static_cast<float>(i + 1) * step));
  return mx::array(values.begin(), shape);
}

struct Kernel {
  const char* name;
  // Makes its inputs in float32 and calls `in` on each before it is used.
  std::function<mx::array(const std::function<mx::array(const mx::array&)>& in, Where)> run;
};

std::vector<mx::array> silu(const std::vector<mx::array>& in) {
  return {mx::multiply(in[0], mx::sigmoid(in[0]))};
}

using In = const std::function<mx::array(const mx::array&)>&;

// As a model's: more groups than one to a row. MLX has other kernels for a single one.
mx::array quantized_product(In in, Where where, bool experts) {
  mx::Shape shape = experts ? mx::Shape{4, 64, 128} : mx::Shape{64, 128};
  std::vector<mx::array> w =
      mx::quantize(numbers(shape, 0.37f), 64, 4, "affine", std::nullopt, mx::Device::cpu);
  mx::array x = in(numbers({2, 128}, 0.11f));
  if (!experts)
    return mx::quantized_matmul(x, w[0], in(w[1]), in(w[2]), true, 64, 4, "affine", where);
  mx::array chosen({3, 1}, mx::Shape{2}, mx::uint32);
  return mx::gather_qmm(mx::reshape(x, {2, 1, 128}, where), w[0], in(w[1]), in(w[2]), std::nullopt,
                        chosen, true, 64, 4, "affine", std::nullopt, false, where);
}

// Rows sorted by their expert, as a prompt's. On a CPU MLX has it for float32 alone.
mx::array sorted_experts(In in, Where where) {
  mx::array x = numbers({6, 1, 64}, 0.11f), w = numbers({4, 64, 48}, 0.37f);
  if (mx::default_device() != mx::Device::cpu) x = in(x), w = in(w);
  mx::array chosen({0, 0, 1, 3, 3, 3}, mx::Shape{6}, mx::uint32);
  return mx::gather_mm(x, w, std::nullopt, chosen, true, where);
}

mx::array attention(In in, Where where, int queries) {
  mx::array q = in(numbers({1, 4, queries, 64}, 0.13f)), k = in(numbers({1, 2, 24, 64}, 0.29f));
  return mx::fast::scaled_dot_product_attention(q, k, in(numbers({1, 2, 24, 64}, 0.17f)), 0.125f,
                                                queries > 1 ? "causal" : "", std::nullopt,
                                                std::nullopt, false, where);
}

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = {
      {"matrix product",
       [](In in, Where where) {
         return mx::matmul(in(numbers({48, 64}, 0.11f)), in(numbers({64, 80}, 0.37f)), where);
       }},
      {"matrix and vector",
       [](In in, Where where) {
         return mx::matmul(in(numbers({1, 64}, 0.11f)), in(numbers({64, 80}, 0.37f)), where);
       }},
      {"quantized product", [](In in, Where where) { return quantized_product(in, where, false); }},
      {"product with experts",
       [](In in, Where where) { return quantized_product(in, where, true); }},
      {"product with sorted experts", sorted_experts},
      {"attention of one token", [](In in, Where where) { return attention(in, where, 1); }},
      {"attention of a prompt", [](In in, Where where) { return attention(in, where, 24); }},
      {"norm",
       [](In in, Where where) {
         return mx::fast::rms_norm(in(numbers({8, 64}, 0.11f)), in(numbers({64}, 0.3f)), 1e-5f,
                                   where);
       }},
      {"rotary positions",
       [](In in, Where where) {
         return mx::fast::rope(in(numbers({1, 2, 8, 64}, 0.11f)), 64, false, 10000.0f, 1.0f, 7,
                               std::nullopt, where);
       }},
      {"softmax",
       [](In in, Where where) {
         return mx::softmax(in(numbers({8, 512}, 0.7f)), -1, true, where);
       }},
      {"rows of an embedding",
       [](In in, Where where) {
         return mx::take(in(numbers({32, 64}, 0.7f)), mx::array({5, 31, 0}, mx::Shape{3}), 0,
                         where);
       }},
      {"sort", [](In in, Where where) { return mx::sort(in(numbers({2048}, 0.7f)), 0, where); }},
      {"running sum",
       [](In in, Where where) {
         return mx::cumsum(in(numbers({64}, 0.7f)), 0, false, true, where);
       }},
      {"convolution",
       [](In in, Where where) {
         return mx::conv1d(in(numbers({1, 16, 8}, 0.7f)), in(numbers({8, 4, 1}, 0.3f)), 1, 0, 1, 8,
                           where);
       }},
  };
  return all;
}

// Relative to the greatest expected value; bfloat16 keeps 8 bits, and a sum of many loses more.
double tolerance(mx::Dtype dtype) {
  if (dtype == mx::float32) return 1e-3;
  return dtype == mx::float16 ? 1e-2 : 6e-2;
}

std::string difference(const mx::array& found, const mx::array& expected, mx::Dtype dtype) {
  mx::array y = mx::astype(found, mx::float32), cpu(expected);
  mx::eval({y, cpu});
  y = mx::contiguous(y, false, mx::Device::cpu);
  cpu = mx::contiguous(cpu, false, mx::Device::cpu);
  mx::eval({y, cpu});
  double most = 0, greatest = 0;
  for (size_t i = 0; i < cpu.size(); ++i) {
    double wanted = cpu.data<float>()[i], off = std::abs(y.data<float>()[i] - wanted);
    greatest = std::max(greatest, std::abs(wanted));
    most = std::isnan(off) ? INFINITY : std::max(most, off);
  }
  if (y.shape() == cpu.shape() && most <= tolerance(dtype) * greatest) return "";
  std::ostringstream text;
  text << "in " << dtype << " it is off by " << most << ", of at most " << greatest;
  return text.str();
}

std::string error_of_kernel(const Kernel& kernel) {
  try {
    auto as = [](mx::Dtype dtype) {
      return [dtype](const mx::array& x) { return mx::astype(x, dtype); };
    };
    mx::array expected = kernel.run(as(mx::float32), mx::Device::cpu);
    for (mx::Dtype dtype : {mx::float32, mx::float16, mx::bfloat16}) {
      std::string error = difference(kernel.run(as(dtype), {}), expected, dtype);
      if (!error.empty()) return error;
    }
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

KernelCheck check_joined() {
  KernelCheck check{"joined operations", ""};
  try {
    mx::array x = numbers({64}, 0.7f);
    mx::array expected = mx::multiply(x, mx::sigmoid(x, mx::Device::cpu), mx::Device::cpu);
    check.error = difference(fused("Silu", silu, {x}), expected, mx::float32);
  } catch (const std::exception& error) {
    check.error = error.what();
  }
  return check;
}

// One of four tokens, of which only the third is likely.
KernelCheck check_random() {
  KernelCheck check{"random choice", ""};
  try {
    mx::array logits({0.0f, 0.0f, 90.0f, 0.0f}, mx::Shape{1, 4});
    mx::array chosen = mx::random::categorical(logits, -1, mx::random::key(7));
    auto token = mx::astype(chosen, mx::int32).item<int32_t>();
    if (token != 2) check.error = "it took token " + std::to_string(token);
  } catch (const std::exception& error) {
    check.error = error.what();
  }
  return check;
}

}  // namespace

DeviceReport probe_device() {
  DeviceReport report{"", device_memory(), {}};
  for (const Kernel& kernel : kernels()) {
    report.kernels.push_back({kernel.name, error_of_kernel(kernel)});
  }
  report.kernels.push_back(check_joined());
  report.kernels.push_back(check_random());
  return report;
}

}  // namespace llm_host
