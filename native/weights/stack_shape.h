#pragma once

namespace llm_host {

// The shape of each of several stacks of matrices, one matrix an expert.
struct StackShape {
  int experts, rows, cols;
};

}  // namespace llm_host
