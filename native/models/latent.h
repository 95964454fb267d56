#pragma once

#include "models/decoder_config.h"

namespace llm_host {

// For missing keys of config.json.
struct LatentDefaults {
  int query_rank;
  int rank;
  int plain_dim;
  int rotary_dim;
  int value_dim;
};

// Sets what the keys q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim and
// attention_bias say of multi-head latent attention, and `head_dim` to the rotated channels of a
// head. Yarn's mscale_all_dim makes the scores larger. Throws MODEL_BROKEN naming the key.
void read_latent_attention(const Config& config, DecoderConfig& c, const LatentDefaults& defaults);

}  // namespace llm_host
