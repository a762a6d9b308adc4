/** Parses HTTP/1.1 messages for the fault-injecting proxy. Supports only what the proxy needs. */

export type Message = { head: string; body: Buffer };

/** Returns the first complete request in `bytes`. A body needs a `content-length`. */
export function wholeRequest(bytes: Buffer): Buffer | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(bytes.toString("latin1", 0, end))?.[1] ?? 0);
  const size = end + 4 + length;
  return bytes.length >= size ? bytes.subarray(0, size) : undefined;
}

/** Returns the request with a header that asks the server to close the connection afterwards. */
export function lastRequest(bytes: Buffer): Buffer {
  const end = bytes.indexOf("\r\n\r\n");
  const head = bytes.toString("latin1", 0, end).replace(/\r\nconnection:[^\r]*/i, "");
  return Buffer.concat([Buffer.from(`${head}\r\nconnection: close`, "latin1"), bytes.subarray(end)]);
}

export function parseAnswer(bytes: Buffer): Message {
  const end = bytes.indexOf("\r\n\r\n");
  const head = bytes.toString("latin1", 0, end);
  const body = bytes.subarray(end + 4);
  return { head, body: /\r\ntransfer-encoding: *chunked/i.test(head) ? dechunked(body) : body };
}

function dechunked(bytes: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const line = bytes.indexOf("\r\n", at);
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16);
    if (!(size > 0)) break;
    chunks.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
  return Buffer.concat(chunks);
}

/** How a response declares its end. */
export const FRAMINGS = ["length", "chunked", "close"] as const;
export type Framing = (typeof FRAMINGS)[number];

/** @param lie added to the declared length */
export function writeAnswer({ head, body }: Message, framing: Framing, lie = 0): Buffer {
  const plain = head.replace(/\r\n(content-length|transfer-encoding|connection):[^\r]*/gi, "");
  const isEmpty = / (204|304) /.test(head.slice(0, 16));
  const lengths: Record<Framing, string> = {
    length: `\r\ncontent-length: ${Math.max(0, body.length + lie)}`,
    chunked: "\r\ntransfer-encoding: chunked",
    close: "",
  };
  const top = Buffer.from(`${plain}${isEmpty ? "" : lengths[framing]}\r\nconnection: close\r\n\r\n`, "latin1");
  if (isEmpty || framing !== "chunked") return Buffer.concat([top, body]);
  const size = Buffer.from(body.length === 0 ? "" : `${body.length.toString(16)}\r\n`);
  const end = Buffer.from(body.length === 0 ? "0\r\n\r\n" : "\r\n0\r\n\r\n");
  return Buffer.concat([top, size, body, end]);
}

/** An answer that the server never gave. */
export function forgedAnswer(status: number, type: string, body: string, headers: readonly string[] = []): Message {
  const lines = [`HTTP/1.1 ${status} Forged`, `content-type: ${type}`, ...headers];
  return { head: lines.join("\r\n"), body: Buffer.from(body) };
}
