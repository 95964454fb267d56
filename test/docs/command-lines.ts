import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Pages whose examples of other programs (curl, Node, Python) a test of their own runs as a whole, by its file. */
const PAGES_WITH_A_TEST: Readonly<Record<string, string>> = {
  'docs/library.md': 'test/e2e/smoke/library-docs.test.ts',
  'docs/serve.md': 'test/e2e/smoke/serve-docs.test.ts',
};

export interface CommandLine {
  readonly text: string;
  /** The page, from the package's root. */
  readonly page: string;
}

export interface Block {
  /** What stands behind the fence; '' for nothing. */
  readonly language: string;
  readonly text: string;
  readonly page: string;
}

/** In a list it stands further in. */
const FENCED = /^ *```(\w*)\n([\s\S]*?)^ *```$/gm;
/** A command of ours, or one of Node's or Python's installers, in running text. */
const IN_PROSE = /`((?:[A-Z_]+=\S+ )*(?:llm-host|node|npm|npx|pip)\s[^`]+)`/g;

const PAGES = [
  'README.md',
  ...['docs', 'docs/evidence'].flatMap(folder =>
    readdirSync(join(ROOT, folder)).map(name => `${folder}/${name}`),
  ),
].filter(name => name.endsWith('.md'));

/** Every command line of README.md and docs: those in code blocks, and those in running text. Each once a page. */
export function commandLines(): CommandLine[] {
  return PAGES.flatMap(page => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const inBlocks = blocksOf(page).flatMap(linesOfBlock);
    const inProse = [...text.replace(FENCED, '').matchAll(IN_PROSE)].map(([, line = '']) =>
      line.replace(/\s+/g, ' '),
    );
    return [...new Set([...inBlocks, ...inProse])].map(line => ({ text: line, page }));
  });
}

/** The code blocks of all pages, or of those whose language is `language`. */
export function codeBlocks(language: string): Block[] {
  return PAGES.flatMap(blocksOf).filter(block => block.language === language);
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(FENCED)].map(([, language = '', body = '']) => ({ language, text: body, page }));
}

/** All lines of a shell's block; of one without a language, those behind `$ ` and those of the program itself. */
function linesOfBlock({ language, text, page }: Block): string[] {
  const shell = ['sh', 'bash', 'console'].includes(language);
  if (!shell && language !== '') return [];
  const all = text.split('\n').map(line => line.replace(/(^|\s+)#.*$/, '').trim());
  // There are lines of other programs on a page with a test of its own, which may go on over several lines.
  const whole = shell && !(page in PAGES_WITH_A_TEST);
  return all
    .filter(line => line !== '' && (whole || /^(\$ |llm-host )/.test(line)))
    .map(line => line.replace(/^\$ /, ''));
}

/** The arguments of a line as a shell would split it, without redirections; `<model>` stands for the demo. */
export function argumentsOf(line: string): string[] {
  const words = line.replaceAll('<model>', 'demo').match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  const end = words.findIndex(word => /^(\d?>|<|\|)/.test(word));
  return words.slice(1, end < 0 ? undefined : end).map(word => word.replace(/^(["'])(.*)\1$/, '$2'));
}
