// Unused files, exports and packages. Where programs begin, and what is left out: "knip" in package.json.
process.argv.push('--no-progress');
await import(new URL('cli.js', import.meta.resolve('knip')).href);
