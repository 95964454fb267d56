/** The families that turn texts into vectors, by config.json's `model_type`. Each is a file in native/encoders. */
export const ENCODER_TYPES: readonly string[] = ['bert', 'nomic_bert', 'roberta', 'xlm-roberta'];

export function isEncoderType(type: unknown): boolean {
  return ENCODER_TYPES.some(known => known === type);
}
