import { signal } from '@preact/signals';

const KEY_NAME = 'cuzk.apiKey';

/** The key that calls carry, kept until the tab is closed; '' for none. */
export const apiKey = signal(sessionStorage.getItem(KEY_NAME) ?? '');

export function setApiKey(key: string): void {
  apiKey.value = key.trim();
  sessionStorage.setItem(KEY_NAME, apiKey.value);
}

/** Set when a call was refused for want of a key: the page then asks for one. */
export const keyWanted = signal(false);

/** Keys that were refused: nobody is asked again for the same one. */
const refused = new Set<string>();

function askForKey(): void {
  if (refused.has(apiKey.value)) return;
  refused.add(apiKey.value);
  keyWanted.value = true;
}

/** An answer that is no success, in the words of the API. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly action: string | null;

  constructor(status: number, document: Record<string, unknown>) {
    super(String(document.detail ?? document.message ?? `HTTP ${status}`));
    this.status = status;
    this.code = String(document.code ?? `HTTP_${status}`);
    this.action = typeof document.action === 'string' ? document.action : null;
  }
}

/** A request with the key. Throws ApiProblem, or TypeError when nobody answers. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (apiKey.value !== '') headers.set('authorization', `Bearer ${apiKey.value}`);
  const response = await fetch(path, { ...init, headers });
  if (response.ok) return response;
  if (response.status === 401 || response.status === 403) askForKey();
  const document = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  throw new ApiProblem(response.status, document);
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await request(path, signal === undefined ? {} : { signal });
  return (await response.json()) as T;
}

/** What went wrong, in one sentence. */
export function problemText(error: unknown): string {
  if (error instanceof ApiProblem) {
    return error.action === null ? error.message : `${error.message} ${error.action}`;
  }
  if (error instanceof TypeError) return 'The API does not answer.';
  return error instanceof Error ? error.message : String(error);
}
