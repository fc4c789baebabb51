export { connect, type Client } from "./client.js";
export { ApiError, ConnectionError, type ErrorBody, GuildhallError, JobRunningError, NotModifiedError } from "./errors.js";
export type { Answer, HttpOptions as ClientOptions } from "./http.js";
export type { Arguments, CallOptions, Data, ErrorWord, ListId, OperationId, Row } from "./types.js";
export type * from "./generated/schema.js";
