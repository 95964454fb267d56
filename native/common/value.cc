#include "common/value.h"

#include <cmath>
#include <limits>

#include "common/error.h"

namespace llm_host {

const char* Value::type_name() const {
  static constexpr const char* kNames[] = {"null",   "boolean", "number",
                                           "string", "array",   "object"};
  return kNames[data_.index()];
}

Config::Config(const Value& value, std::string path)
    : object_(value.as<Value::Object>()), path_(std::move(path)) {
  if (object_ == nullptr) {
    throw Error(kModelBroken, "config.json: " + (path_.empty() ? "the top level" : path_) +
                                  " must be an object, got " + value.type_name());
  }
}

std::string Config::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

const Value* Config::find(std::string_view key) const {
  auto it = object_->find(key);
  return it == object_->end() || it->second.is_null() ? nullptr : &it->second;
}

template <typename T>
const T& Config::get(std::string_view key, const char* type) const {
  const Value* value = find(key);
  if (value == nullptr) throw Error(kModelBroken, "config.json has no " + path_of(key));
  const T* data = value->as<T>();
  if (data == nullptr) {
    throw Error(kModelBroken, "config.json: " + path_of(key) + " must be a " + type + ", got " +
                                  value->type_name());
  }
  return *data;
}

int Config::integer(std::string_view key, int minimum) const {
  double value = get<double>(key, "number");
  if (std::floor(value) != value || value < minimum || value > std::numeric_limits<int>::max()) {
    throw Error(kModelBroken, "config.json: " + path_of(key) + " must be an integer of at least " +
                                  std::to_string(minimum) + ", got " + std::to_string(value));
  }
  return static_cast<int>(value);
}

int Config::integer_or(std::string_view key, int fallback, int minimum) const {
  return has(key) ? integer(key, minimum) : fallback;
}

double Config::number(std::string_view key) const {
  double value = get<double>(key, "number");
  if (!std::isfinite(value)) {
    throw Error(kModelBroken, "config.json: " + path_of(key) + " must be finite");
  }
  return value;
}

double Config::number_or(std::string_view key, double fallback) const {
  return has(key) ? number(key) : fallback;
}

bool Config::boolean_or(std::string_view key, bool fallback) const {
  return has(key) ? get<bool>(key, "boolean") : fallback;
}

std::string Config::string(std::string_view key) const { return get<std::string>(key, "string"); }

std::string Config::string_or(std::string_view key, std::string fallback) const {
  return has(key) ? string(key) : std::move(fallback);
}

std::optional<Config> Config::object(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  return Config(*value, path_of(key));
}

bool Config::has_objects() const {
  for (const auto& [key, value] : *object_) {
    if (value.as<Value::Object>() != nullptr) return true;
  }
  return false;
}

namespace {

template <typename T>
std::vector<T> items_of(const Value::Array& array, const std::string& path, const char* type) {
  std::vector<T> result;
  for (const Value& item : array) {
    const T* value = item.as<T>();
    if (value == nullptr) {
      throw Error(kModelBroken,
                  "config.json: " + path + " must hold " + type + "s, got a " + item.type_name());
    }
    result.push_back(*value);
  }
  return result;
}

}  // namespace

std::vector<std::string> Config::strings(std::string_view key) const {
  return items_of<std::string>(get<Value::Array>(key, "array"), path_of(key), "string");
}

std::vector<double> Config::numbers(std::string_view key) const {
  return items_of<double>(get<Value::Array>(key, "array"), path_of(key), "number");
}

}  // namespace llm_host
