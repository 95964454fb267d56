import type { Builtin } from './base/builtin.ts';
import { clear } from './conversation/clear.ts';
import { compact } from './conversation/compact.ts';
import { copy } from './conversation/copy.ts';
import { edit } from './conversation/edit.ts';
import { expand } from './conversation/expand.ts';
import { retry } from './conversation/retry.ts';
import { system } from './conversation/system.ts';
import { undo } from './conversation/undo.ts';
import { context } from './model/context.ts';
import { model } from './model/model.ts';
import { stats } from './model/stats.ts';
import { think } from './model/think.ts';
import { debug } from './program/debug.ts';
import { help } from './program/help.ts';
import { quit } from './program/quit.ts';
import { mcp } from './servers/mcp.ts';
import { tools } from './servers/tools.ts';
import { exportTo } from './sessions/export.ts';
import { load } from './sessions/load.ts';
import { save } from './sessions/save.ts';
import { sessions } from './sessions/sessions.ts';

/** All built-in commands, in the order of the help; every reader and the completion use this table. */
export const BUILTINS: readonly Builtin[] = [
  help,
  tools,
  mcp,
  model,
  stats,
  context,
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
