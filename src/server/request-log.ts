/** One JSON line a request. What is in it is named one by one, so that no header and no body can slip in. */

import { pino } from "pino";
import type { RequestLogEntry } from "./handler.ts";

/** @param write takes whole lines, each with its line break: those of one round of the event loop together */
export function requestLog(write: (lines: string) => void): (entry: RequestLogEntry) => void {
  let lines = "";
  const flush = () => {
    write(lines);
    lines = "";
  };
  const gather = (line: string) => {
    if (lines === "") setImmediate(flush);
    lines += line;
  };
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write: gather });
  return ({ requestId, method, path, status, ms, tokenId, replayed, error }) => {
    const line = {
      requestId,
      method,
      path,
      status,
      ms,
      ...(tokenId !== undefined && { tokenId }),
      ...(replayed && { replayed }),
    };
    if (error === undefined) logger.info(line, "request");
    else logger.error({ ...line, err: error }, "request failed");
  };
}
