// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of mcp.json look like that
import { basename, sep } from 'node:path';
import { LlmHostError } from '../../errors.ts';
import { quoted } from '../../text/clean/visible.ts';

/** The variables that `${...}` in an mcp.json can refer to. */
export interface VariableScope {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workspaceFolder: string;
  readonly userHome: string;
  readonly cwd: string;
  /** The value of `${input:id}`. Throws LlmHostError CONFIG if there is none. */
  readonly input: (id: string) => string;
}

export interface WatchedScope extends VariableScope {
  /** A variable of the environment is filled in. */
  readonly onVariable?: (name: string, value: string) => void;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** `${A:-${B:-c}}` is two levels deep. */
const MAX_DEPTH = 8;
const MAX_CHARS = 1024 * 1024;
const KNOWN =
  'known: ${env:NAME}, ${NAME}, ${NAME:-default}, ${input:id}, ${workspaceFolder}, ${workspaceFolderBasename}, ' +
  '${userHome}, ${cwd}, ${pathSeparator}; $${ for a plain ${';

/**
 * Expands `${env:X}`, `${X}`, `${X:-default}`, `${input:id}`, `${workspaceFolder}`, `${workspaceFolderBasename}`,
 * `${userHome}`, `${cwd}`, `${pathSeparator}` and `${/}` in one pass: values are never expanded again, so there are
 * no cycles. A default may contain variables, 8 levels deep. `$${` is a literal `${`; `$X` stays as it is. Throws
 * LlmHostError CONFIG for an unknown or unclosed variable, and for an unset one without a default, since a server
 * started with the literal text would fail in a less obvious way.
 */
export function expandVariables(text: string, scope: WatchedScope): string {
  let result = '';
  let at = 0;
  for (let open = text.indexOf('${'); open >= 0; open = text.indexOf('${', at)) {
    if (text[open - 1] === '$' && open > at) {
      result += `${text.slice(at, open - 1)}\${`;
      at = open + 2;
      continue;
    }
    const close = closingBrace(text, open);
    result += text.slice(at, open) + resolve(text.slice(open + 2, close), scope);
    at = close + 1;
    if (result.length > MAX_CHARS) break;
  }
  result += text.slice(at);
  if (result.length > MAX_CHARS)
    throw problem(`with its variables expanded it exceeds ${MAX_CHARS} characters`);
  return result;
}

/** The index of the `}` that closes the variable at `open`. */
function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text.startsWith('${', at)) {
      depth++;
      if (depth > MAX_DEPTH) throw problem(`variables are nested more than ${MAX_DEPTH} levels deep`);
      at++;
    } else if (text[at] === '}') {
      depth--;
      if (depth === 0) return at;
    }
  }
  throw problem(`${quoted(text.slice(open), 40)} has no closing brace (write $\${ for a plain \${)`);
}

function resolve(body: string, scope: WatchedScope): string {
  switch (body) {
    case 'workspaceFolder':
    case 'userHome':
    case 'cwd':
      return scope[body];
    case 'workspaceFolderBasename':
      return basename(scope.workspaceFolder);
    case 'pathSeparator':
    case '/':
      return sep;
  }
  if (body.startsWith('input:')) return scope.input(body.slice('input:'.length));
  const plain = body.replace(/^env:(\/\/)?/, '');
  const split = plain.indexOf(':-');
  const name = split < 0 ? plain : plain.slice(0, split);
  if (!NAME.test(name)) throw unknown(body);
  // `in` would also find inherited names such as `constructor`.
  const value = Object.hasOwn(scope.env, name) ? scope.env[name] : undefined;
  // As in a shell, `:-` also replaces an empty value.
  if (value !== undefined && (value !== '' || split < 0)) {
    scope.onVariable?.(name, value);
    return value;
  }
  if (split >= 0) return expandVariables(plain.slice(split + 2), scope);
  throw problem(`the environment variable ${name} is not set; set it or write \${${name}:-default}`);
}

function unknown(body: string): LlmHostError {
  const editor = /^(config|command|file|relativeFile|selectedText|lineNumber|extensionInstallFolder)/.test(
    body,
  );
  const why = editor ? 'only has a meaning in an editor' : 'is not a known variable';
  return problem(`${quoted(`\${${body}}`)} ${why} (${KNOWN})`);
}

function problem(message: string): LlmHostError {
  return new LlmHostError('CONFIG', message);
}
