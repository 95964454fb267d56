#include "addon/errors.h"

namespace llm_host {

Napi::Error to_js(Napi::Env env, const Error& error) {
  Napi::Error result = error.code() == kUsage ? Napi::TypeError::New(env, error.what())
                                              : Napi::Error::New(env, error.what());
  result.Set("code", Napi::String::New(env, error.code()));
  return result;
}

}  // namespace llm_host
