import { readFileSync } from 'node:fs';
import { CallProtocol } from '../../../src/agent/model/call-protocol.ts';
import { PromptBuilder } from '../../../src/agent/model/prompt-builder.ts';
import { probeTemplate } from '../../../src/chat/capability.ts';
import { compileTemplate } from '../../../src/chat/template.ts';
import type { HostTool } from '../../../src/mcp/tool-host.ts';
import { offeredNames } from '../../../src/mcp/tool-names.ts';
import { loadTokenizer } from '../../../src/model/load-tokenizer.ts';

interface Recorded {
  readonly server: { readonly name: string };
  readonly tools: readonly { name: string; description?: string; inputSchema: Record<string, unknown> }[];
}

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/crowd/${name}`, import.meta.url), 'utf8');

/** 390 tools of 31 real servers, under the names a model would see. */
export function crowd(): HostTool[] {
  const recorded = JSON.parse(fixture('tools.json')) as Recorded[];
  const all = recorded.flatMap(({ server, tools }) => tools.map(tool => ({ server: server.name, tool })));
  const names = offeredNames(all.map(({ server, tool }) => ({ server, tool: tool.name })));
  return all.map(({ server, tool }, index) => {
    const { $schema: _, ...schema } = tool.inputSchema;
    const parameters = { type: 'object', properties: {}, ...schema };
    const description = tool.description === undefined ? {} : { description: tool.description };
    return {
      definition: {
        type: 'function',
        function: { name: names[index] as string, ...description, parameters },
      },
      ...{ server, tool: tool.name, readOnly: false },
    };
  });
}

export interface Question {
  readonly text: string;
  /** Any of them is right, as `server/tool`. */
  readonly right: readonly string[];
}

/** Written before the ranking was tuned, and tuned on every other one. */
export function questions(half: 'tuned' | 'held out'): Question[] {
  return fixture('questions.tsv')
    .trim()
    .split('\n')
    .filter((_, index) => index % 2 === (half === 'tuned' ? 0 : 1))
    .map(line => {
      const [right = '', text = ''] = line.split('\t');
      return { text, right: right.split('|') };
    });
}

export const demoTemplate = readFileSync(
  new URL('../../../models/demo/chat_template.jinja', import.meta.url),
  'utf8',
);

/** The demo's own template and tokenizer, without its weights. */
export function demoCounter(): PromptBuilder {
  const source = demoTemplate;
  const tokenizer = loadTokenizer('demo');
  const compiled = compileTemplate(source);
  const template = { compiled, source, capability: probeTemplate(compiled) };
  return new PromptBuilder(
    { tokenizer, template, engine: { info: { contextLength: 8192 } }, now: new Date(0) },
    new CallProtocol(source, {}),
  );
}
