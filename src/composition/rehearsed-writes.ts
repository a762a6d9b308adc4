/** Records the writes of a command in a rehearsal, with their outcomes. */

import { mayBeDoneDespite, requestView } from "../commands/watched-service.ts";
import type { RehearsalEvent } from "../config/script-rehearsal.ts";
import { operationRow } from "../schemas/operations.ts";
import { mapCalls, NotConfirmed, type RawAnswer, type RawRequest, type Service, ServiceError } from "../service.ts";

/** A write with its outcome. */
export type WrittenInRehearsal = Omit<Extract<RehearsalEvent, { type: "write" }>, "id" | "type">;
type RecordWrite = (write: WrittenInRehearsal) => void;

/** Returns a service that records each write after its end. */
export function recordWrites(service: Service, record: RecordWrite): Service {
  return mapCalls(service, (call, name) =>
    operationRow(name).method === "GET"
      ? call
      : (input, options) => recordEnd(requestView(name, input), () => call(input, options), record),
  );
}

/** Returns a function that sends raw requests with `raw`. The function records each write after the write ends. */
export function recordRaw(
  raw: (request: RawRequest) => Promise<RawAnswer>,
  record: RecordWrite,
): (request: RawRequest) => Promise<RawAnswer> {
  return (request) => (request.method === "GET" ? raw(request) : recordEnd(request, () => raw(request), record));
}

async function recordEnd<T>(
  { method, path }: { method: string; path: string },
  send: () => Promise<T>,
  record: RecordWrite,
): Promise<T> {
  try {
    const answer = await send();
    record({ method, path, outcome: "done" });
    return answer;
  } catch (error) {
    const { status, code } = error instanceof ServiceError ? error : {};
    const outcome = error instanceof NotConfirmed ? "done" : mayBeDoneDespite(error) ? "unknown" : "refused";
    record({ method, path, outcome, ...(status !== undefined && { status }), ...(code !== undefined && { code }) });
    throw error;
  }
}
