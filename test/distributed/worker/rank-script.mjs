// Stands for the process that computes a worker's part: says which orders come, and ends when it is told to load.
process.on('disconnect', () => process.exit());
// `protocol` as src/distributed/link/messages.ts has it.
process.send({ type: 'hello', protocol: 3, version: String(process.pid), mlx: '1' });
process.on('message', order => {
  if (order.type === 'ping') process.send({ type: 'pong', sums: 0, waits: false, bytes: 0 });
  if (order.type === 'load') process.exit(7);
});
