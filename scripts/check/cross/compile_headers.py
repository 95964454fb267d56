"""Which headers are missing of those that MLX compiles for an NVIDIA GPU at their first use; needs no GPU.

    python compile_headers.py FOLDER_OF_NVIDIA FOLDER_OF_MLX_INCLUDE HEADER...

FOLDER_OF_NVIDIA is `nvidia` of the pinned wheels; the options are MLX's. A line for each header that another one is
missing for; then the exit status is 1. Some do not compile by themselves, which says nothing.
"""

import ctypes
import re
import sys
from pathlib import Path

ARCHITECTURE = "sm_90a"  # the one for which most headers are read


def open_nvrtc(folder):
    # NVRTC loads its own part by name.
    for part in folder.glob("libnvrtc-builtins.so.*"):
        ctypes.CDLL(str(part), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(next(folder.glob("libnvrtc.so.*"))))


def missing_for(nvrtc, header, options):
    """The first file that is not found, or None."""
    program = ctypes.c_void_p()
    source = f"#include <{header}>\n__global__ void nothing() {{}}\n"
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"header.cu", 0, None, None)
    given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    if nvrtc.nvrtcCompileProgram(program, len(options), given) == 0:
        return None
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    found = re.search(r'cannot open source file "([^"]+)"', log.value.decode(errors="replace"))
    return found and found[1]


def main():
    nvidia, mlx = map(Path, sys.argv[1:3])
    nvrtc = open_nvrtc(nvidia / "cu13" / "lib")
    folders = [mlx, mlx / "cccl", nvidia / "cu13" / "include"]
    options = ["--device-as-default-execution-space", f"--gpu-architecture={ARCHITECTURE}"]
    options += [f"--include-path={folder}" for folder in folders]
    missing = {header: missing_for(nvrtc, header, options) for header in sys.argv[3:]}
    for header, name in missing.items():
        if name:
            print(f"{header} needs {name}")
    sys.exit(1 if any(missing.values()) else 0)


if __name__ == "__main__":
    main()
