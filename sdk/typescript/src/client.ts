import { GuildhallError } from "./errors.js";
import { operations, type Lists, type Methods } from "./generated/operations.js";
import { Answer, Http, type HttpOptions } from "./http.js";
import type { Arguments, CallOptions, Data, ListId, OperationId, Row } from "./types.js";

/** Rows of a page, unless the caller names a `limit`: the most that the service gives. */
const PAGE = 100;

export interface Client extends Methods {
  /** The rows of each list, page after page: `for await (const ban of guildhall.each.listBans({ guildId }))`. */
  readonly each: Lists;
  /** Any operation by its id, with status, headers and message of the answer. */
  call<Op extends OperationId>(op: Op, args: Arguments<Op>, options?: CallOptions): Promise<Answer<Data<Op>>>;
}

/** A client for one key. It holds no connection, so it needs no closing. */
export function connect(options: HttpOptions): Client {
  const http = new Http(options);
  const call = <Op extends OperationId>(op: Op, args: object = {}, more: CallOptions = {}) =>
    http.call<Data<Op>>(operations[op], args, more);
  const client: Record<string, unknown> = { call };
  const each: Record<string, unknown> = {};
  for (const op of Object.keys(operations) as OperationId[]) {
    client[op] = async (args?: object, more?: CallOptions) => (await call(op, args, more)).data;
    if ("rows" in operations[op]) {
      each[op] = (args?: object, more?: CallOptions) => rows(call, op as ListId, args, more);
    }
  }
  client["each"] = each;
  return client as unknown as Client;
}

type Call = <Op extends OperationId>(op: Op, args?: object, more?: CallOptions) => Promise<Answer<Data<Op>>>;

async function* rows<Op extends ListId>(
  call: Call,
  op: Op,
  args: object = {},
  more?: CallOptions,
): AsyncGenerator<Row<Op>, void, undefined> {
  let page: Record<string, unknown> = { limit: PAGE, ...args };
  for (;;) {
    const answer = await call(op, page, more);
    const name = operations[op].rows;
    const data = answer.data as Record<string, unknown>;
    yield* (name === "" ? data : data[name]) as unknown as Row<Op>[];
    const cursor = answer.nextCursor;
    if (cursor === undefined) return;
    if (cursor === String(page["cursor"])) throw new GuildhallError(`${op}: the next page is the same one`);
    page = { ...page, cursor };
  }
}
