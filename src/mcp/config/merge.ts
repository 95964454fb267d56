import { basename } from 'node:path';
import { quoted } from '../../text/clean/visible.ts';
import type { McpDocument } from './document.ts';

/**
 * Merges mcp files. A server replaces the one of the same name in an earlier file completely, even if it is disabled
 * or broken. Each file keeps its own inputs and `${workspaceFolder}`.
 */
export function mergeDocuments(documents: readonly McpDocument[]): McpDocument[] {
  return documents.map((document, index) => {
    const later = documents.slice(index + 1);
    const replaced = new Map<string, string>();
    for (const other of later) {
      for (const name of namesOf(other)) replaced.set(name, labelOf(other));
    }
    const here = (name: string): boolean => !replaced.has(name);
    const gone = namesOf(document).filter(name => !here(name));
    return {
      ...document,
      entries: document.entries.filter(entry => here(entry.name)),
      disabled: document.disabled.filter(here),
      switchedOff: document.switchedOff.filter(entry => here(entry.name)),
      failures: document.failures.filter(failure => here(failure.name)),
      warnings: [
        ...document.warnings,
        ...gone.map(
          name =>
            `${labelOf(document)}: server ${quoted(name)} is replaced by the one in ${replaced.get(name)}`,
        ),
      ],
    };
  });
}

function labelOf({ file }: McpDocument): string {
  return file.label ?? basename(file.path);
}

function namesOf(document: McpDocument): string[] {
  return [...document.entries, ...document.failures].map(({ name }) => name).concat(document.disabled);
}
