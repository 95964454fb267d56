import { expect, it } from 'vitest';
import { serverEnvironment } from '../../../src/mcp/transport/stdio.ts';

it('passes on the short list and the network settings only', () => {
  const host = {
    PATH: '/bin',
    HOME: '/h',
    LANG: 'C',
    https_proxy: 'p',
    NODE_EXTRA_CA_CERTS: 'c',
    AWS_SECRET: 's',
    HF_TOKEN: 't',
  };
  expect(serverEnvironment({}, host)).toEqual({
    PATH: '/bin',
    HOME: '/h',
    LANG: 'C',
    https_proxy: 'p',
    NODE_EXTRA_CA_CERTS: 'c',
  });
});

it("lets the entry's env add, replace and remove", () => {
  expect(
    serverEnvironment({ HF_TOKEN: 't', PATH: '/mine', HOME: null, GONE: null }, { PATH: '/bin', HOME: '/h' }),
  ).toEqual({
    PATH: '/mine',
    HF_TOKEN: 't',
  });
});
