export function chooseBackend(backend: string): void;
export function nvidiaRequirements(): string;
