#pragma once

#include "models/decoder_config.h"

namespace llm_host {

// What OLMo 2 and 3 have in common: norms after attention and feed-forward only, and norms over all
// heads of q and of k.
void set_olmo(const Config& config, DecoderConfig& c);

}  // namespace llm_host
