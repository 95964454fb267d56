/**
 * Whose tools a request gets. `auto`: its own, or ours if it names none; `all`: both; `own`: its own alone;
 * `none`: no tools at all.
 */
export const TOOLS_POLICIES = ['auto', 'all', 'own', 'none'] as const;

export type ToolsPolicy = (typeof TOOLS_POLICIES)[number];
