#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <span>

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
  // Computes with `ids` behind what is in the row. -> hidden states of the last `outputs` of them
  mx::array read(std::span<const int32_t> ids, int outputs);
  // The step behind `step`; nothing if cancelled before it is on its way.
  std::optional<Step> advance(const Step& step);
  // The same where the row's new length gives all of its tokens other position angles.
  std::optional<Step> start_over(const Step& step);
  // Waits for it. Throws MODEL_BROKEN where the model computes no numbers.
  static int32_t id_of(const Step& step);
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
