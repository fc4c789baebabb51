// A server that answers each request with the next of the given answers, and keeps what it was sent.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { connect, type Client, type ClientOptions } from "../src/index.js";

export type Reply = (response: ServerResponse) => void;

export interface Stub {
  client: Client;
  requests: { target: string; headers: IncomingMessage["headers"]; body: string; at: number }[];
}

export function json(status: number, body: object, headers: Record<string, string> = {}): Reply {
  return (response) => response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
}

export const done = (data: unknown, headers?: Record<string, string>) => json(200, { status: "success", code: 200, data }, headers);

export function refused(status: number, error: string, retryAfter?: number): Reply {
  const body = { status: "error", code: status, error, message: "no", request_id: "r1", retry_after: retryAfter };
  return json(status, body, retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) });
}

export const broken: Reply = (response) => response.destroy();
export const silent: Reply = () => undefined;

export async function withStub(
  replies: Reply[],
  test: (stub: Stub) => Promise<void>,
  options: Partial<ClientOptions> = {},
): Promise<void> {
  const requests: Stub["requests"] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      requests.push({ target: `${request.method} ${request.url}`, headers: request.headers, body, at: Date.now() });
      (replies[requests.length - 1] ?? refused(500, "internal"))(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await test({ client: connect({ url, key: "gh_test", ...options }), requests });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
