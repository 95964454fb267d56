import { looksSecret } from '../config/secrets.ts';

const REDACTED = '[redacted]';
const MAX_STRING_CHARS = 2000;
const MAX_KEY_CHARS = 200;
const MAX_ITEMS = 200;
const MAX_DEPTH = 8;
const MIN_SECRET_CHARS = 4;

/**
 * Credentials by shape: in URLs, after an auth scheme, and tokens of well-known vendors. Every repetition is bounded,
 * or a hostile text could keep the search busy for hours.
 */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@]{1,500}@/gi, `$1${REDACTED}@`],
  [
    /([?&](?:[\w.-]{0,40}(?:token|key|secret|password|signature|auth|sig|code)[\w.-]{0,40})=)[^&#\s"']+/gi,
    `$1${REDACTED}`,
  ],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${REDACTED}`],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|hf_|sk-|xox[abprs]-|AKIA|npm_)[A-Za-z0-9_-]{12,}/g, REDACTED],
  [/(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,500}\.[A-Za-z0-9_-]{4,2000}\.[A-Za-z0-9_-]*/g, REDACTED],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
];

/** Removes secrets from what is written to files: known values, and what looks like one. */
export class Redactor {
  readonly #secrets: readonly string[];

  /** Ignores secrets of fewer than 4 characters: they would wipe out half of any text. */
  constructor(secrets: Iterable<string> = []) {
    const forms = [...secrets].flatMap(secret => [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
    ]);
    // Longest first, or part of one secret would leave the rest of another.
    this.#secrets = [...new Set(forms.filter(secret => secret.length >= MIN_SECRET_CHARS))].sort(
      (a, b) => b.length - a.length,
    );
  }

  text(text: string): string {
    let result = text;
    for (const secret of this.#secrets) result = result.replaceAll(secret, REDACTED);
    for (const [shape, replacement] of SHAPES) result = result.replace(shape, replacement);
    return result;
  }

  /**
   * A copy for JSON: values under secret-looking keys become `[redacted]`; long strings, long lists and deep values
   * are truncated.
   */
  value(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.#short(value);
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= MAX_DEPTH) return '[deeper values left out]';
    if (Array.isArray(value)) {
      const kept = value.slice(0, MAX_ITEMS).map(item => this.value(item, depth + 1));
      return value.length > MAX_ITEMS ? [...kept, `[${value.length} items]`] : kept;
    }
    const entries = Object.entries(value);
    const kept = entries
      .slice(0, MAX_ITEMS)
      .map(([key, item]) => [
        this.text(key.slice(0, MAX_KEY_CHARS)),
        looksSecret(key) ? REDACTED : this.value(item, depth + 1),
      ]);
    if (entries.length > MAX_ITEMS) kept.push(['...', `[${entries.length} keys]`]);
    return Object.fromEntries(kept);
  }

  /** Truncated before the search, with room for a secret at the cut, and again after it. */
  #short(text: string): string {
    const clean = this.text(text.slice(0, 2 * MAX_STRING_CHARS));
    if (text.length <= MAX_STRING_CHARS) return clean;
    return `${clean.slice(0, MAX_STRING_CHARS)}... [${text.length} characters]`;
  }
}
