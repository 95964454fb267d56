#include "models/layered_rope.h"

namespace llm_host {

Value layered_rope(double part) {
  auto kind = [](const char* type, double theta, double share) {
    return Value(Value::Object{{"rope_type", Value(std::string(type))},
                               {"rope_theta", Value(theta)},
                               {"partial_rotary_factor", Value(share)}});
  };
  return Value(Value::Object{
      {"rope_parameters", Value(Value::Object{{"full_attention", kind("proportional", 1e6, part)},
                                              {"sliding_attention", kind("default", 1e4, 1)}})}});
}

}  // namespace llm_host
