import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuditEntry, AuditLog } from '../../../src/mcp/policy/audit.ts';
import { Redactor } from '../../../src/mcp/policy/audit-redact.ts';

const ENTRY: AuditEntry = {
  time: '2026-01-02T03:04:05.000Z',
  server: 'files',
  tool: 'read_file',
  arguments: { filename: 'a.txt' },
  outcome: 'ok',
  durationMs: 12,
};

let folder = '';
let warnings: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'llm-host-audit-'));
  warnings = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const auditLog = (path: string): AuditLog => new AuditLog(path, message => warnings.push(message));

describe('AuditLog', () => {
  it('appends lines that only the owner can read', () => {
    const path = join(folder, 'sub', 'audit.jsonl');
    auditLog(path).append(ENTRY);
    auditLog(path).append({ ...ENTRY, outcome: 'timeout' });
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines.map(line => JSON.parse(line))).toEqual([ENTRY, { ...ENTRY, outcome: 'timeout' }]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('closes a file that others could read', () => {
    const path = join(folder, 'audit.jsonl');
    writeFileSync(path, '', { mode: 0o644 });
    auditLog(path).append(ENTRY);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('begins a new file at 5 MB and keeps the old one', () => {
    const path = join(folder, 'audit.jsonl');
    writeFileSync(path, 'x'.repeat(5 * 1024 * 1024));
    auditLog(path).append(ENTRY);
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(2);
    expect(statSync(`${path}.1`).size).toBe(5 * 1024 * 1024);
  });

  it('keeps three old files, the youngest first', () => {
    const path = join(folder, 'audit.jsonl');
    for (let round = 1; round <= 5; round++) {
      writeFileSync(path, String(round).repeat(5 * 1024 * 1024));
      auditLog(path).append(ENTRY);
    }
    const first = (name: string) => readFileSync(join(folder, name), 'utf8')[0];
    expect(readdirSync(folder).sort()).toEqual([
      'audit.jsonl',
      ...[1, 2, 3].map(age => `audit.jsonl.${age}`),
    ]);
    expect([1, 2, 3].map(age => first(`audit.jsonl.${age}`))).toEqual(['5', '4', '3']);
  });

  it('writes no line longer than 64 K, and no secret', () => {
    const path = join(folder, 'audit.jsonl');
    const log = new AuditLog(path, message => warnings.push(message), new Redactor(['hunter2-value']));
    const list = Array.from({ length: 150 }, () => 'y'.repeat(1900));
    log.append({ ...ENTRY, arguments: { list } });
    log.append({ ...ENTRY, arguments: { note: 'my hunter2-value', token: 'abc' } });
    const [large, secret] = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(JSON.parse(large ?? '').arguments).toMatch(/^\[\d+ characters\]$/);
    expect(JSON.parse(secret ?? '').arguments).toEqual({ note: 'my [redacted]', token: '[redacted]' });
  });

  it('warns once when it cannot write, and never throws', () => {
    writeFileSync(join(folder, 'file'), '');
    const log = auditLog(join(folder, 'file', 'audit.jsonl'));
    log.append(ENTRY);
    log.append(ENTRY);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('calls are not recorded in');
  });
});

describe('Redactor', () => {
  const plain = new Redactor();

  it('hides values under keys that look secret, at any depth', () => {
    const value = {
      password: 'a',
      apiKey: 'b',
      headers: [{ Authorization: 'c', 'x-api-key': 'd' }],
      access_token: 'e',
      path: 'f',
    };
    expect(plain.value(value)).toEqual({
      password: '[redacted]',
      apiKey: '[redacted]',
      headers: [{ Authorization: '[redacted]', 'x-api-key': '[redacted]' }],
      access_token: '[redacted]',
      path: 'f',
    });
  });

  it('hides known values wherever they stand, the longest first, in any of their written forms', () => {
    const redactor = new Redactor(['s3cret', 's3cret-and-more', 'with "quotes"', 'a b/c', 'no']);
    expect(redactor.text('x s3cret-and-more y s3cret no')).toBe('x [redacted] y [redacted] no');
    expect(redactor.text('{"a":"with \\"quotes\\""} ?q=a%20b%2Fc')).toBe('{"a":"[redacted]"} ?q=[redacted]');
    expect(redactor.value({ s3cret: ['s3cret'] })).toEqual({ '[redacted]': ['[redacted]'] });
  });

  it.each([
    ['https://me:pw@example.com/x', 'https://[redacted]@example.com/x'],
    ['GET /x?api_key=abc&page=2&token=def', 'GET /x?api_key=[redacted]&page=2&token=[redacted]'],
    ['Authorization: Bearer abcdefgh12345', 'Authorization: Bearer [redacted]'],
    [`key ghp_${'a'.repeat(36)} end`, 'key [redacted] end'],
    [`sk-${'b'.repeat(30)}`, '[redacted]'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', '[redacted]'],
    ['-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----', '[redacted]'],
    [
      'mail me@example.com about https://example.com/a?b=c',
      'mail me@example.com about https://example.com/a?b=c',
    ],
  ])('knows credentials by their shape: %j', (text, expected) => {
    expect(plain.text(text)).toBe(expected);
  });

  it('shortens long strings, long lists, many keys and deep values', () => {
    expect(plain.value('x'.repeat(3000))).toBe(`${'x'.repeat(2000)}... [3000 characters]`);
    expect(plain.value(Array.from({ length: 1000 }, () => 1))).toHaveLength(201);
    const keys = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 1]));
    expect(Object.keys(plain.value(keys) as object)).toHaveLength(201);
    let deep: unknown = 'bottom';
    for (let level = 0; level < 20; level++) deep = { deep };
    expect(JSON.stringify(plain.value(deep))).toContain('[deeper values left out]');
  });

  it.each(['a-', 'eyJ-', '?token', 'http://a', '-----BEGIN PRIVATE KEY-----', 'Bearer '])(
    'is done with a million characters of %j',
    part => {
      const text = part.repeat(1_000_000 / part.length);
      expect(plain.text(text).length).toBeGreaterThan(0);
      expect(plain.value({ [text]: text })).toBeDefined();
    },
  );

  it('copes with what JSON cannot hold', () => {
    const circle: Record<string, unknown> = { big: 1n, __proto__: null };
    circle.self = circle;
    expect(JSON.stringify(plain.value(circle))).toContain('"big":"1"');
  });
});
