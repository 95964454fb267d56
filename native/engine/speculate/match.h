#pragma once

namespace llm_host {

// How a token was predicted: the more of the text before it was the same, the likelier it is.
struct Match {
  int length = 0;  // tokens before it that were as predicted or found; 0: there is no prediction
  int since = -1;  // of these, after an edit, while they are few; -1: many, or there was none

  // After so many tokens more are as predicted.
  Match after(int count) const {
    int more = since < 0 || since + count >= kFew ? -1 : since + count;
    return {length + count, more};
  }
  // After more than this the edit does not matter.
  static constexpr int kFew = 4;
};

}  // namespace llm_host
