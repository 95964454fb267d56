#pragma once

#include <chrono>
#include <functional>
#include <set>

#include "engine/job.h"
#include "engine/row.h"
#include "engine/step_meter.h"
#include "models/model.h"
#include "sample/lazy_sampler.h"

namespace llm_host {

// One run of a job over a row: prefill in chunks, then decode one step ahead of what is read.
class Generation {
 public:
  // `chunk`: prompt tokens a step. `on_step` is called between steps.
  Generation(const Model& model, Row& row, Job& job, int chunk,
             const std::function<void()>& on_step);

  // Emits every event but the last, which it returns. Throws what MLX throws; then the row's cache
  // is not to be used again.
  EndEvent run();

 private:
  using Clock = std::chrono::steady_clock;

  // A step on its way: its logits [V] and its token [1], both lazy.
  struct Step {
    mx::array logits;
    mx::array token;
  };

  // False if cancelled.
  bool prefill();
  // Where the prompt is to be interrupted to keep the state.
  std::set<int> checkpoints() const;
  void decode();
  // The step behind `step`.
  Step advance(const Step& step);
  // Samples from the last position of `hidden` and starts the computation.
  Step launch(const mx::array& hidden, int index);
  void emit(int32_t id, const Step& step);
  EndEvent end() const;

  const Model& model_;
  Row& row_;
  Job& job_;
  const int chunk_;
  const std::function<void()>& on_step_;
  const LazySampler sampler_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point first_token_{};
  Clock::time_point last_token_{};
  int cached_ = 0;
  int generated_ = 0;
  const char* reason_ = "cancelled";
  std::optional<mx::array> last_hidden_;
  std::vector<float> prompt_logprobs_;
  StepMeter meter_;
};

}  // namespace llm_host
