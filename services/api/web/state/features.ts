import { signal } from '@preact/signals';
import { getJson } from '../net/api.ts';

interface OpenApi {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: { readonly securitySchemes?: object };
}

export interface Features {
  readonly cancel: boolean;
  readonly retry: boolean;
  /** Calls need a key. */
  readonly keys: boolean;
}

/** What this API can do, by its own description: buttons for the rest are not shown. */
export const features = signal<Features>({ cancel: false, retry: false, keys: false });

export async function readFeatures(): Promise<void> {
  const document = await getJson<OpenApi>('/docs/json').catch((): OpenApi => ({}));
  const has = (path: string, method: string) => document.paths?.[path]?.[method] !== undefined;
  features.value = {
    cancel: has('/v1/proofs/{id}', 'delete'),
    retry: has('/v1/proofs/{id}/retry', 'post'),
    keys: Object.keys(document.components?.securitySchemes ?? {}).length > 0,
  };
}
