import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import {
  type ChatTemplate,
  type RenderOptions,
  renderChat,
  renderSegments,
} from '../../src/chat/template.ts';
import { LlmHostError } from '../../src/errors.ts';

export interface Conversation {
  readonly name: string;
  readonly messages: object[];
  readonly tools?: object[];
  readonly add_generation_prompt: boolean;
  readonly enable_thinking?: boolean;
}

/** What Hugging Face renders; `text` only for the demo's own template. */
export type Golden = { length: number; sha256: string; text?: string } | { error: string };

const readJson = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

export const CONVERSATIONS: readonly Conversation[] = readJson('../fixtures/conversations.json');
/** By template, then by conversation. */
export const GOLDEN: Readonly<Record<string, Record<string, Golden>>> = readJson(
  '../golden/text/templates.json',
);

export function optionsOf(conversation: Conversation): RenderOptions {
  return {
    messages: conversation.messages,
    tools: conversation.tools,
    addGenerationPrompt: conversation.add_generation_prompt,
    enableThinking: conversation.enable_thinking,
    bosToken: '<s>',
    eosToken: '</s>',
    now: new Date(2026, 10, 21, 22, 5, 9),
  };
}

/** The prompt's sha256, or 'refused'; on the way the segments are checked to be the prompt. */
export function digestOf(template: ChatTemplate, conversation: Conversation): string {
  const options = optionsOf(conversation);
  let text: string;
  try {
    text = renderChat(template, options);
  } catch (error) {
    if (error instanceof LlmHostError && error.code === 'TEMPLATE') return 'refused';
    throw error;
  }
  expect(joined(renderSegments(template, options))).toBe(text);
  return createHash('sha256').update(text).digest('hex');
}

export function joined(segments: readonly { readonly text: string }[]): string {
  return segments.map(segment => segment.text).join('');
}
