/**
 * Answers every request with the JSON text of a file. Its speed is the limit of any server on node:http.
 *
 * With the second argument, the thread is busy for this number of milliseconds in each request. bench/serve.ts uses
 * such a server as its control.
 */

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const [path = "", busy = "0"] = process.argv.slice(2);
const text = readFileSync(path, "utf8");
const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
const server = createServer((_request, response) => {
  for (const end = performance.now() + Number(busy); performance.now() < end;);
  response.writeHead(200, headers).end(text);
});
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
