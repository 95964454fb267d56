#include "common/value.h"

#include "check.h"
#include "common/error.h"

namespace llm_host::value_test {

static const check::Suite suite("value");

namespace {

Value config() {
  return Value(Value::Object{
      {"layers", Value(3.0)},
      {"half", Value(0.5)},
      {"name", Value(std::string("llama"))},
      {"tied", Value(true)},
      {"nothing", Value()},
      {"types", Value(Value::Array{Value(std::string("a")), Value(std::string("b"))})},
      {"mixed", Value(Value::Array{Value(std::string("a")), Value(1.0)})},
      {"rope", Value(Value::Object{{"factor", Value(8.0)}})},
  });
}

}  // namespace

TEST(reads_each_type) {
  Value value = config();
  Config c(value);
  CHECK(c.integer("layers") == 3);
  CHECK(c.number("half") == 0.5);
  CHECK(c.string("name") == "llama");
  CHECK(c.boolean_or("tied", false));
  CHECK(c.strings("types") == (std::vector<std::string>{"a", "b"}));
  CHECK(c.object("rope")->integer("factor") == 8);
}

TEST(absent_and_null_keys_have_no_value) {
  Value value = config();
  Config c(value);
  CHECK(!c.has("nothing"));
  CHECK(c.integer_or("nothing", 7) == 7);
  CHECK(c.number_or("absent", 1.5) == 1.5);
  CHECK(c.string_or("absent", "x") == "x");
  CHECK(!c.object("absent"));
}

TEST(errors_name_the_key_with_its_path) {
  Value value = config();
  Config c(value);
  CHECK_ERROR(kModelBroken, "has no hidden_size", c.integer("hidden_size"));
  CHECK_ERROR(kModelBroken, "name must be a number, got string", c.integer("name"));
  CHECK_ERROR(kModelBroken, "half must be an integer of at least 1", c.integer("half"));
  CHECK_ERROR(kModelBroken, "layers must be an integer of at least 4", c.integer("layers", 4));
  CHECK_ERROR(kModelBroken, "mixed must hold strings", c.strings("mixed"));
  CHECK_ERROR(kModelBroken, "rope.missing", c.object("rope")->number("missing"));
  CHECK_ERROR(kModelBroken, "layers must be an object", c.object("layers"));
  CHECK_ERROR(kModelBroken, "the top level", Config(Value(1.0)));
}

TEST(huge_and_infinite_numbers_are_refused) {
  Value value(
      Value::Object{{"big", Value(1e300)}, {"inf", Value(HUGE_VAL)}, {"nan", Value(std::nan(""))}});
  Config c(value);
  CHECK_ERROR(kModelBroken, "big", c.integer("big"));
  CHECK_ERROR(kModelBroken, "inf must be finite", c.number("inf"));
  CHECK_ERROR(kModelBroken, "nan must be finite", c.number("nan"));
  CHECK_ERROR(kModelBroken, "nan", c.integer("nan"));
}

}  // namespace llm_host::value_test
