import { CallProtocol } from '../agent/model/call-protocol.ts';
import { PromptBuilder } from '../agent/model/prompt-builder.ts';
import { ToolMeter } from '../agent/offer/tool-budget.ts';
import { probeTemplate } from '../chat/capability.ts';
import type { ToolDefinition } from '../chat/message.ts';
import { compileTemplate } from '../chat/template.ts';
import { LlmHostError } from '../errors.ts';
import { readModel } from '../model/load-model.ts';
import { tokenizerOf } from '../model/load-tokenizer.ts';
import { localSource } from '../model/model-source.ts';

/** A rough average for English text and JSON. */
const CHARS_PER_TOKEN = 4;

/** Counts the tokens of tool definitions without a running model. */
export interface DefinitionCounter {
  /** Whose tokenizer and template count; undefined: an estimate. */
  readonly model: string | undefined;
  one(tool: ToolDefinition): number;
}

/** For a model that is on this machine; an estimate for any other, and for none. */
export function definitionCounter(
  name: string | undefined,
  where: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): DefinitionCounter {
  const estimate = (tool: ToolDefinition) =>
    Math.ceil(JSON.stringify(tool.function).length / CHARS_PER_TOKEN);
  if (name === undefined) return { model: undefined, one: estimate };
  try {
    const source = localSource(name, where);
    const read = readModel(source, { ...where, contextLength: 0, anyMemory: true });
    const template = read.toolTemplate ?? read.chatTemplate ?? '';
    const compiled = compileTemplate(template);
    const prompts = new PromptBuilder(
      {
        tokenizer: tokenizerOf(source, where),
        template: { compiled, source: template, capability: probeTemplate(compiled) },
        engine: { info: { contextLength: Number.POSITIVE_INFINITY } },
        now: new Date(),
      },
      new CallProtocol(template, {}),
    );
    const meter = new ToolMeter({ countTokens: request => prompts.count(request) });
    return { model: read.name, one: tool => meter.one(tool) };
  } catch (error) {
    // Not downloaded, of Ollama, or broken: opening it says so.
    if (error instanceof LlmHostError) return { model: undefined, one: estimate };
    throw error;
  }
}
