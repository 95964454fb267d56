import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './command-lines.ts';

const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...['docs', 'docs/evidence'].flatMap(folder =>
    readdirSync(join(ROOT, folder)).flatMap(name => (name.endsWith('.md') ? `${folder}/${name}` : [])),
  ),
];
const LINK = /\]\(([^)\s]+)\)/g;
const CODE = /^ *```[\s\S]*?^ *```$|`[^`\n]*`/gm;

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(path: string): string[] {
  const headings = readFileSync(path, 'utf8').replace(/^ *```[\s\S]*?^ *```$/gm, '');
  return [...headings.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(PAGES)('%s links to pages and headings that are there', page => {
  const text = readFileSync(join(ROOT, page), 'utf8').replace(CODE, '');
  const links = [...text.matchAll(LINK)].flatMap(([, link = '']) => (/^\w+:/.test(link) ? [] : link));
  const broken = links.filter(link => {
    const [file = '', anchor] = link.split('#');
    const path = file === '' ? join(ROOT, page) : join(ROOT, dirname(page), file);
    return !existsSync(path) || (anchor !== undefined && !anchorsOf(path).includes(anchor));
  });
  expect(broken).toEqual([]);
});

test('docs/README.md names every page', () => {
  const contents = readFileSync(join(ROOT, 'docs', 'README.md'), 'utf8');
  const pages = PAGES.filter(page => page.startsWith('docs/') && page !== 'docs/README.md').map(page =>
    page.slice('docs/'.length),
  );
  expect(pages.filter(name => !contents.includes(`(${name})`))).toEqual([]);
});
