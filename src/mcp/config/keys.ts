// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of mcp.json look like that
/**
 * The fields of an entry and their keys: first ours (VS Code's where it has one), then what Claude, Cursor, Gemini
 * CLI, Codex, goose, opencode, mcphost and LM Studio call the same thing.
 */
export const KEYS = {
  name: ['name'],
  transport: ['type', 'transport'],
  command: ['command', 'cmd'],
  args: ['args'],
  env: ['env', 'environment', 'envs'],
  envFile: ['envFile', 'env_file'],
  cwd: ['cwd'],
  url: ['url', 'httpUrl', 'serverUrl'],
  headers: ['headers', 'http_headers'],
  timeout: ['timeout', 'request_timeout_ms', 'tool_timeout_sec', 'tool_timeout'],
  startupTimeout: ['startupTimeout', 'startup_timeout_sec', 'init_timeout'],
  disabled: ['disabled'],
  enabled: ['enabled'],
  allow: ['allow', 'allowedTools', 'includeTools', 'enabled_tools'],
  deny: ['deny', 'excludedTools', 'excludeTools', 'disabled_tools', 'disabledTools'],
  approval: ['approval'],
  allowLocalNetwork: ['allowLocalNetwork'],
  protocol: ['protocol'],
  oauth: ['oauth'],
} as const;

export type Field = keyof typeof KEYS;

/** Keys of other hosts that are safe to ignore without a warning. */
export const NEUTRAL_KEYS = [
  'description',
  'gallery',
  'version',
  'dev',
  'trust',
  'autoApprove',
  'alwaysAllow',
  'alwaysLoad',
];

/** Keys that a server needs for its safety or access: it must not start without them. */
export const REFUSED_KEYS: Readonly<Record<string, string>> = {
  sandboxEnabled: 'a sandbox is not supported, and the server would run without the one it asks for',
  sandbox: 'a sandbox is not supported, and the server would run without the one it asks for',
  headersHelper:
    'generating headers with a command is not supported; use "headers" with ${env:NAME} or ${input:id}',
};

/** All keys that an entry may have, ours first. */
export const KNOWN_KEYS: readonly string[] = [
  ...Object.values(KEYS).map(([own]) => own),
  ...Object.values(KEYS).flatMap(([, ...others]) => others),
];

/** Fields that apply to programs only, or to URLs only. */
export const STDIO_ONLY: readonly Field[] = ['command', 'args', 'env', 'envFile', 'cwd'];
export const HTTP_ONLY: readonly Field[] = ['url', 'headers', 'allowLocalNetwork', 'oauth'];

/** Top-level keys that hold servers. */
export const SERVER_KEYS = ['servers', 'mcpServers', 'mcp_servers', 'mcp'];
/** Other known top-level keys. */
export const TOP_KEYS = ['$schema', 'inputs', 'version'];

export const STDIO_SHAPE =
  '{"command": "program", "args": ["..."], "env": {"NAME": "value"}, "envFile": ".env", "cwd": "folder", "timeout": 30000}';
export const HTTP_SHAPE =
  '{"type": "http", "url": "https://host/path", "headers": {"Name": "value"}, "timeout": 30000}';

const TRANSPORTS: Readonly<Record<string, 'stdio' | 'http' | 'sse'>> = {
  stdio: 'stdio',
  local: 'stdio',
  command: 'stdio',
  http: 'http',
  remote: 'http',
  streamable: 'http',
  streamablehttp: 'http',
  httpstreamable: 'http',
  sse: 'sse',
  httpsse: 'sse',
};

/** The transport by any of its spellings, such as `streamable-http`, `streamable_http` and `streamableHttp`. */
export function transportOf(name: string): 'stdio' | 'http' | 'sse' | undefined {
  const plain = name.toLowerCase().replace(/[-_+ ]/g, '');
  return Object.hasOwn(TRANSPORTS, plain) ? TRANSPORTS[plain] : undefined;
}
