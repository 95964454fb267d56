import { Text } from 'ink';

export interface ReplyProps {
  /** Rendered markdown, a row each. */
  readonly lines: readonly string[];
}

/** The part of the reply that still grows. */
export function Reply({ lines }: ReplyProps) {
  return lines.map((line, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
    <Text key={row} wrap="truncate">
      {line || ' '}
    </Text>
  ));
}
