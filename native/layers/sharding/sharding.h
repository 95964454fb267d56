#pragma once

#include <string>
#include <vector>

#include "weights/load_spec.h"
#include "weights/part.h"

namespace llm_host {

// How the layers of a family are divided over processes: modules of a layer, by the ends of their
// paths. All others are whole in each process.
struct Sharding {
  const char* heads_of;                   // the module whose rows are those of all query heads
  std::vector<std::string> rows;          // each process has some rows, and makes some channels
  std::vector<std::string> columns;       // each reads some channels; their products are added up
  std::vector<std::string> experts = {};  // what their router chooses from: each has some of them
  bool network = true;  // whether intermediate_size is the width of such rows, and not an expert's
};

// Attention by heads, the feed-forward network by its channels or its experts: two sums a layer.
extern const Sharding kHeadsAndNetwork;
extern const Sharding kHeadsAndExperts;
// For models in which some layers have a network and others experts.
extern const Sharding kHeadsNetworkAndExperts;
extern const Sharding kLfm2Layers;

// One of the processes that share a model.
struct Part {
  int index;
  int count;
  SumOverProcesses sum;
};

// Throws USAGE for what is not done over several processes.
void check_shareable(const LoadSpec& spec);

// The part that this process computes: a smaller model, with fewer heads and a narrower network or
// fewer experts, that reads only its own bytes of the files and of the adapters'. Throws
// MODEL_UNSUPPORTED where heads, groups or experts do not divide.
LoadSpec part_of(const LoadSpec& whole, const Sharding& sharding, const Part& part);

}  // namespace llm_host
