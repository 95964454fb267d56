#include "fuzz/json.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

namespace fuzz {
namespace {

using llm_host::Value;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<Value> whole() {
    std::optional<Value> value = any(0);
    skip_space();
    return at_ == text_.size() ? value : std::nullopt;
  }

 private:
  static constexpr int kMaxDepth = 64;

  std::optional<Value> any(int depth) {
    skip_space();
    if (at_ == text_.size() || depth > kMaxDepth) return std::nullopt;
    switch (text_[at_]) {
      case '{':
        return object(depth);
      case '[':
        return array(depth);
      case '"': {
        std::optional<std::string> text = string();
        return text ? std::optional(Value(std::move(*text))) : std::nullopt;
      }
      default:
        return word();
    }
  }

  std::optional<Value> word() {
    if (skip("null")) return Value();
    if (skip("true")) return Value(true);
    // Not JSON, but in published files; JavaScript reads it too.
    if (skip("Infinity")) return Value(std::numeric_limits<double>::infinity());
    if (skip("false")) return Value(false);
    const std::string digits(
        text_.substr(at_, text_.find_first_not_of("+-.0123456789Ee", at_) - at_));
    char* end = nullptr;
    // JavaScript too has infinity for 1e999.
    const double number = std::strtod(digits.c_str(), &end);
    if (end == digits.c_str()) return std::nullopt;
    at_ += static_cast<size_t>(end - digits.c_str());
    return Value(number);
  }

  std::optional<Value> array(int depth) {
    Value::Array items;
    if (closes('[', ']')) return Value(std::move(items));
    do {
      std::optional<Value> item = any(depth + 1);
      if (!item) return std::nullopt;
      items.push_back(std::move(*item));
    } while (skip_after_space(","));
    return skip_after_space("]") ? std::optional(Value(std::move(items))) : std::nullopt;
  }

  std::optional<Value> object(int depth) {
    Value::Object members;
    if (closes('{', '}')) return Value(std::move(members));
    do {
      skip_space();
      std::optional<std::string> name = string();
      if (!name || !skip_after_space(":")) return std::nullopt;
      std::optional<Value> member = any(depth + 1);
      if (!member) return std::nullopt;
      members.insert_or_assign(std::move(*name), std::move(*member));
    } while (skip_after_space(","));
    return skip_after_space("}") ? std::optional(Value(std::move(members))) : std::nullopt;
  }

  std::optional<std::string> string() {
    if (!skip("\"")) return std::nullopt;
    size_t end = text_.find('"', at_);
    if (end == std::string_view::npos) return std::nullopt;
    std::string text(text_.substr(at_, end - at_));
    at_ = end + 1;
    return text;
  }

  // Skips the opening bracket, and the closing one if nothing is between them.
  bool closes(char open, char close) {
    skip(std::string_view(&open, 1));
    return skip_after_space(std::string_view(&close, 1));
  }

  bool skip_after_space(std::string_view word) {
    skip_space();
    return skip(word);
  }

  bool skip(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \n\r\t").find(text_[at_]) != text_.npos) ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
};

void write(const Value& value, std::string& text) {
  auto list = [&text](const char* brackets, const auto& items, const auto& write_item) {
    text += brackets[0];
    const char* comma = "";
    for (const auto& item : items) {
      text += std::exchange(comma, ",");
      write_item(item);
    }
    text += brackets[1];
  };
  if (const auto* flag = value.as<bool>()) {
    text += *flag ? "true" : "false";
  } else if (const auto* number = value.as<double>()) {
    char digits[32];
    const bool finite = std::isfinite(*number);
    text.append(digits, static_cast<size_t>(
                            std::snprintf(digits, sizeof(digits), "%.17g", finite ? *number : 0)));
  } else if (const auto* string = value.as<std::string>()) {
    text += '"' + *string + '"';
  } else if (const auto* items = value.as<Value::Array>()) {
    list("[]", *items, [&](const Value& item) { write(item, text); });
  } else if (const auto* members = value.as<Value::Object>()) {
    list("{}", *members, [&](const auto& member) {
      text += '"' + member.first + "\":";
      write(member.second, text);
    });
  } else {
    text += "null";
  }
}

}  // namespace

std::string write_json(const Value& value) {
  std::string text;
  write(value, text);
  return text;
}

std::optional<Value> parse_json(std::string_view text) { return Parser(text).whole(); }

}  // namespace fuzz
