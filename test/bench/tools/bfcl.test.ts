import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BFCL_CATEGORIES, type BfclCategory, filesOf } from '../../../src/bench/tools/bfcl/categories.ts';
import { CONVERSATION_FILES } from '../../../src/bench/tools/bfcl/conversation-categories.ts';
import { type BfclPackage, bfclFolder } from '../../../src/bench/tools/bfcl/fetch-bfcl.ts';
import { readBfcl } from '../../../src/bench/tools/bfcl/read-bfcl.ts';

const FUNCTION = {
  name: 'sun.rises',
  description: 'When the sun rises.',
  parameters: {
    type: 'dict',
    properties: {
      place: { type: 'string', description: 'Where.' },
      height: { type: 'float', description: 'In metres.' },
      days: { type: 'array', items: { type: 'tuple', items: { type: 'integer' } }, description: 'Days.' },
    },
    required: ['place'],
  },
};

/** Made up, in the form of BFCL's files. */
function dataOf(category: BfclCategory): Record<string, string> {
  const id = `${category}_0`;
  const question = {
    id,
    question: [[{ role: 'user', content: `Sunrise? (${category})` }]],
    function: [FUNCTION],
  };
  const answer = { id, ground_truth: [{ 'sun.rises': { place: ['Oslo'], height: [2], days: [''] } }] };
  const [questions, answers] = filesOf(category);
  return {
    [questions as string]: `${JSON.stringify(question)}\n`,
    ...(answers && { [answers]: `${JSON.stringify(answer)}\n` }),
  };
}

const CATEGORIES = Object.keys(BFCL_CATEGORIES) as BfclCategory[];
const FILES: Record<string, string> = Object.assign(
  {},
  ...CATEGORIES.map(dataOf),
  ...CONVERSATION_FILES.map(file => ({ [file]: `What is in ${file}.` })),
);
const WHEEL = 'the wheel';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const PACKAGE: BfclPackage = {
  name: 'bfcl-eval',
  version: '1.2.3',
  sha256: sha256(WHEEL),
  dataSha256: sha256(
    CATEGORIES.flatMap(filesOf)
      .map(file => FILES[file])
      .join(''),
  ),
  conversationsSha256: sha256(CONVERSATION_FILES.map(file => FILES[file]).join('')),
};

