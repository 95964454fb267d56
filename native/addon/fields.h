#pragma once

#include <napi.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "common/error.h"

namespace llm_host {

// Typed reads of one JavaScript object's fields; errors name the field with its path.
class Fields {
 public:
  Fields(const Napi::Value& value, std::string path) : path_(std::move(path)) {
    if (!value.IsObject()) refuse("", "an object");
    object_ = value.As<Napi::Object>();
  }

  Napi::Value get(const char* key) const { return object_.Get(key); }
  std::string path(const char* key) const { return path_ + "." + key; }

  std::string text(const char* key) const {
    Napi::Value value = get(key);
    if (!value.IsString()) refuse(key, "a string");
    return value.As<Napi::String>().Utf8Value();
  }
  bool boolean(const char* key) const {
    Napi::Value value = get(key);
    if (!value.IsBoolean()) refuse(key, "a boolean");
    return value.As<Napi::Boolean>().Value();
  }
  double number(const char* key) const {
    Napi::Value value = get(key);
    if (!value.IsNumber()) refuse(key, "a number");
    double number = value.As<Napi::Number>().DoubleValue();
    if (std::isnan(number)) refuse(key, "a number, not NaN");
    return number;
  }
  bool has(const char* key) const { return !get(key).IsUndefined() && !get(key).IsNull(); }
  double number_or(const char* key, double fallback) const {
    return has(key) ? number(key) : fallback;
  }
  // An integer from `low` to `high`, both at most 2^53.
  double integer(const char* key, double low, double high) const {
    double value = number(key);
    if (std::floor(value) != value || value < low || value > high) {
      refuse(key, "an integer from " + round_text(low) + " to " + round_text(high));
    }
    return value;
  }
  std::vector<int32_t> ids(const char* key) const {
    return elements<Napi::Int32Array, int32_t>(key, napi_int32_array, "an Int32Array");
  }
  std::vector<float> floats(const char* key) const {
    return elements<Napi::Float32Array, float>(key, napi_float32_array, "a Float32Array");
  }
  // Empty if the field is missing.
  std::vector<uint8_t> bytes_or_none(const char* key) const {
    if (!has(key)) return {};
    return elements<Napi::Uint8Array, uint8_t>(key, napi_uint8_array, "a Uint8Array");
  }
  Napi::Array array(const char* key) const {
    Napi::Value value = get(key);
    if (!value.IsArray()) refuse(key, "an array");
    return value.As<Napi::Array>();
  }

 private:
  template <typename Array, typename T>
  std::vector<T> elements(const char* key, napi_typedarray_type type, const char* expected) const {
    Napi::Value value = get(key);
    if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != type) {
      refuse(key, expected);
    }
    auto array = value.As<Array>();
    if (array.ElementLength() == 0) return {};
    return {array.Data(), array.Data() + array.ElementLength()};
  }
  static std::string round_text(double value) {
    return std::to_string(static_cast<long long>(value));
  }
  [[noreturn]] void refuse(const char* key, const std::string& expected) const {
    throw Error(kUsage, (*key ? path(key) : path_) + " must be " + expected);
  }

  Napi::Object object_;
  std::string path_;
};

}  // namespace llm_host
