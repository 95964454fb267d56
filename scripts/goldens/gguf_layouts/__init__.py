"""How llama.cpp's converter names and lays out the tensors of each architecture, and what it says in the metadata."""

from gguf_layouts.base import Experts, Layout, Permuted, Tensors
from gguf_layouts.delta import DeltaExperts, Tiled, TiledExperts
from gguf_layouts.dense import Apertus, Mistral3, Phi3
from gguf_layouts.experts import Glm4Moe, GptOss, GraniteMoe
from gguf_layouts.gemma import Gemma4
from gguf_layouts.latent import DeepSeek2, MiniCpm3
from gguf_layouts.states import FalconH1, GraniteHybrid, Lfm2, Lfm2Moe, NemotronH

__all__ = ["LAYOUTS", "Layout", "Tensors"]

LAYOUTS = {
    "apertus": Apertus(),
    "deepseek2": DeepSeek2(),
    "gemma4": Gemma4(),
    "minicpm3": MiniCpm3(),
    "falcon-h1": FalconH1(),
    "nemotron_h": NemotronH(),
    "nemotron_h_moe": NemotronH(),
    "qwen3next": DeltaExperts(),
    "qwen35": Tiled(),
    "qwen35moe": TiledExperts(),
    "qwen3moe": Experts(),
    "gpt-oss": GptOss(),
    "granitemoe": GraniteMoe(),
    "glm4moe": Glm4Moe(),
    "lfm2": Lfm2(),
    "lfm2moe": Lfm2Moe(),
    "granitehybrid": GraniteHybrid(),
    "phi3": Phi3(),
    "smollm3": Permuted(),
    "mistral3": Mistral3(),
}
