"""An adapter between two others of one line of training: each number so far from the first to the second.

Usage: python mix.py FIRST SECOND SHARE TO, with SHARE from 0 (the first) to 1 (the second); all but SHARE are folders
"""

import os
import shutil
import sys

from safetensors.torch import load_file, save_file


def main():
    first, second, share, to = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4]
    a, b = (load_file(os.path.join(folder, "adapters.safetensors")) for folder in (first, second))
    mixed = {name: between(a[name], b[name], share) for name in a}
    os.makedirs(to, exist_ok=True)
    save_file(mixed, os.path.join(to, "adapters.safetensors"), metadata={"format": "mlx"})
    shutil.copy(os.path.join(second, "adapter_config.json"), to)


def between(a, b, share):
    return ((1 - share) * a.float() + share * b.float()).to(b.dtype).contiguous()


if __name__ == "__main__":
    main()
