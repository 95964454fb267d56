import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../../e2e/program.ts';

const SCRIPT = join(ROOT, 'scripts', 'measure', 'bfcl', 'leaderboard.mjs');
const PAGE = join(ROOT, 'docs', 'tool-leaderboard.md');

function place() {
  const dir = mkdtempSync(join(tmpdir(), 'llm-host-leaderboard-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const page = join(dir, 'page.md');
  copyFileSync(PAGE, page);
  const write = (...reports: readonly string[]) =>
    spawnSync(process.execPath, [SCRIPT, ...reports, '--page', page], { encoding: 'utf8', cwd: dir });
  return { dir, page, write };
}

const figures = (share: number, asked = 25) => ({
  asked,
  share,
  low: share - 0.1,
  high: share + 0.1,
  promptTokens: 90,
  generatedTokens: 20,
});

function report(dir: string, name: string, share: number, held = 25): string {
  const modes = { free: figures(share), repair: figures(share), held: figures(share + 0.1, held) };
  const path = join(dir, `${name}.json`);
  const whole = {
    model: { name, parameters: 134_500_000 },
    settings: { perCategory: 25 },
    categories: [{ category: 'multiple', cases: 200, modes }],
    total: { cases: 3641, modes },
  };
  writeFileSync(path, JSON.stringify(whole));
  return path;
}

test('writes a row for each report, and the same page when it runs again', () => {
  const { dir, page, write } = place();
  const reports = [report(dir, 'small', 0.5), report(dir, 'smaller', 0.25, 5)];
  expect(write(...reports)).toMatchObject({ status: 0, stderr: '' });
  const text = readFileSync(page, 'utf8');
  expect(text).toContain(
    '| small | 135 M | 25 of 3641 | 50 (40 to 60) | 50 (40 to 60) | 60 (50 to 70) | 90 | 20 |',
  );
  // Held to the schemas it was asked fewer, which does not compare.
  expect(text).toContain('| smaller | 135 M | 25 of 3641 | 25 (15 to 35) | 25 (15 to 35) |  | 90 | 20 |');
  expect(text).toContain('| multiple | 60 (50 to 70) |  |');
  expect(text).toMatch(/^# Tool calls: figures[\s\S]*## Published elsewhere/);
  write(...reports);
  expect(readFileSync(page, 'utf8')).toBe(text);
});

test('refuses a page without its marks, and no report at all', () => {
  const { dir, page, write } = place();
  expect(write().stderr).toContain('name the reports');
  writeFileSync(page, '# Another page\n');
  expect(write(report(dir, 'small', 0.5)).stderr).toContain('page.md lacks its marks');
  expect(readFileSync(page, 'utf8')).toBe('# Another page\n');
});
