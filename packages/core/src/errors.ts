/**
 * Every error the product raises on purpose. `retryable` says whether the same work may succeed
 * elsewhere or later; `status` is the HTTP status the API answers with. docs/errors.md lists the same codes.
 */
export const ERROR_CODES = {
  C1_NOT_JSON: { retryable: false, status: 400 },
  C1_MALFORMED: { retryable: false, status: 422 },
  C1_UNSUPPORTED: { retryable: false, status: 422 },
  C1_INCONSISTENT: { retryable: false, status: 422 },
  INTERNAL: { retryable: true, status: 500 },
  REQUEST_INVALID: { retryable: false, status: 400 },
  BODY_TOO_LARGE: { retryable: false, status: 413 },
  UNAUTHORIZED: { retryable: false, status: 401 },
  QUOTA_EXCEEDED: { retryable: true, status: 429 },
  IDEMPOTENCY_KEY_REUSED: { retryable: false, status: 422 },
  IDEMPOTENCY_IN_PROGRESS: { retryable: true, status: 409 },
  DEADLINE_UNREACHABLE: { retryable: false, status: 422 },
  RETRY_REFUSED: { retryable: false, status: 409 },
  PROOF_NOT_FOUND: { retryable: false, status: 404 },
  PROOF_NOT_READY: { retryable: false, status: 409 },
  PROOF_MALFORMED: { retryable: false, status: 422 },
  STATEMENT_INVALID: { retryable: false, status: 422 },
  PARTITION_INPUT_MALFORMED: { retryable: true, status: 500 },
  WITNESS_MALFORMED: { retryable: true, status: 500 },
  WITNESS_UNSATISFIED: { retryable: false, status: 422 },
  SHAPE_MALFORMED: { retryable: true, status: 500 },
  PARAMS_MISSING: { retryable: true, status: 503 },
  PARAMS_MALFORMED: { retryable: false, status: 500 },
  PARAMS_DIGEST_MISMATCH: { retryable: false, status: 500 },
  PARAMS_INSECURE: { retryable: false, status: 403 },
  GPU_UNAVAILABLE: { retryable: true, status: 503 },
  GPU_DEVICE_LOST: { retryable: true, status: 503 },
  GPU_OUT_OF_MEMORY: { retryable: true, status: 503 },
  GPU_HUNG: { retryable: true, status: 503 },
  GPU_SELF_TEST_FAILED: { retryable: true, status: 503 },
  GPU_KERNEL_INVALID: { retryable: false, status: 500 },
  PROOF_SELF_CHECK_FAILED: { retryable: true, status: 500 },
  ARTIFACT_MISSING: { retryable: true, status: 500 },
  ARTIFACT_DIGEST_MISMATCH: { retryable: true, status: 500 },
  REDIS_UNSUITABLE: { retryable: true, status: 503 },
  REDIS_UNAVAILABLE: { retryable: true, status: 503 },
  API_UNAVAILABLE: { retryable: true, status: 503 },
  CAPACITY_EXHAUSTED: { retryable: true, status: 503 },
  DISK_FULL: { retryable: true, status: 503 },
  WORKER_LOST: { retryable: true, status: 503 },
  DEADLINE_EXCEEDED: { retryable: false, status: 409 },
  PROOF_SIMULATED: { retryable: false, status: 409 },
  FENCED: { retryable: false, status: 409 },
  CANCELLED: { retryable: false, status: 409 },
  CONFIG_INVALID: { retryable: false, status: 500 },
  SETUP_FAILED: { retryable: false, status: 500 },
} as const satisfies Record<string, { retryable: boolean; status: number }>;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface ErrorFacts {
  /** What would have been right, in words or as a value. */
  readonly expected?: string;
  /** What was there instead. Never a secret, never witness data. */
  readonly found?: string;
  /** RFC 6901 pointer into the offending document. */
  readonly pointer?: string;
  /** What the reader can do about it. */
  readonly action?: string;
}

/** An expected failure, with a stable code and the facts a reader needs to act on it. */
export class CuzkError extends Error {
  override readonly name = 'CuzkError';
  readonly code: ErrorCode;
  readonly facts: ErrorFacts;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}, cause?: unknown) {
    super(`[${code}] ${message}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.facts = facts;
  }

  get retryable(): boolean {
    return ERROR_CODES[this.code].retryable;
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }
}
