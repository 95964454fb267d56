#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mlx/mlx.h"
#include "sample/graph_sampler.h"
#include "sample/sampler.h"

namespace llm_host {

// The sampler of one generation as an operation on arrays, so that the next step's graph can be
// built before its token is known.
class LazySampler {
 public:
  LazySampler(SamplingParams params, std::span<const int32_t> prompt);

  // logits [V] float32 -> the token [1] int32. Call it with steps 0, 1, 2, ...; the logits of each
  // must depend on the token before, which the penalties count when it is computed.
  mlx::core::array operator()(const mlx::core::array& logits, uint64_t step) const;

  // Samples steps from `step` on, as long as what is sampled is what was proposed: logits [n, V]
  // float32, of the token before and of the `proposed` n - 1 -> tokens [n] int32, of which those
  // after the first that was not proposed have no meaning. So a reply's tokens are drawn as without
  // proposals. Call `keep` before the next step.
  mlx::core::array verify(const mlx::core::array& logits, uint64_t step,
                          std::vector<int32_t> proposed) const;
  // The first `count` of them are the reply's.
  void keep(size_t count) const;

  // One generation's part in a pass: its step, and what it has `verify`.
  struct Draw {
    const LazySampler& sampler;
    uint64_t step;
    std::vector<int32_t> proposed;

    int rows() const { return 1 + static_cast<int>(proposed.size()); }
  };
  // The tokens of several generations, each as its own sampler draws them, on all threads: logits
  // [N, V] float32, `rows()` of them for each -> tokens [N] int32.
  static mlx::core::array draw(const mlx::core::array& logits, std::span<const Draw> draws);

 private:
  struct State {
    SamplingParams params;
    TokenHistory history;
    std::optional<GraphSampler> in_graph;                 // where the device policy wants that
    std::vector<std::optional<mlx::core::array>> counts;  // its, after each token to verify

    // The token of `step`, which is counted.
    int32_t next(std::span<const float> logits, uint64_t step);
    // The tokens of steps from `step` on, from logits [n, vocab], until one is not what was
    // proposed.
    void next(const float* logits, size_t vocab, uint64_t step, std::span<const int32_t> proposed,
              int32_t* tokens);
    // As next() in the graph.
    void next_in_graph(const mlx::core::array& logits, uint64_t step,
                       std::vector<mlx::core::array>& tokens);
  };
  std::shared_ptr<State> state_;
};

}  // namespace llm_host
