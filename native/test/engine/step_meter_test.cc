#include "engine/generate/step_meter.h"

#include "check.h"

using llm_host::count_primitives;
using llm_host::StepMeter;
namespace mx = mlx::core;

TEST(counts_each_operation_once_whatever_hangs_on_it) {
  mx::array a = mx::ones({4}), b = mx::ones({4});
  mx::eval(a, b);
  mx::array sum = mx::add(a, b);
  mx::array twice = mx::multiply(sum, sum);
  CHECK(count_primitives({sum}) == 1);
  CHECK(count_primitives({twice}) == 2);
  CHECK(count_primitives({twice, sum, twice}) == 2);
}

TEST(the_outputs_of_one_operation_are_that_operation) {
  mx::array a = mx::ones({4});
  mx::eval(a);
  std::vector<mx::array> parts = mx::split(a, 2);
  CHECK(count_primitives(parts) == 1);
}

TEST(what_has_been_computed_or_is_on_its_way_is_not_counted) {
  mx::array a = mx::ones({4});
  mx::eval(a);
  CHECK(count_primitives({a}) == 0);
  mx::array first = mx::add(a, a);
  mx::async_eval(first);
  mx::array second = mx::add(first, a);
  CHECK(count_primitives({second}) == 1);
  mx::eval(second);
}

TEST(times_only_what_was_started_a_value_for_each_step) {
  mx::array a = mx::ones({4});
  StepMeter meter(true);
  meter.built({a});
  meter.submitted();
  CHECK(meter.stats()->build_us.empty());
  for (int i = 0; i < 2; ++i) {
    meter.start();
    meter.built({a});
    meter.submitted();
  }
  CHECK(meter.stats()->build_us.size() == 2);
  CHECK(meter.stats()->submit_us.size() == 2);
  CHECK(meter.stats()->primitives > 0);
  CHECK(!StepMeter(false).stats());
}

int main() { return check::run("step_meter"); }
