#pragma once

namespace llm_host {

// Reads the addresses in the file that MLX_HOSTFILE names, which may be gone later.
void note_ring_addresses();

// Shuts down this process' connections to them, so that a sum which waits for a silent process
// fails instead. Any thread.
void shut_ring_sockets();

}  // namespace llm_host
