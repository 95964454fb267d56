#include "kernels/head_ops.h"

#include <cmath>
#include <cstring>

#include "check.h"

namespace llm_host::head_ops_test {

static const check::Suite suite("head_ops", [] {
  mx::set_default_device(mx::Device::cpu);
  mx::set_compile_mode(mx::CompileMode::disabled);
});
namespace mx = mlx::core;

namespace {

struct Shape {
  int length, heads, own, offset, in, out;
};

mx::array noise(const mx::Shape& shape, uint64_t seed) {
  return mx::random::normal(shape, mx::float32, 0, 1, mx::random::key(seed));
}

// By the definition, in float64.
double worst(const Shape& s, const mx::array& x, const mx::array& w, const mx::array& y) {
  double most = 0;
  for (int t = 0; t < s.length; ++t) {
    for (int h = 0; h < s.heads; ++h) {
      const float* a = x.data<float>() + (t * s.heads + h) * s.own + s.offset;
      for (int row = 0; row < s.out; ++row) {
        const float* b = w.data<float>() + (h * s.out + row) * s.in;
        double sum = 0;
        for (int i = 0; i < s.in; ++i) sum += static_cast<double>(a[i]) * b[i];
        most = std::max(most, std::abs(sum - y.data<float>()[(t * s.heads + h) * s.out + row]));
      }
    }
  }
  return most;
}

}  // namespace

TEST(each_head_has_a_matrix_of_its_own) {
  for (const Shape& s : {Shape{1, 4, 20, 0, 12, 16}, Shape{5, 3, 24, 8, 16, 10},
                         Shape{7, 2, 200, 64, 130, 150}, Shape{1, 1, 3, 1, 1, 1}}) {
    for (mx::Dtype dtype : {mx::float32, mx::float16}) {
      mx::array x = noise({1, s.length, s.heads * s.own}, 1);
      mx::array w = mx::astype(noise({s.heads, s.out, s.in}, 2), dtype);
      mx::array y = cpu::head_products(x, w, s.offset), wide = mx::astype(w, mx::float32);
      mx::eval(x, y, wide);
      CHECK(y.shape() == mx::Shape({1, s.length, s.heads, s.out}));
      CHECK(worst(s, x, wide, y) < 1e-4);
    }
  }
}

TEST(a_row_has_the_same_bits_alone_and_among_others) {
  mx::array x = noise({1, 9, 2 * 37}, 3), w = noise({2, 70, 30}, 4);
  mx::array all = cpu::head_products(x, w, 7);
  mx::eval(x, all);
  for (int t = 0; t < 9; ++t) {
    mx::array row = mx::contiguous(mx::slice(x, {0, t, 0}, {1, t + 1, 2 * 37}));
    mx::array alone = cpu::head_products(row, w, 7);
    mx::eval(alone);
    CHECK(std::memcmp(alone.data<float>(), all.data<float>() + t * 140, 140 * sizeof(float)) == 0);
  }
}

}  // namespace llm_host::head_ops_test
