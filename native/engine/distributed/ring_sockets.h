#pragma once

namespace llm_host {

// Shuts down this process' connections to the addresses in the file that MLX_HOSTFILE names, so
// that a sum which waits for a silent process fails instead.
void shut_ring_sockets();

}  // namespace llm_host
