import { ApiError, ConnectionError } from "./errors.js";

export interface RetryOptions {
  /** Repeats of one call; 0: none. */
  retries?: number;
  /** Milliseconds that one call waits in all. An answer that asks for more is thrown at once. */
  maxWaitMs?: number;
}

const RETRIES = 4;
/** A window of the service's rate limits, and jitter. */
const MAX_WAIT_MS = 70_000;
const BACKOFF_MS = 500;
const BACKOFF_MAX_MS = 8_000;
/** Clients that wait for the same moment come spread over this part of their wait, and at least over `SPREAD_MS`. */
const SPREAD = 0.05;
const SPREAD_MS = 250;

/** How long one call waits before it is repeated. */
export class Retry {
  #repeats = 0;
  #waitedMs = 0;
  readonly #retries: number;
  readonly #maxWaitMs: number;

  constructor(options: RetryOptions) {
    this.#retries = options.retries ?? RETRIES;
    this.#maxWaitMs = options.maxWaitMs ?? MAX_WAIT_MS;
  }

  /** Milliseconds to wait; `undefined`: the failure is final. */
  next(failure: unknown): number | undefined {
    if (this.#repeats >= this.#retries || !passes(failure)) return undefined;
    const waitMs = this.#wait(failure instanceof ApiError ? failure.retryAfter : undefined);
    if (this.#waitedMs + waitMs > this.#maxWaitMs) return undefined;
    this.#repeats += 1;
    this.#waitedMs += waitMs;
    return waitMs;
  }

  #wait(retryAfter: number | undefined): number {
    if (retryAfter === undefined) {
      return Math.random() * Math.min(BACKOFF_MS * 2 ** this.#repeats, BACKOFF_MAX_MS);
    }
    const asked = retryAfter * 1000;
    return asked + Math.random() * Math.max(asked * SPREAD, SPREAD_MS);
  }
}

/** Whether the same call may succeed later. A 409 `still_running` is the first attempt of this very call. */
function passes(failure: unknown): boolean {
  if (failure instanceof ConnectionError) return true;
  if (!(failure instanceof ApiError)) return false;
  return failure.status === 429 || failure.status === 503 || (failure.status === 409 && failure.is("still_running"));
}
