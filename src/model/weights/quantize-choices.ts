/**
 * The choices of `--quantize`: bits of the affine mode, in groups of 64, or the name of another mode. A file of its own
 * because every start of the program loads it.
 */
export const QUANTIZE_CHOICES = ['8', '6', '5', '4', '3', '2', 'mxfp4', 'nvfp4', 'mxfp8'] as const;
