#pragma once

#include "kernels/ops.h"

namespace llm_host {

// Columns [begin, end) of x [.., n].
inline mx::array columns(const mx::array& x, int begin, int end) {
  mx::Shape start(x.ndim(), 0), stop = x.shape();
  start.back() = begin;
  stop.back() = end;
  mx::array part = mx::slice(x, start, stop);
  // Only the CPU's kernels cannot read a part of each row.
  return cpu::usable() ? mx::contiguous(part) : part;
}

}  // namespace llm_host
