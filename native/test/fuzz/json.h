#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/value.h"

namespace fuzz {

// A JSON text of at most 64 levels, as JavaScript would have parsed it; nothing if it is malformed.
// Escapes in strings stand for themselves.
std::optional<llm_host::Value> parse_json(std::string_view text);

// The text that parse_json reads as this value. What is no number of JSON is 0.
std::string write_json(const llm_host::Value& value);

}  // namespace fuzz
