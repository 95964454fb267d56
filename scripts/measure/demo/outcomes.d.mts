export function outcomes(file: string): {
  known(one: object): object | undefined;
  add<T extends object>(one: object, outcome: T): T;
};
export function asJson(value: unknown): string;
