import type { ChatFormat } from '../types/format.ts';
import { functionGemma } from './code/functiongemma.ts';
import { gemma3 } from './code/gemma-3.ts';
import { gemma4 } from './code/gemma-4.ts';
import { lfm2 } from './code/lfm2.ts';
import { llama3 } from './code/llama-3.ts';
import { olmo3 } from './code/olmo3.ts';
import { apertus } from './json/apertus.ts';
import { apriel } from './json/apriel.ts';
import { commandR, commandR7b } from './json/command-r.ts';
import { gigaChat } from './json/gigachat.ts';
import { granite3 } from './json/granite-3.ts';
import { hermes } from './json/hermes.ts';
import { hunyuan } from './json/hunyuan.ts';
import { mistralV3, mistralV7, mistralV11, mistralV13 } from './json/mistral.ts';
import { nemotronV2 } from './json/nemotron-v2.ts';
import { phi4Mini } from './json/phi-4-mini.ts';
import { deepseekV3, deepseekV4, deepseekV31, deepseekV32 } from './named/deepseek.ts';
import { functionaryV31, functionaryV32 } from './named/functionary.ts';
import { glm } from './named/glm.ts';
import { harmony } from './named/harmony.ts';
import { kimiK2 } from './named/kimi-k2.ts';
import { minimaxM2 } from './named/minimax-m2.ts';
import { qwen3Coder } from './named/qwen3-coder.ts';
import { seedOss } from './named/seed-oss.ts';
import { solarOpen } from './named/solar-open.ts';

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
