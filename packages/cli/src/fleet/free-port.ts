import { createServer } from 'node:net';

/** A TCP port of 127.0.0.1 that nobody listens on now. Somebody else may take it before it is used. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error('the system gave no port'));
      });
    });
  });
}
