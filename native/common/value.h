#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace llm_host {

// A JSON value. JavaScript has parsed it, so nothing below `addon` needs a JSON parser.
class Value {
 public:
  using Array = std::vector<Value>;
  using Object = std::map<std::string, Value, std::less<>>;
  using Variant = std::variant<std::nullptr_t, bool, double, std::string, Array, Object>;

  Value() : data_(nullptr) {}
  explicit Value(bool value) : data_(value) {}
  explicit Value(double value) : data_(value) {}
  explicit Value(std::string value) : data_(std::move(value)) {}
  explicit Value(Array value) : data_(std::move(value)) {}
  explicit Value(Object value) : data_(std::move(value)) {}

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(data_); }
  template <typename T>
  const T* as() const {
    return std::get_if<T>(&data_);
  }
  // "null", "boolean", "number", "string", "array" or "object".
  const char* type_name() const;

 private:
  Variant data_;
};

// One object of config.json. A key that is null counts as absent. Reading a missing key, or one of
// another type, throws MODEL_BROKEN and names the key with its path.
class Config {
 public:
  // Both arguments must outlive the Config. `path` is "" for the root.
  explicit Config(const Value& value, std::string path = "");

  bool has(std::string_view key) const { return find(key) != nullptr; }
  // Whether the key is there, even with null.
  bool mentions(std::string_view key) const { return object_->contains(key); }
  const Value* find(std::string_view key) const;

  // An integer of at least `minimum`.
  int integer(std::string_view key, int minimum = 1) const;
  int integer_or(std::string_view key, int fallback, int minimum = 1) const;
  double number(std::string_view key) const;
  double number_or(std::string_view key, double fallback) const;
  bool boolean_or(std::string_view key, bool fallback) const;
  std::string string(std::string_view key) const;
  std::string string_or(std::string_view key, std::string fallback) const;
  std::optional<Config> object(std::string_view key) const;
  std::vector<std::string> strings(std::string_view key) const;
  // Whether any value of this object is an object.
  bool has_objects() const;
  std::vector<double> numbers(std::string_view key) const;

  std::string path_of(std::string_view key) const;

 private:
  template <typename T>
  const T& get(std::string_view key, const char* type) const;

  const Value::Object* object_;
  std::string path_;
};

}  // namespace llm_host
