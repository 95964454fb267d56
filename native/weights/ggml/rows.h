#pragma once

#include <cstdint>

// The most common types, packed from a row's blocks straight to its words: several times as fast as
// by way of a PackedUnit.
namespace llm_host {

// Packs `count` blocks of a row into the units from `unit` on, of whose 16 rows it is number
// `lane`. Returns the first block with a scale that is infinite or not a number, or -1.
using RowPacker = int (*)(const uint8_t* blocks, int count, uint8_t* unit, int lane);

int pack_q4_0_row(const uint8_t* blocks, int count, uint8_t* unit, int lane);
int pack_q4_1_row(const uint8_t* blocks, int count, uint8_t* unit, int lane);
int pack_q8_0_row(const uint8_t* blocks, int count, uint8_t* unit, int lane);
int pack_mxfp4_row(const uint8_t* blocks, int count, uint8_t* unit, int lane);

}  // namespace llm_host
