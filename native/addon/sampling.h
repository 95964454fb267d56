#pragma once

#include "addon/fields.h"
#include "engine/job/request.h"

namespace llm_host {

// Reads the sampling fields, all of which must be there. Throws USAGE for a value outside the
// ranges of sample/sampling_ranges.h.
void read_sampling(const Fields& fields, Request& request);

}  // namespace llm_host
