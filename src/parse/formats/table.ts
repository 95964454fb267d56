import type { ChatFormat } from '../types/format.ts';
import { apertus } from './apertus.ts';
import { apriel } from './apriel.ts';
import { commandR, commandR7b } from './command-r.ts';
import { deepseekV3, deepseekV4, deepseekV31, deepseekV32 } from './deepseek.ts';
import { functionaryV31, functionaryV32 } from './functionary.ts';
import { functionGemma } from './functiongemma.ts';
import { gemma3 } from './gemma-3.ts';
import { gemma4 } from './gemma-4.ts';
import { gigaChat } from './gigachat.ts';
import { glm } from './glm.ts';
import { granite3 } from './granite-3.ts';
import { harmony } from './harmony.ts';
import { hermes } from './hermes.ts';
import { hunyuan } from './hunyuan.ts';
import { kimiK2 } from './kimi-k2.ts';
import { lfm2 } from './lfm2.ts';
import { llama3 } from './llama-3.ts';
import { minimaxM2 } from './minimax-m2.ts';
import { mistralV3, mistralV7, mistralV11, mistralV13 } from './mistral.ts';
import { nemotronV2 } from './nemotron-v2.ts';
import { olmo3 } from './olmo3.ts';
import { phi4Mini } from './phi-4-mini.ts';
import { qwen3Coder } from './qwen3-coder.ts';
import { seedOss } from './seed-oss.ts';
import { solarOpen } from './solar-open.ts';

/** In order of precedence, the most specific marks first. */
export const FORMATS: readonly ChatFormat[] = [
  harmony,
  solarOpen,
  gemma4,
  functionGemma,
  kimiK2,
  minimaxM2,
  seedOss,
  deepseekV32,
  deepseekV4,
  deepseekV3,
  deepseekV31,
  commandR7b,
  commandR,
  mistralV11,
  mistralV13,
  mistralV3,
  mistralV7,
  apertus,
  lfm2,
  olmo3,
  nemotronV2,
  apriel,
  hunyuan,
  gigaChat,
  glm,
  qwen3Coder,
  functionaryV31,
  functionaryV32,
  phi4Mini,
  granite3,
  llama3,
  hermes,
  gemma3,
];

/** Names that other projects use in `tool_parser_type`. */
const ALIASES: Readonly<Record<string, string>> = {
  json_tools: 'hermes',
  qwen: 'hermes',
  'granite-4': 'hermes',
  granite4: 'hermes',
  granite: 'granite-3',
  llama: 'llama-3',
  llama3_json: 'llama-3',
  qwen3_coder: 'qwen3-coder',
  'granite-4.2': 'qwen3-coder',
  glm47: 'glm',
  laguna: 'glm',
  kimi_k2: 'kimi-k2',
  minimax_m2: 'minimax-m2',
  function_gemma: 'functiongemma',
  gemma4: 'gemma-4',
  pythonic: 'lfm2',
  mistral: 'mistral-v13',
  'gpt-oss': 'harmony',
  seed_oss: 'seed-oss',
  phi4_mini_json: 'phi-4-mini',
};

export function formatNamed(id: string): ChatFormat | undefined {
  const name = Object.hasOwn(ALIASES, id) ? ALIASES[id] : id;
  return FORMATS.find(format => format.id === name);
}

export function formatIds(): string[] {
  return FORMATS.map(format => format.id);
}

/** The format of a template; undefined if it has no known mark. */
export function formatOfTemplate(template: string): ChatFormat | undefined {
  return firstMatch(template, FORMATS);
}

/** The first entry whose marks are in the template. */
export function firstMatch<Entry extends Pick<ChatFormat, 'when'>>(
  template: string,
  entries: readonly Entry[],
): Entry | undefined {
  return entries.find(entry =>
    entry.when.some(marks =>
      typeof marks === 'string' ? template.includes(marks) : marks.every(mark => template.includes(mark)),
    ),
  );
}
