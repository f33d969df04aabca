import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A cable to a server on this machine that can be cut, and that swallows bytes when it is blocked. */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #state: 'open' | 'cut' | 'blocked' = 'open';

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(targetPort: number): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(server);
    server.on('connection', (near) => proxy.#join(near, targetPort));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends every connection and refuses new ones. */
  cut(): void {
    this.#state = 'cut';
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Nothing gets through any more, in either direction, and nobody is told. */
  block(): void {
    this.#state = 'blocked';
    for (const socket of this.#sockets) socket.pause();
  }

  /** Lets new connections through; those that were blocked end. */
  mend(): void {
    const blocked = this.#state === 'blocked';
    this.#state = 'open';
    if (blocked) for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #join(near: Socket, targetPort: number): void {
    if (this.#state === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(targetPort, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.on('data', (bytes) => {
        if (this.#state === 'open') other.write(bytes);
      });
      one.on('error', () => {});
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    if (this.#state === 'blocked') near.pause();
  }
}
