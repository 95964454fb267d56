import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hubCacheFolder, hubEnvironment } from '../../src/hub/hub-environment.ts';
import { tempFolder } from '../model/temp-folder.ts';
import { thrown } from '../model/thrown.ts';

test('the cache folder follows the environment as Hugging Face does', () => {
  expect(hubCacheFolder({ HF_HUB_CACHE: '/a', HF_HOME: '/b', XDG_CACHE_HOME: '/c' })).toBe('/a');
  expect(hubCacheFolder({ HUGGINGFACE_HUB_CACHE: '/a', HF_HOME: '/b' })).toBe('/a');
  expect(hubCacheFolder({ HF_HOME: '/b', XDG_CACHE_HOME: '/c' })).toBe('/b/hub');
  expect(hubCacheFolder({ HF_HOME: '~/b', HOME: '/home/me' })).toBe('/home/me/b/hub');
  expect(hubCacheFolder({ XDG_CACHE_HOME: '/c' })).toBe('/c/huggingface/hub');
  expect(hubCacheFolder({ HOME: '/home/me' })).toBe('/home/me/.cache/huggingface/hub');
  expect(hubCacheFolder({})).toBe(join(homedir(), '.cache/huggingface/hub'));
});

test('the token: variables, then the file of $HF_TOKEN_PATH, then that of the home folder', () => {
  const home = tempFolder({ '.cache/huggingface/token': 'hf_file\n', other: ' hf_other ', hf: { x: 1 } });
  const token = (env: NodeJS.ProcessEnv) => hubEnvironment({ HOME: home, ...env }).token?.value;
  expect(token({})).toBe('hf_file');
  expect(token({ HF_TOKEN_PATH: join(home, 'other') })).toBe('hf_other');
  expect(token({ HF_TOKEN: 'hf_variable\n', HF_TOKEN_PATH: join(home, 'other') })).toBe('hf_variable');
  expect(token({ HUGGING_FACE_HUB_TOKEN: 'hf_older' })).toBe('hf_older');
  expect(token({ HF_HOME: join(home, 'empty') })).toBeUndefined();
  expect(token({ HF_HUB_DISABLE_IMPLICIT_TOKEN: '1' })).toBeUndefined();
  expect(thrown(() => token({ HF_TOKEN: 'hf_a\r\nx: y' }))).toBe(
    'CONFIG: the token in HF_TOKEN contains spaces or invalid characters',
  );
  expect(thrown(() => token({ HF_TOKEN_PATH: home }))).toMatch(/^CONFIG: the token file .* cannot be read/);
});

test('endpoint, offline and time limits', () => {
  const HOME = tempFolder();
  expect(hubEnvironment({ HOME })).toMatchObject({
    endpoint: 'https://huggingface.co',
    offline: false,
    answerTimeoutMs: 10_000,
    fileTimeoutMs: 10_000,
  });
  const env = {
    HOME,
    HF_ENDPOINT: 'http://mirror:80/hub/',
    HF_HUB_OFFLINE: 'yes',
    HF_HUB_DOWNLOAD_TIMEOUT: '3',
  };
  expect(hubEnvironment(env)).toMatchObject({
    endpoint: 'http://mirror:80/hub',
    offline: true,
    fileTimeoutMs: 3000,
  });
  expect(hubEnvironment({ HOME, HF_HUB_OFFLINE: '0', HF_HUB_ETAG_TIMEOUT: 'soon' })).toMatchObject({
    offline: false,
    answerTimeoutMs: 10_000,
  });
  for (const HF_ENDPOINT of ['huggingface.co', 'ftp://x', '/tmp']) {
    expect(thrown(() => hubEnvironment({ HOME, HF_ENDPOINT }))).toMatch(
      /^CONFIG: HF_ENDPOINT is not an http address/,
    );
  }
});
