#include "engine/generate/step_meter.h"

#include "check.h"

namespace llm_host::step_meter_test {

static const check::Suite suite("step_meter");

namespace mx = mlx::core;

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

}  // namespace llm_host::step_meter_test
