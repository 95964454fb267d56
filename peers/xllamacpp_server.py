"""Runs llama.cpp's server, which answers HTTP on a port of this machine until it is ended by a signal.

Usage: python xllamacpp_server.py MODEL.gguf PORT SEQUENCES TOKENS_OF_EACH THREADS (0: its own choice)
"""

import signal
import sys

import xllamacpp

model, port, sequences, tokens, threads = sys.argv[1], *map(int, sys.argv[2:6])

params = xllamacpp.CommonParams()
params.model.path = model
params.port = port
params.n_parallel = sequences
params.n_ctx = sequences * tokens
if threads > 0:
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
signal.pause()
