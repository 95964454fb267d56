import { readFileSync } from 'node:fs';
import { CallProtocol } from '../../../src/agent/model/call-protocol.ts';
import { PromptBuilder } from '../../../src/agent/model/prompt-builder.ts';
import { probeTemplate } from '../../../src/chat/capability.ts';
import { compileTemplate } from '../../../src/chat/template.ts';
import { offeredNames } from '../../../src/mcp/calls/offered-tools.ts';
import type { HostTool } from '../../../src/mcp/tool-host.ts';
import { loadTokenizer } from '../../../src/model/load-tokenizer.ts';

interface Recorded {
  readonly server: { readonly name: string };
  readonly tools: readonly { name: string; description?: string; inputSchema: Record<string, unknown> }[];
}

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/crowd/${name}`, import.meta.url), 'utf8');

/** 390 tools of 31 real servers, behind those of another one, under the names a model would see. */
export function crowd(first: readonly Recorded[] = []): HostTool[] {
  const recorded = [...first, ...(JSON.parse(fixture('tools.json')) as Recorded[])];
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
      server,
      tool: tool.name,
      readOnly: false,
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

const demoFile = (name: string): string =>
  readFileSync(new URL(`../../../models/demo/${name}`, import.meta.url), 'utf8');

const FILES = ['list_files', 'read_file', 'write_file', 'delete_file'];
const CALCULATOR = ['add', 'subtract', 'multiply', 'divide', 'power', 'square_root'];

/** The ten tools of the bundled servers, as the demo was trained on them. */
export function demoTools(): Recorded[] {
  const definitions = JSON.parse(demoFile('heldout-tools.json')) as Record<
    string,
    { description: string; parameters: Record<string, unknown> }
  >;
  const server = (name: string, tools: readonly string[]): Recorded => ({
    server: { name },
    tools: tools.map(tool => {
      const { description = '', parameters = {} } = definitions[tool] ?? {};
      return { name: tool, description, inputSchema: parameters };
    }),
  });
  return [server('calculator', CALCULATOR), server('files', FILES)];
}

/** Every fifth of the demo's held-out requests for one of them. */
export function ownRequests(): Question[] {
  return demoFile('heldout.jsonl')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
    .filter(({ group, tools }) => group === 'bundled' && tools.length === 10)
    .filter((_, index) => index % 5 === 0)
    .map(({ messages, expect: { name } }) => ({
      text: messages.at(-1).content,
      right: [`${FILES.includes(name) ? 'files' : 'calculator'}/${name}`],
    }));
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
