/**
 * The builds of MLX for macOS that are packed, oldest system first. Only the newest has the Metal kernels for the neural
 * accelerators of the M5 ("nax" in their names); it does not load on an older system. npm cannot tell versions of
 * macOS apart, so all are installed, and the program takes the newest that runs (src/native/optional-package.ts).
 */
export const MAC_BUILDS = [
  {
    package: 'darwin-arm64',
    platform: 'macosx_14_0_arm64',
    minimum: '14.0',
    libraries: ['libmlx.dylib', 'mlx.metallib'],
    neuralAccelerators: false,
  },
  {
    package: 'darwin-arm64-macos26',
    platform: 'macosx_26_0_arm64',
    minimum: '26.2',
    libraries: ['libmlx.dylib', 'libjaccl.dylib', 'mlx.metallib'],
    neuralAccelerators: true,
  },
];
