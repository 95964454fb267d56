#pragma once

#include <string>

#include "layers/recurrent/ssm.h"
#include "models/decoder_config.h"

namespace llm_host {

// mamba_expand times hidden_size.
int mamba_channels(const Config& config, const DecoderConfig& c);

// Reads the keys mamba_* and time_step_limit for mixers of `channels`, whose name in messages is
// `source`. Throws MODEL_BROKEN naming the keys.
Mamba2::Shape read_mamba(const Config& config, const DecoderConfig& c, int channels,
                         const std::string& source);

}  // namespace llm_host
