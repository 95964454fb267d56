import { expect, it } from 'vitest';
import { textFiles, weightFiles } from '../../src/hub/needed-files.ts';

it('an embedding model is needed with what is behind its pooling', () => {
  const paths = [
    ...['config.json', 'modules.json', '1_Pooling/config.json', '2_Dense/config.json', 'README.md'],
    ...[
      'model.safetensors',
      '2_Dense/model.safetensors',
      '2_Dense/pytorch_model.bin',
      'onnx/model.safetensors',
    ],
  ];
  const files = paths.map(path => ({ path, size: 1 })) as unknown as Parameters<typeof textFiles>[0];
  const named = (chosen: readonly { path: string }[]) => chosen.map(({ path }) => path);
  expect(named(textFiles(files))).toEqual(paths.slice(0, 4));
  expect(named(weightFiles('org/name', files, undefined))).toEqual([
    'model.safetensors',
    '2_Dense/model.safetensors',
  ]);
});
