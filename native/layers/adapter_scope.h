#pragma once

#include "common/thread_flag.h"

namespace llm_host {

// Whether linear layers add what the model's adapters have for them, in the operations that this
// thread makes. Yes, but within the scope of a request that goes without.
using AdapterScope = ThreadFlag<struct Adapters, true>;

inline bool adapters_apply() { return AdapterScope::on(); }

}  // namespace llm_host
