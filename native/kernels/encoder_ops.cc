#include "kernels/encoder_ops.h"

#include <algorithm>

#include "kernels/base/cpu_op.h"
#include "kernels/base/thread_pool.h"
#include "kernels/simd/simd.h"

namespace llm_host::cpu {
namespace {

// Floats of a work item: some microseconds of work.
constexpr int kItemFloats = 8192;

// Runs body(begin, end) for parts of `rows` rows of `size` floats.
template <typename F>
void for_row_ranges(int rows, int size, F&& body) {
  int step = std::max(1, kItemFloats / std::max(1, size));
  parallel_for((rows + step - 1) / step,
               [&](int i) { body(i * step, std::min(rows, (i + 1) * step)); });
}

int rows_of(const mx::array& x) {
  return static_cast<int>(x.size() / static_cast<size_t>(x.shape(-1)));
}

// `tables` come after as many arrays of ids.
void add_rows(const std::vector<mx::array>& in, mx::array& out) {
  size_t count = in.size() / 2;
  int size = out.shape(-1);
  for_row_ranges(rows_of(out), size, [&](int begin, int end) {
    for (int64_t row = begin; row < end; ++row) {
      float* y = out.data<float>() + row * size;
      for (size_t i = 0; i < count; ++i) {
        const float* from =
            in[count + i].data<float>() + static_cast<int64_t>(in[i].data<int32_t>()[row]) * size;
        if (i == 0) {
          std::copy(from, from + size, y);
        } else {
          for (int c = 0; c < size; ++c) y[c] += from[c];
        }
      }
    }
  });
}

void add_mean(const float* rows, int count, int size, float* mean) {
  std::fill(mean, mean + size, 0.0f);
  for (int64_t row = 0; row < count; ++row) simd().blend(1, mean, 1, rows + row * size, size);
  float factor = 1 / static_cast<float>(count);
  for (int c = 0; c < size; ++c) mean[c] *= factor;
}

}  // namespace

mx::array sum_of_rows(std::span<const Lookup> lookups) {
  std::vector<mx::array> inputs;
  for (const Lookup& lookup : lookups) inputs.push_back(lookup.ids);
  for (const Lookup& lookup : lookups) inputs.push_back(lookup.table);
  mx::Shape shape = lookups.front().ids.shape();
  shape.push_back(lookups.front().table.shape(1));
  return cpu_op("SumOfRows", std::move(shape), std::move(inputs), add_rows);
}

mx::array layer_norm(const mx::array& x, const mx::array& weight, const mx::array& bias,
                     float eps) {
  return cpu_op("LayerNorm", x.shape(), {x, weight, bias},
                [eps](const std::vector<mx::array>& in, mx::array& out) {
                  int size = out.shape(-1);
                  const float *x = in[0].data<float>(), *weight = in[1].data<float>();
                  const float* bias = in[2].data<float>();
                  float* y = out.data<float>();
                  for_row_ranges(rows_of(out), size, [=](int begin, int end) {
                    for (int64_t at = int64_t{begin} * size; at < int64_t{end} * size; at += size)
                      simd().layer_norm(x + at, weight, bias, size, eps, y + at);
                  });
                });
}

mx::array gelu(const mx::array& x) {
  return cpu_op("Gelu", x.shape(), {x}, [](const std::vector<mx::array>& in, mx::array& out) {
    int size = out.shape(-1);
    const float* x = in[0].data<float>();
    float* y = out.data<float>();
    for_row_ranges(rows_of(out), size, [=](int begin, int end) {
      // By rows, so that the last lanes of a vector fall on the same columns in every batch.
      for (int64_t at = int64_t{begin} * size; at < int64_t{end} * size; at += size)
        simd().gelu(x + at, size, y + at);
    });
  });
}

mx::array mean_of_texts(const mx::array& x, const std::vector<int>& lengths) {
  int texts = static_cast<int>(lengths.size()), size = x.shape(-1);
  return cpu_op("MeanOfTexts", {texts, size}, {x},
                [lengths, size](const std::vector<mx::array>& in, mx::array& out) {
                  const float* rows = in[0].data<float>();
                  float* mean = out.data<float>();
                  for (int length : lengths) {
                    add_mean(rows, length, size, mean);
                    rows += int64_t{length} * size;
                    mean += size;
                  }
                });
}

}  // namespace llm_host::cpu
