import type { Builtin } from './builtin.ts';
import { clear } from './clear.ts';
import { compact } from './compact.ts';
import { copy } from './copy.ts';
import { debug } from './debug.ts';
import { edit } from './edit.ts';
import { expand } from './expand.ts';
import { exportTo } from './export.ts';
import { help } from './help.ts';
import { load } from './load.ts';
import { mcp } from './mcp.ts';
import { model } from './model.ts';
import { quit } from './quit.ts';
import { retry } from './retry.ts';
import { save } from './save.ts';
import { sessions } from './sessions.ts';
import { stats } from './stats.ts';
import { system } from './system.ts';
import { think } from './think.ts';
import { tools } from './tools.ts';
import { undo } from './undo.ts';

/** All built-in commands, in the order of the help; every reader and the completion use this table. */
export const BUILTINS: readonly Builtin[] = [
  help,
  tools,
  mcp,
  model,
  stats,
  clear,
  undo,
  retry,
  edit,
  copy,
  compact,
  system,
  think,
  expand,
  save,
  load,
  sessions,
  exportTo,
  debug,
  quit,
];
