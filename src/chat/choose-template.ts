/** The files of a checkpoint that may hold its template, as they were read. */
export interface TemplateSources {
  /** Text of chat_template.jinja. */
  readonly jinja?: string | undefined;
  /** Content of chat_template.json. */
  readonly templateJson?: unknown;
  /** Content of tokenizer_config.json. */
  readonly tokenizerConfig?: unknown;
}

/**
 * The template text to use, or undefined for a base model. The first file that has one wins, in the order above;
 * of a named list `tool_use` is taken when tools are present, else `default`.
 */
export function chooseTemplate(sources: TemplateSources, hasTools: boolean): string | undefined {
  if (sources.jinja !== undefined) return sources.jinja;
  return (
    pick(templateOf(sources.templateJson), hasTools) ?? pick(templateOf(sources.tokenizerConfig), hasTools)
  );
}

function templateOf(file: unknown): unknown {
  return typeof file === 'object' && file !== null && 'chat_template' in file
    ? file.chat_template
    : undefined;
}

function pick(template: unknown, hasTools: boolean): string | undefined {
  if (typeof template === 'string') return template;
  const named = namedTemplates(template);
  return (
    (hasTools ? named.get('tool_use') : undefined) ?? named.get('default') ?? named.values().next().value
  );
}

/** Both shapes in use: `[{name, template}]` and `{name: template}`. */
function namedTemplates(template: unknown): Map<string, string> {
  const named = new Map<string, string>();
  if (typeof template !== 'object' || template === null) return named;
  const pairs: [unknown, unknown][] = Array.isArray(template)
    ? template.map(entry => [entry?.name, entry?.template])
    : Object.entries(template);
  for (const [name, text] of pairs) {
    if (typeof name === 'string' && typeof text === 'string') named.set(name, text);
  }
  return named;
}
