/**
 * Writes one JSON line for each request. The members are listed explicitly, so that no header or body is logged by
 * mistake.
 */

import { pino } from "pino";
import type { RequestLogEntry } from "./handler.ts";

/** @param write receives the lines of one round of the event loop in one call. Each line ends with a line break */
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
