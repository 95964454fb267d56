#pragma once

#include <vector>

#include "kernels/base/cpu_op.h"
#include "kernels/encoder_ops.h"

namespace llm_host {

// The sum of a row of each table: ids [rows, columns] -> [rows, columns, n].
inline mx::array sum_of_rows(const std::vector<cpu::Lookup>& lookups) {
  if (cpu::usable()) return cpu::sum_of_rows(lookups);
  mx::array sum = mx::take(lookups[0].table, lookups[0].ids, 0);
  for (size_t i = 1; i < lookups.size(); ++i) {
    sum = mx::add(sum, mx::take(lookups[i].table, lookups[i].ids, 0));
  }
  return sum;
}

}  // namespace llm_host
