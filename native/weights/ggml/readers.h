#pragma once

#include <cstdint>

#include "kernels/packed/form/unit.h"

// Reads a ggml block into the units that it is packed as: one, or eight of 32 weights for
// read_q2_k, read_iq4_xs, read_tq1_0 and read_tq2_0.
namespace llm_host {

void read_q4_0(const uint8_t* block, PackedUnit* unit);
void read_q4_1(const uint8_t* block, PackedUnit* unit);
void read_q5_0(const uint8_t* block, PackedUnit* unit);
void read_q5_1(const uint8_t* block, PackedUnit* unit);
void read_q8_0(const uint8_t* block, PackedUnit* unit);
void read_q2_k(const uint8_t* block, PackedUnit* units);
void read_q3_k(const uint8_t* block, PackedUnit* unit);
void read_q4_k(const uint8_t* block, PackedUnit* unit);
void read_q5_k(const uint8_t* block, PackedUnit* unit);
void read_q6_k(const uint8_t* block, PackedUnit* unit);
void read_mxfp4(const uint8_t* block, PackedUnit* unit);
void read_iq4_nl(const uint8_t* block, PackedUnit* unit);
void read_iq4_xs(const uint8_t* block, PackedUnit* units);
void read_tq1_0(const uint8_t* block, PackedUnit* units);
void read_tq2_0(const uint8_t* block, PackedUnit* units);

}  // namespace llm_host
