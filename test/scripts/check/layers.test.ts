import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runScript } from '../run-script.ts';

let top: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'layers-'));
});

afterEach(() => rmSync(top, { recursive: true }));

async function check(files: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  }
  return runScript('check/layers.mjs', [top]);
}

describe('the layer check', () => {
  it.each([
    ['native/addon/a.cc', '#include "mlx/array.h"', 'native/addon sees no MLX'],
    ['native/engine/a.h', '#include <napi.h>', 'only native/addon sees Node'],
    ['native/layers/a.cc', '# include <node_api.h>', 'only native/addon sees Node'],
    ['src/agent/a.ts', "import React from 'react';", 'the agent knows no screen'],
    ['src/agent/a.ts', 'process.stdout.write("x");', 'the agent knows no screen'],
    ['src/line/a.ts', "import { loop } from '../agent/loop.ts';", 'only types from the agent'],
    ['src/tui/a.tsx', "import {\n  loop,\n} from '../agent/loop.ts';", 'only types from the agent'],
    ['src/engine/a.ts', 'process.exit(1);', 'only src/cli'],
    ['src/engine/a.ts', 'const a = process.argv;', 'only src/cli'],
    ['src/mcp/a.ts', "process.once('SIGTERM', stop);", 'only src/cli'],
    ['src/mcp/a.ts', 'export default 1;', 'no default exports'],
    ['src/bench/a.ts', "new URL('../../scripts/bfcl/main.py', import.meta.url)", 'nothing in scripts'],
    ['src/mcp/a.ts', 'const a = { ...{ b, c } };', 'no object literal is spread'],
    ['web/state/a.ts', "import { x } from '../../src/text/x.ts';", 'only types from src'],
    ['web/markdown/a.tsx', '<p dangerouslySetInnerHTML={x} />;', 'never makes HTML'],
    ['web/markdown/a.ts', 'element.innerHTML = text;', 'never makes HTML'],
    ['web/main.tsx', 'export default 1;', 'no default exports'],
    ['src/mcp/a.ts', 'mkdirSync(path, { recursive: true });', 'never returns below /proc'],
  ])('%s may not hold %s', async (path, text, reason) => {
    const run = await check({ [path]: `\n${text}\n` });
    expect(run.stderr).toContain(`${path}:2: `);
    expect(run.stderr).toContain(reason);
    expect(run.status).toBe(1);
  });

  it('lets pass what the rules allow', async () => {
    const run = await check({
      'native/addon/a.cc': '#include <napi.h>\n#include "engine/host.h"\n// #include "mlx/array.h"\n',
      'native/engine/a.cc': '#include "mlx/array.h"\n',
      'src/cli/main.ts': "process.exit(process.argv.length); process.on('SIGINT', stop);\n",
      'src/line/a.ts': "import type { TurnEvent } from '../agent/turn.ts';\nimport { x } from './x.ts';\n",
      'web/api/a.ts': "import type { X } from '../../src/serve/http/x.ts';\n",
      'src/native/a.ts': "process.on('exit', f); // not process.exit(1)\n",
      'src/engine/a.ts': "/* process.exit(1) */ const u = 'http://localhost';\n",
    });
    expect(run).toMatchObject({ status: 0, stderr: '' });
  });

  it.each([
    [
      'native/layers/a.cc',
      '#include "models/b.h"',
      'native/models/b.h',
      'includes upwards from native/models',
    ],
    ['native/sample/a.h', '#include "weights/b.h"', 'native/weights/b.h', 'includes sideways'],
    [
      'src/chat/a.ts',
      "import { b } from '../agent/b.ts';",
      'src/agent/b.ts',
      'imports upwards from src/agent',
    ],
    ['src/hub/a.ts', "import type { b } from '../model/b.ts';", 'src/model/b.ts', 'imports upwards'],
    ['src/hub/a.ts', "const b = await import('../cli/b.ts');", 'src/cli/b.ts', 'imports upwards'],
    ['src/model/a.ts', "export * from '../mcp/b.ts';", 'src/mcp/b.ts', 'imports sideways'],
  ])('%s may not hold %s', async (path, text, other, reason) => {
    const run = await check({ [path]: `\n${text}\n`, [other]: '' });
    expect(run.stderr).toContain(`${path}:2: ${reason}`);
    expect(run.stderr).toContain('see CONTRIBUTING.md, "Rooms and their ranks"');
    expect(run.status).toBe(1);
  });

  it('refuses folders that import each other in a circle', async () => {
    const run = await check({
      'src/mcp/host.ts': "import { open } from './server/open.ts';\n",
      'src/mcp/server/open.ts': "import type { Host } from '../host.ts';\n",
    });
    expect(run.stderr).toContain('src/mcp, src/mcp/server: these folders import each other in a circle');
    expect(run.status).toBe(1);
  });

  it('wants a rank for every room', async () => {
    const run = await check({ 'src/attic/a.ts': 'export const a = 1;\n' });
    expect(run.stderr).toContain('src/attic: has no rank');
    expect(run.status).toBe(1);
  });

  it('names a heading that CONTRIBUTING has', () => {
    const text = readFileSync(new URL('../../../CONTRIBUTING.md', import.meta.url), 'utf8');
    expect(text).toMatch(/^#+ Rooms and their ranks$/m);
  });

  it('holds for this source tree', async () => {
    expect(await runScript('check/layers.mjs')).toMatchObject({ status: 0, stderr: '' });
  });

  it.each(['src/mcp/a.ts', 'native/engine/a.cc'])('%s may have 500 lines', async path => {
    expect(await check({ [path]: ';\n'.repeat(500) })).toMatchObject({ status: 0, stderr: '' });
    expect((await check({ [path]: ';\n'.repeat(501) })).stderr).toContain(`${path}: 501 lines; at most 500`);
  });
});
