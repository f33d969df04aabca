// In place of compile-child.js: dies of the kernel that it is told to die of, hangs at the one that it is told to hang
// at, and says of all others that they are compiled.
process.on('message', ({ file }) => {
  if (file === 'dies') process.kill(process.pid, 'SIGKILL');
  else if (file !== 'hangs') process.send({ compiled: true, processorSeconds: 1 });
});
process.on('disconnect', () => process.exit());
