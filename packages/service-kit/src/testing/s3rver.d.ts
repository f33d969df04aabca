declare module 's3rver' {
  /** A small S3 server for tests; as much of it as they use. */
  class S3rver {
    constructor(options: {
      readonly port: number;
      readonly address: string;
      readonly silent: boolean;
      readonly directory: string;
    });
    run(): Promise<unknown>;
    close(): Promise<void>;
  }
  export = S3rver;
}
