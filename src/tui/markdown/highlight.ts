import type { Theme } from '../style/theme.ts';

const WORDS = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const C_LIKE = WORDS(
  'abstract as async await bool boolean break case catch char class const constexpr continue default delete do double else enum export extends extern false finally float fn for from func function go if impl implements import in instanceof int interface let long match mod mut namespace new nil null nullptr of override package private protected pub public return self short static std string struct super switch template this throw trait true try type typedef typeof undefined union unsigned use using var virtual void where while yield',
);
const PYTHON = WORDS(
  'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return self True try while with yield',
);
const SHELL = WORDS('case do done elif else esac export fi for function if in local return set then while');
const SQL = WORDS(
  'and as by create delete desc distinct drop from group having in inner insert into is join left limit not null on or order primary select set table union update values where',
);

interface Language {
  readonly words: ReadonlySet<string>;
  /** Starts a comment that ends with the line. */
  readonly comment: string;
  readonly ignoreCase?: boolean;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  python: { words: PYTHON, comment: '#' },
  shell: { words: SHELL, comment: '#' },
  sql: { words: SQL, comment: '--', ignoreCase: true },
  other: { words: C_LIKE, comment: '//' },
};

/** A map, since a model may write any name behind a fence: `constructor`. */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    py: 'python',
    python: 'python',
    ruby: 'python',
    rb: 'python',
    sql: 'sql',
    sh: 'shell',
    bash: 'shell',
    zsh: 'shell',
    shell: 'shell',
    yaml: 'shell',
    yml: 'shell',
    toml: 'shell',
  }),
);

const TOKEN =
  /("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`(?:[^`\\]|\\.)*`?)|(\b\d[\w.]*)|([A-Za-z_]\w*)|(\s+|.)/g;

/**
 * Colours strings, numbers, keywords and line comments. One line at a time, without state, so that streamed code is
 * coloured as it arrives and a finished line never changes.
 */
export function highlightLine(line: string, language: string, theme: Theme): string {
  const name = NAMES.get(language.toLowerCase()) ?? 'other';
  const { words, comment, ignoreCase } = LANGUAGES[name] as Language;
  let out = '';
  for (const match of line.matchAll(TOKEN)) {
    const [token, string, number, word] = match;
    if (
      line.startsWith(comment, match.index) &&
      (match.index === 0 || comment !== '#' || /\s/.test(line[match.index - 1] ?? ''))
    ) {
      return out + theme.comment(line.slice(match.index));
    }
    if (string !== undefined) out += theme.string(token);
    else if (number !== undefined) out += theme.number(token);
    else if (word !== undefined && words.has(ignoreCase ? word.toLowerCase() : word))
      out += theme.keyword(token);
    else out += token;
  }
  return out;
}
