export function isNewEnough(version?: string): boolean;
export function runMainUnderNewerNode(main: () => Promise<unknown>): Promise<void>;
