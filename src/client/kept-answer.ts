/** Whether the answer to a write was given before, to the first request that had its id: then nothing was done this time. */

import { isJsonObject } from "../schemas/json.ts";
import type { OperationRow } from "../schemas/operations.ts";
import type { Answer } from "./exchange.ts";

/** A record that was made so long before the answer was not made by the request, however slow the server is. */
const CLEARLY_OLDER = 10 * 60_000;

/** It says so, or it shows a record that is older than the request: both times are the server's, so no clock has to be right. */
export function isKept({ headers, body }: Answer, { status }: Pick<OperationRow, "status">): boolean {
  if (headers.get("idempotency-replayed")?.trim().toLowerCase() === "true") return true;
  // Of what was there before, its age says nothing.
  if (status !== 201 || body.kind !== "json" || !isJsonObject(body.value)) return false;
  const { data } = body.value;
  const { createdAt } = isJsonObject(data) ? data : body.value;
  // Without its zone a time may be hours off.
  if (typeof createdAt !== "string" || !/(Z|[+-]\d\d:?\d\d)$/i.test(createdAt)) return false;
  return Date.parse(headers.get("date") ?? "") - Date.parse(createdAt) >= CLEARLY_OLDER;
}
