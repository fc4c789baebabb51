import { ApiError, ConnectionError, type ErrorBody, JobRunningError, NotModifiedError } from "./errors.js";
import { Retry, type RetryOptions } from "./retry.js";
import type { CallOptions } from "./types.js";

export interface HttpOptions extends RetryOptions {
  /** Where the service is, such as `https://guildhall.example.org`. */
  url: string;
  /** The API key, `gh_…`. */
  key: string;
  /** Milliseconds for each attempt. */
  timeoutMs?: number;
  /** Another `fetch`, for proxies or tests. */
  fetch?: typeof globalThis.fetch;
}

/** One row of the generated table. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly writes: boolean;
  readonly takesKey: boolean;
}

/** Longer than the service ever works on one request. */
const TIMEOUT_MS = 40_000;

/** A successful answer. */
export class Answer<D> {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly body: { message?: string; data?: unknown },
  ) {}

  /** For people; it may change. */
  get message(): string | undefined {
    return this.body.message;
  }

  /** Throws where there is none yet (202), or where the caller has it (304). */
  get data(): D {
    if (this.status === 202) throw new JobRunningError((this.body.data as { job_id: string }).job_id);
    if (this.status === 304) throw new NotModifiedError("the caller's copy is current");
    return this.body.data as D;
  }

  /** The first answer to the same idempotency key. */
  get replayed(): boolean {
    return this.headers.get("Idempotent-Replayed") === "true";
  }

  /** Of a list; `undefined` on its last page. Lists without a wrapper say it only in their `Link`. */
  get nextCursor(): string | undefined {
    const next = (this.body.data as { next_cursor?: unknown } | undefined)?.next_cursor;
    if (next !== undefined) return next === null ? undefined : String(next);
    const link = /<([^>]*)>\s*;\s*rel="?next"?/.exec(this.headers.get("Link") ?? "")?.[1];
    return link === undefined ? undefined : (new URL(link, "http://localhost").searchParams.get("cursor") ?? undefined);
  }
}

/** Sends calls, and repeats those that may be repeated. */
export class Http {
  readonly #options: HttpOptions;

  constructor(options: HttpOptions) {
    this.#options = { ...options, url: options.url.replace(/\/+$/, "") };
  }

  async call<D>(sent: Sent, args: object, options: CallOptions): Promise<Answer<D>> {
    const { url, init } = this.#request(sent, args, options);
    const repeatable = !sent.writes || "Idempotency-Key" in init.headers;
    const retry = new Retry(repeatable ? this.#options : { retries: 0 });
    for (;;) {
      try {
        return await this.#once<D>(url, init, options);
      } catch (failure) {
        options.signal?.throwIfAborted();
        const waitMs = retry.next(failure);
        if (waitMs === undefined) throw failure;
        await sleep(waitMs, options.signal);
      }
    }
  }

  #request({ method, path, writes, takesKey }: Sent, args: object, options: CallOptions) {
    const { body, ...named } = args as Record<string, unknown>;
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = named[name];
      // Dots would be taken for a step in the path.
      if (["", ".", ".."].includes(String(value ?? ""))) throw new TypeError(`${name} must not be: ${value}`);
      delete named[name];
      return encodeURIComponent(String(value));
    });
    const present = Object.entries(named).filter(([, value]) => value !== undefined && value !== null);
    const query = new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString();
    const headers: Record<string, string> = { Accept: "application/json", "X-API-Key": this.#options.key };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (writes && takesKey && options.idempotencyKey !== null) {
      headers["Idempotency-Key"] = options.idempotencyKey ?? randomKey();
    }
    if (options.prefer !== undefined) headers["Prefer"] = options.prefer;
    if (options.ifNoneMatch !== undefined) headers["If-None-Match"] = options.ifNoneMatch;
    const url = `${this.#options.url}${filled}${query && `?${query}`}`;
    // The key must not follow a redirect to another host.
    const init = { method, headers, redirect: "error" as const };
    return { url, init: body === undefined ? init : { ...init, body: JSON.stringify(body) } };
  }

  async #once<D>(url: string, init: RequestInit, options: CallOptions): Promise<Answer<D>> {
    const signals = [AbortSignal.timeout(options.timeoutMs ?? this.#options.timeoutMs ?? TIMEOUT_MS)];
    if (options.signal) signals.push(options.signal);
    let response: Response, text: string;
    try {
      response = await (this.#options.fetch ?? fetch)(url, { ...init, signal: AbortSignal.any(signals) });
      text = await response.text();
    } catch (cause) {
      options.signal?.throwIfAborted();
      throw new ConnectionError(`${init.method} ${url}: ${reason(cause)}`, { cause });
    }
    const body = parsed(text);
    if (response.status === 304 || (response.ok && body)) return new Answer<D>(response.status, response.headers, body ?? {});
    const seconds = Number(response.headers.get("Retry-After") ?? undefined);
    throw new ApiError(response.status, body ?? {}, Number.isFinite(seconds) ? seconds : undefined);
  }
}

function parsed(text: string): (ErrorBody & { message?: string; data?: unknown }) | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

/** `fetch` hides why it failed in the cause. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** `crypto.randomUUID` is missing on pages without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", aborted);
      resolve();
    }, ms);
    signal?.addEventListener("abort", aborted, { once: true });
  });
}
