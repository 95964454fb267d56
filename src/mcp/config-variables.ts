import { LlmHostError } from '../errors.ts';

/** What `${...}` in an mcp.json may name. */
export interface VariableScope {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workspaceFolder: string;
  readonly userHome: string;
  readonly cwd: string;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Replaces `${env:X}`, `${X}`, `${X:-default}`, `${workspaceFolder}`, `${userHome}` and `${cwd}`, in one pass: what a
 * variable holds is never expanded again. `$X` stays as it is. Throws LlmHostError CONFIG for an unset variable
 * without a default, since a server started with the literal text would fail in a less obvious way.
 */
export function expandVariables(text: string, scope: VariableScope): string {
  return text.replace(/\$\{([^}]*)\}/g, (whole, body: string) => resolveVariable(whole, body, scope));
}

function resolveVariable(whole: string, body: string, scope: VariableScope): string {
  if (body === 'workspaceFolder' || body === 'userHome' || body === 'cwd') return scope[body];
  if (body.startsWith('input:')) {
    throw new LlmHostError(
      'CONFIG',
      `${whole} asks for an input, and inputs are not supported yet: use \${env:NAME}`,
    );
  }
  const plain = body.startsWith('env:') ? body.slice('env:'.length) : body;
  const split = plain.indexOf(':-');
  const name = split < 0 ? plain : plain.slice(0, split);
  const fallback = split < 0 ? undefined : plain.slice(split + 2);
  if (!NAME.test(name)) {
    throw new LlmHostError(
      'CONFIG',
      `${whole} is not a known variable (known: \${env:NAME}, \${NAME}, \${NAME:-default}, \${workspaceFolder}, \${userHome}, \${cwd})`,
    );
  }
  const value = scope.env[name];
  // As in a shell, `:-` also replaces an empty value.
  if (value !== undefined && (value !== '' || fallback === undefined)) return value;
  if (fallback !== undefined) return fallback;
  throw new LlmHostError(
    'CONFIG',
    `the environment variable ${name} is not set; set it or write \${${name}:-default}`,
  );
}
