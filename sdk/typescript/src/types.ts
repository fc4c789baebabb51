// What a method takes and gives, derived from the generated types of its operation.

import type { ErrorWord } from "./generated/words.js";
import type { operations as Rows } from "./generated/operations.js";
import type { operations } from "./generated/schema.js";

export type { ErrorWord };

/** The id of an operation in the OpenAPI document. */
export type OperationId = keyof operations;
/** The id of an operation whose answer is a list that is read in pages. */
export type ListId = { [Op in OperationId]: (typeof Rows)[Op] extends { rows: string } ? Op : never }[OperationId];

type Field<T, Name extends string> = T extends { [N in Name]?: infer Value } ? NonNullable<Value> : never;
type OrEmpty<T> = [T] extends [never] ? object : T;
type Parameters<Op extends OperationId, Place extends string> = OrEmpty<Field<operations[Op]["parameters"], Place>>;
type Body<Op extends OperationId> = operations[Op] extends { requestBody: { content: { "application/json": infer B } } }
  ? { body: B }
  : operations[Op] extends { requestBody?: { content: { "application/json": infer B } } }
    ? { body?: B }
    : object;

type Flat<T> = { [Name in keyof T]: T[Name] };

/** Parameters of path and query by their names, and the body. */
export type Arguments<Op extends OperationId> = Flat<Parameters<Op, "path"> & Parameters<Op, "query"> & Body<Op>>;

/** `data` of a successful answer; `undefined` where there is none. */
export type Data<Op extends OperationId> = operations[Op]["responses"] extends {
  200: { content: { "application/json": { data: infer D } } };
}
  ? D
  : undefined;

type RowsOf<D, Name> = Name extends "" ? D : Name extends keyof D ? D[Name] : never;

/** One row of a list. */
export type Row<Op extends ListId> = RowsOf<Data<Op>, (typeof Rows)[Op]["rows"]> extends readonly (infer R)[] ? R : never;

export interface CallOptions {
  /** Of a write. Without it the client makes one; `null` sends none, and the write is never repeated. */
  idempotencyKey?: string | null;
  /** Ends the call, also while it waits to repeat it. */
  signal?: AbortSignal;
  /** Milliseconds for each attempt. */
  timeoutMs?: number;
  /** `wait=N` or `respond-async`, for calls whose work is a job. */
  prefer?: string;
  /** An `ETag`: an answer that has not changed is a `NotModifiedError`. */
  ifNoneMatch?: string;
}

export type Method<Op extends OperationId> = object extends Arguments<Op>
  ? (args?: Arguments<Op>, options?: CallOptions) => Promise<Data<Op>>
  : (args: Arguments<Op>, options?: CallOptions) => Promise<Data<Op>>;

export type Each<Op extends ListId> = object extends Arguments<Op>
  ? (args?: Arguments<Op>, options?: CallOptions) => AsyncGenerator<Row<Op>, void, undefined>
  : (args: Arguments<Op>, options?: CallOptions) => AsyncGenerator<Row<Op>, void, undefined>;
