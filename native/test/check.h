#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

// A small test framework for ctest: named cases, checks that continue after a failure, one summary
// line.
//
//   TEST(prefix_stops_at_first_difference) { CHECK(reusable_prefix(a, b) == 1); }
//   int main() { return check::run("prefix"); }
namespace check {

struct Case {
  const char* name;
  void (*body)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}
inline int& failures() {
  static int count = 0;
  return count;
}
inline std::vector<std::string>& skips() {
  static std::vector<std::string> all;
  return all;
}

struct Registration {
  Registration(const char* name, void (*body)()) { cases().push_back({name, body}); }
};

inline void fail(const char* file, int line, const std::string& what) {
  std::printf("%s:%d: %s\n", file, line, what.c_str());
  ++failures();
}

// Reports a part of a case that cannot run here.
inline void skip(const std::string& what) {
  if (std::find(skips().begin(), skips().end(), what) == skips().end()) skips().push_back(what);
}

template <typename E>
bool throws(const std::function<void()>& body, const std::function<bool(const E&)>& matches) {
  try {
    body();
  } catch (const E& error) {
    return matches(error);
  }
  return false;
}

inline int run(const char* suite) {
  int failed = 0;
  for (const Case& test : cases()) {
    int before = failures();
    try {
      test.body();
    } catch (const std::exception& error) {
      fail(test.name, 0, std::string("threw: ") + error.what());
    }
    if (failures() != before) {
      std::printf("FAILED %s\n", test.name);
      ++failed;
    }
  }
  for (const std::string& what : skips()) std::printf("SKIPPED %s: %s\n", suite, what.c_str());
  std::printf("%s: %zu passed, %d failed\n", suite, cases().size() - static_cast<size_t>(failed),
              failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace check

#define TEST(name)                                                   \
  static void name();                                                \
  static const check::Registration name##_registration(#name, name); \
  static void name()
#define CHECK(condition) \
  if (!(condition)) check::fail(__FILE__, __LINE__, "not true: " #condition)
#define CHECK_NEAR(a, b, tolerance)                                                       \
  if (double check_a = (a), check_b = (b); !(std::abs(check_a - check_b) <= (tolerance))) \
  check::fail(__FILE__, __LINE__,                                                         \
              #a " = " + std::to_string(check_a) + ", expected " + std::to_string(check_b))
// The engine's Error with this code and this text in its message.
#define CHECK_ERROR(code_, text, body)                                                    \
  if (!check::throws<llm_host::Error>(                                                    \
          [&] { body; },                                                                  \
          [](const llm_host::Error& error) {                                              \
            bool fits = error.code() == (code_) &&                                        \
                        std::string(error.what()).find(text) != std::string::npos;        \
            if (!fits) std::printf("  got %s: %s\n", error.code().c_str(), error.what()); \
            return fits;                                                                  \
          }))                                                                             \
  check::fail(__FILE__, __LINE__, std::string("no error ") + (code_) + " with \"" + (text) + "\"")
