import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { requireHubId } from '../../src/cli/options/at-revision.ts';
import { guessModel } from '../../src/cli/options/guess-model.ts';
import { givenSource } from '../../src/cli/settings/model-source.ts';
import { LlmHostError } from '../../src/errors.ts';
import { MODEL_ALIASES } from '../../src/hub/aliases.ts';
import { parseHubId } from '../../src/hub/hub-id.ts';
import { filesOf, hubIdOf, localSource } from '../../src/model/model-source.ts';

const PLACE = { cwd: '/nonexistent', env: { HF_HUB_CACHE: '/nonexistent' } };

test('docs/models.md has this table', () => {
  const rows = MODEL_ALIASES.map(
    ({ name, repo, parameters, weightsGb, memoryGb }) =>
      `| \`${name}\` | [${repo.slice('mlx-community/'.length)}](https://huggingface.co/${repo}) | ${parameters} | ${weightsGb.toFixed(1)} GB | ${memoryGb.toFixed(1)} GB |`,
  );
  const docs = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8');
  const table = docs.split('\n').filter(line => line.includes('huggingface.co/mlx-community/'));
  expect(table).toEqual(rows);
});

test('the figures are those of docs/choosing-a-model.md, where both have a model', () => {
  const docs = readFileSync(new URL('../../docs/choosing-a-model.md', import.meta.url), 'utf8');
  const cells = docs.split('\n').map(line => line.split('|').map(cell => cell.trim()));
  const compared = MODEL_ALIASES.filter(({ repo, parameters, weightsGb, memoryGb }) => {
    const plain = (text: string) =>
      text.toLowerCase().replace(/^meta-| \(text\)$|-instruct.*|-it-4bit|-4bit/g, '');
    const row = cells.find(
      ([, model = '']) => model !== '' && plain(model) === plain(repo.slice('mlx-community/'.length)),
    );
    if (row)
      expect([row[2], row[3], row[7]]).toEqual([parameters, weightsGb.toFixed(1), memoryGb.toFixed(1)]);
    return row !== undefined;
  });
  expect(compared.length).toBeGreaterThan(15);
});

test('every alias is one name in lower case for one Hub id', () => {
  const names = MODEL_ALIASES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, repo } of MODEL_ALIASES) {
    expect(name).toMatch(/^[a-z0-9.-]+:[0-9.]+b$/);
    expect(parseHubId(name)).toEqual({ repo, revision: 'main', source: name });
  }
});

describe('an alias', () => {
  const repo = 'mlx-community/granite-4.0-1b-4bit';
  test('is taken for its Hub id, in any case and at a revision', () => {
    expect(hubIdOf('granite4:1b', PLACE)).toMatchObject({ repo, revision: 'main' });
    expect(requireHubId('Granite4:1B', 'v2')).toMatchObject({ repo, revision: 'v2' });
    expect(parseHubId('granite4:1b@v2')).toMatchObject({ repo, revision: 'v2' });
    const source = localSource('granite4:1b', PLACE);
    expect(givenSource({ model: 'granite4:1b' }, PLACE)).toEqual(source);
    expect(source).toMatchObject({ kind: 'hub', text: 'granite4:1b', id: { repo, revision: 'main' } });
    expect(() => filesOf(source, PLACE)).toThrow("Model 'granite4:1b' not found");
  });

  test("belongs to Ollama with Ollama's backend", () => {
    expect(givenSource({ model: 'granite4:1b', backend: 'ollama' }, PLACE)).toEqual({
      kind: 'ollama',
      text: 'ollama:granite4:1b',
      name: 'granite4:1b',
    });
    expect(parseHubId('ollama:granite4:1b')).toBeUndefined();
  });
});

describe('a name like an alias', () => {
  const hintOf = (word: string) => {
    const error = new LlmHostError('MODEL_NOT_FOUND', 'not found');
    return (guessModel(error, word, ['tools'], PLACE.env) as LlmHostError).hint;
  };
  test.each([
    ['granit4:1b', "Did you mean 'granite4:1b'?"],
    ['qwen3:5b', "Did you mean 'qwen3:4b'?"],
    ['granite4', "Did you mean 'granite4:1b'?"],
    ['gemma3', "Did you mean 'gemma3:4b'? There are also gemma3:12b, gemma3:27b."],
  ])('%s', (word, question) => {
    expect(hintOf(word)).toContain(question);
  });

  test.each(['granite4:1b', 'Granite4:1B'])(
    '%s itself is not corrected; what it stands for is told',
    word => {
      expect(hintOf(word)).toBe(`'${word}' is mlx-community/granite-4.0-1b-4bit on the Hub.`);
    },
  );

  test('is corrected by pull too', () => {
    expect(() => requireHubId('granite4:2b', undefined)).toThrow(
      expect.objectContaining({ hint: "Did you mean 'granite4:1b'?" }),
    );
  });
});
