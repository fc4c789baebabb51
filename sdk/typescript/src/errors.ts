import type { components } from "./generated/schema.js";
import type { ErrorWord } from "./generated/words.js";

type JobId = components["schemas"]["JobId"];

/** Every error of this client but an abort by the caller's own signal. */
export class GuildhallError extends Error {
  override readonly name: string = "GuildhallError";
}

/** What the body of an error holds; a proxy in between may answer with something else. */
export interface ErrorBody {
  error?: string;
  message?: string;
  request_id?: string;
  retry_after?: number;
  job_id?: JobId;
  trace_id?: string;
}

/** The service answered with an error. */
export class ApiError extends GuildhallError {
  override readonly name = "ApiError";
  /** The stable word for programs; `unknown` if the answer is not the service's, such as that of a proxy. */
  readonly error: ErrorWord | "unknown" | (string & {});
  /** Finds the request in the service's log. */
  readonly requestId: string | undefined;
  readonly traceId: string | undefined;
  /** The job that the error is about. */
  readonly jobId: JobId | undefined;

  constructor(
    readonly status: number,
    body: ErrorBody,
    /** Seconds after which the same call may succeed. */
    readonly retryAfter: number | undefined,
  ) {
    super(body.message ?? `the answer has the status ${status}`);
    this.error = body.error ?? "unknown";
    this.requestId = body.request_id;
    this.traceId = body.trace_id;
    this.jobId = body.job_id;
  }

  /** Whether it is one of these errors. A word that the document does not name does not compile. */
  is<Word extends ErrorWord>(...words: Word[]): this is this & { readonly error: Word } {
    return (words as string[]).includes(this.error);
  }
}

/** No answer: the connection failed or broke, or the time-out passed. Whether a write was done is not known. */
export class ConnectionError extends GuildhallError {
  override readonly name = "ConnectionError";
}

/** 202: the job of the call takes longer than the call waits, and goes on. `getJob` shows it. */
export class JobRunningError extends GuildhallError {
  override readonly name = "JobRunningError";

  constructor(readonly jobId: JobId) {
    super(`job ${jobId} is still running`);
  }
}

/** 304: the caller's copy of the answer is current. */
export class NotModifiedError extends GuildhallError {
  override readonly name = "NotModifiedError";
}
