import type { Command } from '../options/command.ts';
import { bench } from './bench.ts';
import { bundledServer } from './bundled-server.ts';
import { chat } from './chat.ts';
import { completion } from './completion.ts';
import { doctor } from './doctor.ts';
import { init } from './init.ts';
import { inspect } from './inspect.ts';
import { list } from './list.ts';
import { pull } from './pull.ts';
import { rm } from './rm.ts';
import { serve } from './serve.ts';
import { tools } from './tools.ts';
import { worker } from './worker.ts';

/** All commands, in the order of `--help`; the first one is the default. */
export const COMMANDS: readonly Command[] = [
  chat,
  tools,
  bundledServer,
  inspect,
  pull,
  list,
  rm,
  bench,
  serve,
  worker,
  doctor,
  completion,
  init,
];
