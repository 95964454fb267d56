import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bundledLicences } from '../../../scripts/build/page-licences.mjs';
import { tempFolder } from '../../model/temp-folder.ts';

const WEB = fileURLToPath(new URL('../../../dist/web/', import.meta.url));
/** Bytes, compressed, of all that a browser loads. */
const MAX_BYTES = 150_000;

describe.skipIf(!existsSync(WEB))('the built page (needs it: npm run build)', () => {
  const assets = existsSync(WEB) ? readdirSync(`${WEB}page`) : [];
  const read = (name: string) => readFileSync(`${WEB}${name}`, 'utf8');

  it('is small', () => {
    const loaded = [
      'index.html',
      ...assets.filter(name => name !== 'licences.txt').map(name => `page/${name}`),
    ];
    const bytes = loaded.reduce((sum, name) => sum + gzipSync(read(name), { level: 9 }).length, 0);
    expect(loaded).toHaveLength(4);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  it('has no inline script or style, and names no other host', () => {
    const index = read('index.html');
    expect(index).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:/);
    for (const [, path] of index.matchAll(/(?:src|href)="([^"]*)"/g))
      expect(path).toMatch(/^\.\/page\/[\w-]+\.\w+$/);
    const styles = assets.filter(name => name.endsWith('.css')).map(name => read(`page/${name}`));
    expect(styles.join('')).not.toMatch(/url\(|@import|https?:/);
  });

  it('comes with the licences of what is in it', () => {
    const licences = read('page/licences.txt');
    for (const name of ['react', 'react-dom', 'scheduler', 'marked', 'lowlight', 'highlight.js'])
      expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\((MIT|BSD-3-Clause)\\)$`, 'm'));
    expect(licences.match(/Copyright/g)?.length).toBeGreaterThanOrEqual(6);
  });
});

describe('a package in the bundle', () => {
  const built = (manifest: object, files: Record<string, string> = {}) => {
    const top = tempFolder({ 'node_modules/@a/b/package.json': JSON.stringify(manifest), ...files });
    const emitted: { fileName?: string; source?: string }[] = [];
    bundledLicences('l.txt').generateBundle.call(
      { emitFile: (file: object) => emitted.push(file) },
      {},
      { 'x.js': { modules: { [`${top}/node_modules/@a/b/lib/c.js`]: {}, '\0runtime': {} } } },
    );
    return emitted;
  };
  const TEXT = { 'node_modules/@a/b/LICENSE.md': 'Copyright B\n' };

  it('is named with its text', () => {
    const [file] = built({ version: '1.0.0', license: 'MIT' }, TEXT);
    expect(file).toMatchObject({ fileName: 'l.txt', source: '@a/b 1.0.0 (MIT)\n\nCopyright B\n' });
  });

  it('stops the build if its licence is another, or its text is missing', () => {
    expect(() => built({ version: '1.0.0', license: 'GPL-3.0' }, TEXT)).toThrow(
      '@a/b is in the page and its licence is GPL-3.0',
    );
    expect(() => built({ version: '1.0.0', license: 'MIT' })).toThrow(
      '@a/b is in the page and has no text of its licence',
    );
  });
});
