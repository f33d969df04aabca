/** The globals of every JavaScript host, of which the language's own library declares none. */
interface HostGlobals {
  readonly atob: (base64: string) => string;
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (module: object) => { readonly exports: object };
  };
}

/** Exports of a module without imports, in base64; `T` is what its source in packages/core/assembly exports. */
export function instantiateWasm<T extends object>(base64: string): T {
  const { atob, WebAssembly } = globalThis as unknown as HostGlobals;
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  // the generator wrote both from the same source
  return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports as T;
}
