import { tildePath, userPath } from '../../process/tilde-path.ts';
import { type Builtin, print } from '../base/builtin.ts';

export const save: Builtin = {
  name: 'save',
  argument: '[file]',
  help: 'saves the conversation',
  run: async (session, file) => {
    const path = file === '' ? session.folder.newFile(new Date()) : userPath(file);
    session.save(path);
    // The cache may be large: keep it only where the user named a file.
    const cache = file === '' || !session.lastReply ? undefined : await session.keepCache(path);
    return print([`Saved to ${tildePath(path)}`, cache].filter(Boolean).join('\n'));
  },
};
