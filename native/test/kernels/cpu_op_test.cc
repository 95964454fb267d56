#include "kernels/base/cpu_op.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "check.h"

using namespace llm_host;

namespace {

// An index that no array here is as long as.
constexpr int kFar = 0x3f8ccccd;
constexpr int kCount = 1 << 16;

// Writes what is not meant to be read, and fails.
mx::array failing() {
  return cpu_op(
      "Failing", {kCount}, {},
      [](const std::vector<mx::array>&, mx::array& out) {
        std::fill_n(out.data<int32_t>(), kCount, kFar);
        throw std::runtime_error("lost");
      },
      mx::int32);
}

}  // namespace

TEST(what_fails_says_so) {
  mx::array one = failing();
  CHECK(check::throws<std::runtime_error>(
      [&] { mx::eval(one); },
      [](const auto& error) { return error.what() == std::string("lost"); }));
}

TEST(operations_that_are_queued_behind_one_that_fails_get_zeros) {
  mx::array rows = mx::arange(0, 64, mx::int32);
  mx::eval(rows);
  mx::array indices = failing(), taken = mx::take(rows, indices, 0);
  int first = -1;
  mx::array seen = cpu_op("Seen", {1}, {indices, taken},
                          [&](const std::vector<mx::array>& inputs, mx::array& out) {
                            first = inputs[0].data<int32_t>()[kCount - 1];
                            out.data<float>()[0] = 0;
                          });
  CHECK(
      check::throws<std::runtime_error>([&] { mx::eval(seen); }, [](const auto&) { return true; }));
  mx::synchronize();
  CHECK(first == 0);
}

int main() {
  mx::set_default_device(mx::Device::cpu);
  return check::run("cpu_op");
}
