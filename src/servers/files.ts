import { LlmHostError, messageOf } from '../errors.ts';
import { confinedRoot } from './confined-path.ts';
import { deleteFile, listFiles, readTextFile, writeTextFile } from './text-files.ts';
import { type ServerTool, serveTools, ToolError } from './tool-server.ts';

/** Four tools over the files inside `root`, an absolute path without links. */
export function filesTools(root: string): readonly ServerTool[] {
  return [
    {
      name: 'list_files',
      description: 'List the files in a directory.',
      parameters: { 'directory?': 'string' },
      annotations: { readOnlyHint: true },
      run: args => inWords(listFiles(root, text(args.directory))),
    },
    {
      name: 'read_file',
      description: 'Read a text file.',
      parameters: { filename: 'string', 'directory?': 'string' },
      annotations: { readOnlyHint: true },
      run: args => inWords(readTextFile(root, text(args.directory), text(args.filename))),
    },
    {
      name: 'write_file',
      description: 'Write text to a file.',
      parameters: { filename: 'string', content: 'string', 'directory?': 'string' },
      annotations: { readOnlyHint: false, destructiveHint: true },
      run: args =>
        inWords(writeTextFile(root, text(args.directory), text(args.filename), text(args.content))),
    },
    {
      name: 'delete_file',
      description: 'Delete a file.',
      parameters: { filename: 'string', 'directory?': 'string' },
      annotations: { readOnlyHint: false, destructiveHint: true },
      run: args => inWords(deleteFile(root, text(args.directory), text(args.filename))),
    },
  ];
}

/**
 * The `files` MCP server on stdio; resolves when its client is gone. `root` may be relative and may be a link.
 * Throws LlmHostError CONFIG if it is not a folder.
 */
export async function runFilesServer(options: { readonly root: string }, version = '0'): Promise<void> {
  const root = await confinedRoot(options.root).catch(error => {
    throw new LlmHostError('CONFIG', messageOf(error), { hint: 'Give a folder that exists with --root.' });
  });
  await serveTools('files', version, filesTools(root));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'Permission denied.',
  EPERM: 'Permission denied.',
  EROFS: 'The file system is read-only.',
  ENOSPC: 'The disk is full.',
  EDQUOT: 'The disk quota is used up.',
  ENAMETOOLONG: 'The path is too long.',
  ENOENT: 'The file is gone.',
  ELOOP: 'The file is a link.',
  EMFILE: 'Too many files are open.',
};

/** System errors contain absolute paths, which the model must not see. */
async function inWords(result: Promise<string>): Promise<string> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new ToolError(REASONS[code ?? ''] ?? `The file system refused (${code ?? messageOf(error)}).`);
  }
}
