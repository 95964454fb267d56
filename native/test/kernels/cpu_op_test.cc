#include "kernels/base/cpu_op.h"

#include <algorithm>
#include <future>
#include <stdexcept>
#include <string>

#include "check.h"

namespace llm_host::cpu_op_test {

static const check::Suite suite("cpu_op", [] { mx::set_default_device(mx::Device::cpu); });

namespace {

// An index that no array here is as long as.
constexpr int kFar = 0x3f8ccccd;
constexpr int kCount = 1 << 16;

// Once `queued`, writes what is not meant to be read, and fails.
mx::array failing(std::shared_future<void> queued) {
  return cpu_op(
      "Failing", {kCount}, {},
      [queued](const std::vector<mx::array>&, mx::array& out) {
        queued.wait();
        std::fill_n(out.data<int32_t>(), kCount, kFar);
        throw std::runtime_error("lost");
      },
      mx::int32);
}

}  // namespace

TEST(what_fails_says_so) {
  std::promise<void> queued;
  queued.set_value();
  mx::array one = failing(queued.get_future().share());
  CHECK(check::throws<std::runtime_error>(
      [&] { mx::eval(one); },
      [](const auto& error) { return error.what() == std::string("lost"); }));
}

TEST(operations_that_are_queued_behind_one_that_fails_get_zeros) {
  mx::array rows = mx::arange(0, 64, mx::int32);
  mx::eval(rows);
  std::promise<void> queued;
  mx::array indices = failing(queued.get_future().share()), taken = mx::take(rows, indices, 0);
  int first = -1;
  mx::array seen = cpu_op("Seen", {1}, {indices, taken},
                          [&](const std::vector<mx::array>& inputs, mx::array& out) {
                            first = inputs[0].data<int32_t>()[kCount - 1];
                            out.data<float>()[0] = 0;
                          });
  mx::async_eval(seen);
  queued.set_value();
  CHECK(check::throws<std::runtime_error>([] { mx::synchronize(); },
                                          [](const auto&) { return true; }));
  CHECK(first == 0);
}

}  // namespace llm_host::cpu_op_test
