#pragma once

#include <functional>

namespace llm_host {

// As parallel_for, for bodies that stream memory: each thread begins with a part of its own, [0,
// count) cut into as many as there are threads, and takes its indices in ascending order. One that
// is done takes what is left from the ends of the other parts.
void parallel_in_order(int count, const std::function<void(int)>& body);

}  // namespace llm_host
