/** One JSON line a request. What is in it is named one by one, so that no header and no body can slip in. */

import { pino } from "pino";
import type { RequestLogEntry } from "./handler.ts";

/** @param write takes each line, with its line break */
export function requestLog(write: (line: string) => void): (entry: RequestLogEntry) => void {
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
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
