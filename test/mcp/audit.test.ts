import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuditEntry, AuditLog, redact } from '../../src/mcp/audit.ts';

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

  it('warns once when it cannot write, and never throws', () => {
    writeFileSync(join(folder, 'file'), '');
    const log = auditLog(join(folder, 'file', 'audit.jsonl'));
    log.append(ENTRY);
    log.append(ENTRY);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('calls are not recorded in');
  });
});

describe('redact', () => {
  it('hides values under keys that look secret, at any depth', () => {
    const value = {
      password: 'a',
      apiKey: 'b',
      headers: [{ Authorization: 'c', 'x-api-key': 'd' }],
      access_token: 'e',
      path: 'f',
    };
    expect(redact(value, 0)).toEqual({
      password: '[redacted]',
      apiKey: '[redacted]',
      headers: [{ Authorization: '[redacted]', 'x-api-key': '[redacted]' }],
      access_token: '[redacted]',
      path: 'f',
    });
  });

  it('shortens long strings and deep values', () => {
    expect(redact('x'.repeat(3000), 0)).toBe(`${'x'.repeat(2000)}... [3000 characters]`);
    let deep: unknown = 'bottom';
    for (let level = 0; level < 20; level++) deep = { deep };
    expect(JSON.stringify(redact(deep, 0))).toContain('[deeper values left out]');
  });
});