/** A cache, and a python whose pip has the wheel; `says` runs first. */
function place(says = '') {
  const dir = mkdtempSync(join(tmpdir(), 'llm-host-bfcl-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [file, text] of Object.entries(FILES)) {
    const path = join(dir, 'data', file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const python = join(dir, 'python');
  writeFileSync(
    python,
    `#!/bin/sh
echo "$2" >> "${dir}/log"
${says}
if [ "$2" = pip ]; then
  while [ "$1" != --dest ]; do shift; done
  printf '%s' '${WHEEL}' > "$2/bfcl_eval-1.2.3-py3-none-any.whl"
else
  mkdir -p "$5/bfcl_eval/eval_checker/multi_turn_eval" && cp -r "${dir}/data" "$5/bfcl_eval/data"
  mv "$5/bfcl_eval/data/classes" "$5/bfcl_eval/eval_checker/multi_turn_eval/func_source_code"
fi
`,
  );
  chmodSync(python, 0o755);
  const said: string[] = [];
  const options = {
    cache: join(dir, 'cache'),
    signal: new AbortController().signal,
    onProgress: (text: string) => said.push(text),
    env: { ...process.env, PYTHON: python },
  };
  const runs = () =>
    existsSync(join(dir, 'log')) ? readFileSync(join(dir, 'log'), 'utf8').trim().split('\n') : [];
  return { dir, options, said, runs };
}

describe("BFCL's data", () => {
  test('is fetched once, checked and kept', async () => {
    const { options, said, runs } = place();
    const folder = await bfclFolder(options, PACKAGE);
    expect(await bfclFolder(options, PACKAGE)).toBe(folder);
    expect({ said, runs: runs() }).toEqual({
      said: ['fetching bfcl-eval 1.2.3 from PyPI'],
      runs: ['pip', 'zipfile'],
    });
    expect(readdirSync(join(options.cache, 'bfcl'))).toEqual(['1.2.3']);
  });

  test('is fetched again when a file of it is damaged or missing', async () => {
    const { options, runs } = place();
    const folder = await bfclFolder(options, PACKAGE);
    writeFileSync(join(folder, 'BFCL_v4_multiple.json'), '{"id": ');
    await bfclFolder(options, PACKAGE);
    rmSync(join(folder, 'BFCL_v4_parallel.json'));
    expect(readBfcl(await bfclFolder(options, PACKAGE), 'parallel')).toHaveLength(1);
    expect(runs()).toHaveLength(6);
  });

  test('is fetched again for conversations alone when a class of theirs is damaged', async () => {
    const { options, runs } = place();
    const folder = await bfclFolder(options, PACKAGE);
    writeFileSync(join(folder, 'classes', 'math_api.py'), 'import os');
    expect(await bfclFolder(options, PACKAGE)).toBe(folder);
    expect(runs()).toHaveLength(2);
    await bfclFolder({ ...options, conversations: true }, PACKAGE);
    expect(readFileSync(join(folder, 'classes', 'math_api.py'), 'utf8')).toBe(
      'What is in classes/math_api.py.',
    );
    expect(runs()).toHaveLength(4);
    const other = bfclFolder({ ...options, conversations: true }, { ...PACKAGE, conversationsSha256: 'abc' });
    await expect(other).rejects.toThrow('its data is not what it was');
  });

  test.each([
    [
      'without a network',
      'echo "ERROR: No matching distribution found" >&2; exit 1',
      PACKAGE,
      /1\.2\.3 could not be fetched: ERROR: No matching/,
    ],
    [
      'with a full disk',
      'echo "OSError: [Errno 28] No space left on device" >&2; exit 2',
      PACKAGE,
      /No space left on device/,
    ],
    ['with another wheel', '', { ...PACKAGE, sha256: 'abc' }, /has the sha256 [0-9a-f]+ instead of abc/],
    ['with other data', '', { ...PACKAGE, dataSha256: 'abc' }, /its data is not what it was/],
  ])('is refused %s, and nothing of it stays', async (_, says, wanted, message) => {
    const { options } = place(says);
    const failed = await bfclFolder(options, wanted).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringMatching(message),
      hint: /network once/,
    });
    expect(readdirSync(join(options.cache, 'bfcl'))).toEqual([]);
  });

  test('is refused without python', async () => {
    const { options } = place();
    const env = { ...options.env, PYTHON: '/no/python3' };
    await expect(bfclFolder({ ...options, env }, PACKAGE)).rejects.toThrow('/no/python3 was not found');
  });

  test('can be cancelled while it is fetched', async () => {
    const { options } = place('exec sleep 30');
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    await expect(bfclFolder({ ...options, signal: stop.signal }, PACKAGE)).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    expect(readdirSync(join(options.cache, 'bfcl'))).toEqual([]);
  });

  test('becomes cases with tools in the words of the API', () => {
    const { dir } = place();
    const [one] = readBfcl(join(dir, 'data'), 'simple_python');
    expect(one).toMatchObject({
      id: 'simple_python_0',
      category: 'simple_python',
      messages: [{ role: 'user', content: 'Sunrise? (simple_python)' }],
      expected: {
        kind: 'calls',
        language: 'json',
        calls: [{ name: 'sun_rises', arguments: { place: ['Oslo'] } }],
      },
    });
    expect(one?.tools[0]?.function).toEqual({
      name: 'sun_rises',
      description: 'When the sun rises. Note that the provided function is in Python 3 syntax.',
      parameters: {
        type: 'object',
        properties: {
          place: { type: 'string', description: 'Where.' },
          height: { type: 'number', format: 'float', description: 'In metres. This is a float type value.' },
          days: { type: 'array', items: { type: 'array', items: { type: 'integer' } }, description: 'Days.' },
        },
        required: ['place'],
      },
    });
    const [java] = readBfcl(join(dir, 'data'), 'simple_java');
    expect(java?.tools[0]?.function.parameters.properties).toMatchObject({
      height: {
        type: 'string',
        description: 'In metres. This is Java float type parameter in string representation.',
      },
    });
    expect(readBfcl(join(dir, 'data'), 'irrelevance')[0]?.expected).toEqual({ kind: 'none' });
    expect(readBfcl(join(dir, 'data'), 'live_relevance')[0]?.expected).toEqual({ kind: 'some' });
  });

  test.each([
    ['{"id": ', /BFCL_v4_multiple\.json: line 1: /],
    ['{"id": "multiple_0", "question": [[]], "function": [{}]}', /BFCL_v4_multiple\.json: multiple_0: /],
    ['{"id": "multiple_7", "question": [[]], "function": []}', /multiple_7: it has no accepted calls/],
  ])('is refused when it cannot be read: %s', (text, message) => {
    const { dir } = place();
    writeFileSync(join(dir, 'data', 'BFCL_v4_multiple.json'), text);
    expect(() => readBfcl(join(dir, 'data'), 'multiple')).toThrow(message);
  });
});
