import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readFolder } from '../../../src/bench/tools/folder-cases.ts';
import { answerFault } from '../../../src/bench/tools/score.ts';
import type { Expected } from '../../../src/bench/tools/tool-case.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'fixtures', 'tool-questions');

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-questions-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe("a folder with one's own questions", () => {
  test('has a category in each file, and tools for all', () => {
    const { cases } = readFolder(FOLDER);
    expect(cases.map(({ id, category, tools }) => [id, category, tools.length])).toEqual([
      ['dentist', 'calendar', 2],
      ['calendar_3', 'calendar', 2],
      ['chat_1', 'chat', 2],
      ['chat_2', 'chat', 2],
    ]);
    const [dentist, , joke, any] = cases.map(one => one.expected) as [Expected, Expected, Expected, Expected];
    const add = (args: object) => [{ name: 'add_event', arguments: { ...args } }];
    expect(answerFault(add({ title: 'Dentist', day: '2026-05-01' }), dentist)).toBeUndefined();
    expect(answerFault(add({ title: 'Dentist', day: '2026-05-01', hours: 1 }), dentist)).toBeUndefined();
    expect(answerFault(add({ title: 'Dentist', day: '2026-05-01', hours: 2 }), dentist)).toBe('wrong value');
    expect(answerFault(add({ title: 'Dentist' }), dentist)).toBe('missing argument');
    expect([joke.kind, any.kind]).toEqual(['none', 'some']);
  });

  test('has another fingerprint once anything in it changes', () => {
    const line = '{"question": "a", "tools": [{"name": "t"}], "calls": []}';
    const [one, same, other] = [line, line, line.replace('"a"', '"b"')].map(text =>
      readFolder(folderWith({ 'q.jsonl': text })),
    );
    expect(same?.sha256).toBe(one?.sha256);
    expect(other?.sha256).not.toBe(one?.sha256);
  });

  const TOOL =
    '"tools": [{"name": "t", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}]';
  test.each([
    ['{', /q\.jsonl:1: .*JSON/],
    ['[]', /q\.jsonl:1: it is not an object/],
    ['{"question": "a", "calls": []}', /there are no tools/],
    [`{"question": 7, ${TOOL}, "calls": []}`, /'question' is neither/],
    [`{"question": "a", ${TOOL}}`, /'calls' is neither/],
    [`{"question": "a", ${TOOL}, "calls": [{"name": "u"}]}`, /there is no tool 'u'/],
    [
      `{"question": "a", ${TOOL}, "calls": [{"name": "t", "arguments": {"b": ["x"]}}]}`,
      /has no argument 'b'/,
    ],
    [
      `{"question": "a", ${TOOL}, "calls": [{"name": "t", "arguments": {"a": "x"}}]}`,
      /'a' of 't' is not a list/,
    ],
    ['{"question": "a", "tools": [{}], "calls": []}', /a tool has no 'name'/],
    [
      `{"id": "same", "question": "a", ${TOOL}, "calls": []}\n{"id": "same", "question": "a", ${TOOL}, "calls": []}`,
      /'same' is there twice/,
    ],
  ])('is refused with file and line: %s', (text, message) => {
    const folder = folderWith({ 'q.jsonl': text });
    expect(() => readFolder(folder)).toThrow(message);
  });

  test('is refused if it is missing, or has no questions', () => {
    expect(() => readFolder(join(FOLDER, 'nowhere'))).toThrow(/ENOENT/);
    expect(() => readFolder(folderWith({ 'notes.txt': 'x' }))).toThrow(/no \.jsonl file/);
    expect(() => readFolder(folderWith({ 'tools.json': '{', 'q.jsonl': '{}' }))).toThrow(/tools\.json: /);
  });
});
