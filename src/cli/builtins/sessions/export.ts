import { LlmHostError, messageOf } from '../../../errors.ts';
import { writeText } from '../../../text/files/open-for-writing.ts';
import { tildePath, userPath } from '../../process/tilde-path.ts';
import { EXPORT_FORMATS, type ExportFormat, exportSession, formatOf } from '../../session/session-export.ts';
import { type Builtin, print } from '../base/builtin.ts';

export const exportTo: Builtin = {
  name: 'export',
  argument: '[format] [file]',
  help: 'writes the conversation as markdown, json or html',
  run: (session, argument) => {
    const [first = '', ...rest] = argument.split(/\s+/);
    const named = EXPORT_FORMATS.find(format => format === first.toLowerCase()) ?? undefined;
    const file = named ? rest.join(' ') : argument;
    const format: ExportFormat | undefined = named ?? (file === '' ? 'markdown' : formatOf(file));
    if (!format)
      return print(`/export takes ${EXPORT_FORMATS.join(', ')}, or a file named .md, .json or .html.`);
    const text = exportSession(session.snapshot(), format);
    if (file === '') return print(text.trimEnd());
    const path = userPath(file);
    try {
      writeText(path, text, 0o600);
    } catch (error) {
      throw new LlmHostError('CONFIG', `${path} cannot be written: ${messageOf(error)}`, { cause: error });
    }
    return print(`Exported to ${tildePath(path)}`);
  },
};
