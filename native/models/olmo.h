#pragma once

#include "models/decoder_config.h"

namespace llm_host {

// Sets the common part of OLMo 2 and 3: norms after attention and feed-forward only, and norms over
// all heads of q and of k.
void set_olmo(const Config& config, DecoderConfig& c);

}  // namespace llm_host
