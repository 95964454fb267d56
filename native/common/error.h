#pragma once

#include <stdexcept>
#include <string>

namespace llm_host {

// An error that reaches JavaScript as an Error with `code`, one of ErrorCode in src/errors.ts.
class Error : public std::runtime_error {
 public:
  Error(std::string code, const std::string& message)
      : std::runtime_error(message), code_(std::move(code)) {}
  const std::string& code() const { return code_; }

 private:
  std::string code_;
};

inline constexpr char kUsage[] = "USAGE";
inline constexpr char kModelBroken[] = "MODEL_BROKEN";
inline constexpr char kModelUnsupported[] = "MODEL_UNSUPPORTED";
inline constexpr char kOutOfMemory[] = "OUT_OF_MEMORY";
inline constexpr char kEngine[] = "ENGINE";
inline constexpr char kEngineUnavailable[] = "ENGINE_UNAVAILABLE";
inline constexpr char kContextFull[] = "CONTEXT_FULL";
inline constexpr char kCache[] = "CACHE";
inline constexpr char kCancelled[] = "CANCELLED";

}  // namespace llm_host
