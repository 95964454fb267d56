#pragma once

#include "models/decoder_config.h"

namespace llm_host {

// Sets what granite_swa and granitemoe_swa add to Granite: sinks, windows in three layers of four,
// and a base of the rotation for each layer, 0 for none.
void set_granite_swa(const Config& config, DecoderConfig& c);

}  // namespace llm_host
