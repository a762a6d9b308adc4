/** Is the server there, is the token good, and does it speak the API as this program knows it? */

import { hasCode } from "../../error.ts";
import { isJsonObject } from "../../schemas/json.ts";
import { operationRow, operations, type OperationName } from "../../schemas/operations.ts";
import { type RawAnswer, ServiceError } from "../../service.ts";
import type { CommandContext } from "../command.ts";
import { fail, type Finding, ok, warn } from "./finding.ts";

/** How far two clocks may be apart before anybody should look at them. */
const TOLERABLE_SKEW = 60_000;

export async function checkServer(context: CommandContext): Promise<Finding[]> {
  const token = await checkToken(context);
  if (token.state === "fail") return [token];
  const start = context.now().getTime();
  let answer: RawAnswer;
  try {
    answer = await context.server.raw({ method: "GET", path: "/v1/currencies" });
  } catch (error) {
    return [token, unreachable(error)];
  }
  const reached = ok("reachability", `answered in ${context.now().getTime() - start} ms`);
  return [
    token,
    reached,
    checkClock(context, answer),
    ...checkAnnouncements(answer),
    ...(await checkPermissions(context)),
    ...(await checkShape(context, answer)),
  ];
}

async function checkToken({ server }: CommandContext): Promise<Finding> {
  try {
    const { token, source } = await server.token();
    return ok("token", `…${token.last4}, from ${source}`);
  } catch (error) {
    if (hasCode(error, "NO_TOKEN") || hasCode(error, "CREDENTIALS_UNUSABLE"))
      return fail("token", error.message, error.hint ?? "Log in: formctl auth login", 4);
    throw error;
  }
}

/** What came instead of the cheapest answer that every token gets. */
function unreachable(error: unknown): Finding {
  const { message, hint } = error as Error & { hint?: string };
  if (!(error instanceof ServiceError))
    return fail("reachability", message, hint ?? "Is the base URL right? See: formctl profiles list", 7);
  const { status } = error;
  if (status === 401) return fail("token", `refused: ${message}`, "Log in again: formctl auth login", 4);
  if (status === 404)
    return fail("reachability", `there is no API here: ${message}`, "Name the base URL without /v1.", 5);
  return fail("reachability", `${status}: ${message}`, hint ?? "Ask whoever runs the server.", 7);
}

function checkClock(context: CommandContext, { headers }: RawAnswer): Finding {
  const theirs = Date.parse(headers["date"] ?? "");
  if (Number.isNaN(theirs)) return warn("clock", "the server does not tell the time", "Nothing: it can't be compared.");
  const seconds = Math.round((context.now().getTime() - theirs) / 1000);
  if (Math.abs(seconds) * 1000 <= TOLERABLE_SKEW)
    return ok("clock", `within ${TOLERABLE_SKEW / 1000} s of the server's`);
  const words = `${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} the server's`;
  return warn("clock", `yours is ${words}`, "Set it: what depends on the time, such as Retry-After, is misread.");
}

function checkAnnouncements({ headers }: RawAnswer): Finding[] {
  return ["deprecation", "sunset"].flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [warn(name, `announced: ${value}`, "Look for a newer version of formctl.")];
  });
}

/** Reading shows what may be read. What may be written is not tried: it would be written. */
async function checkPermissions(context: CommandContext): Promise<Finding[]> {
  const [moduleKey = "formctl", objectKey = "doctor"] = context.settings.get("object")?.split("/") ?? [];
  const service = await context.service();
  return [
    await probe("api.custom_forms.read", () => service.listForms({ moduleKey, objectKey, query: { limit: 1 } })),
    await probe("api.view_layouts.read", () => service.getSurfaceDefinitions({})),
    ok("other permissions", "not tried: it would change something"),
  ];
}

async function probe(permission: string, read: () => Promise<unknown>): Promise<Finding> {
  try {
    await read();
    return ok(permission, "held");
  } catch (error) {
    if (!(error instanceof ServiceError))
      return fail(permission, (error as Error).message, "See the shape of the answers below.", 7);
    // The permission is asked before the record is looked for.
    if (error.status === 404) return ok(permission, "held, as far as a record that does not exist can tell");
    if (error.status === 403) return warn(permission, "missing", "Ask for it where the token was issued.");
    return warn(permission, `${error.status}: ${error.message}`, "Try it again later.");
  }
}

/** The server's own document where it has one, else the answers that it gives. */
async function checkShape(context: CommandContext, currencies: RawAnswer): Promise<Finding[]> {
  const described = await describedOperations(context);
  const findings: Finding[] = [];
  if (described) {
    const missing = operationNames().filter((name) => !described.has(signature(name)));
    findings.push(
      missing.length === 0
        ? ok("operations", `all ${operationNames().length} are in the server's OpenAPI document`)
        : warn(
            "operations",
            `not in the server's OpenAPI document: ${missing.join(", ")}`,
            "Their commands will fail.",
          ),
    );
  } else {
    findings.push(ok("operations", "not compared: the server has no /openapi.json"));
    findings.push(await checkExtension(context));
  }
  const list = isJsonObject(currencies.body) ? currencies.body["data"] : undefined;
  findings.push(
    Array.isArray(list)
      ? ok("answers", "wrapped in data, as documented")
      : warn("answers", "not wrapped as documented", "Nothing: other places are looked at too."),
  );
  return findings;
}

async function describedOperations({ server }: CommandContext): Promise<ReadonlySet<string> | undefined> {
  let answer: RawAnswer;
  try {
    answer = await server.raw({ method: "GET", path: "/openapi.json" });
  } catch {
    return undefined;
  }
  const paths = isJsonObject(answer.body) ? answer.body["paths"] : undefined;
  if (!isJsonObject(paths)) return undefined;
  return new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      isJsonObject(methods)
        ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, ":")}`)
        : [],
    ),
  );
}

async function checkExtension(context: CommandContext): Promise<Finding> {
  try {
    await (await context.service()).listLayouts({});
    return ok("layouts", "can be listed");
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 404 || error.status === 405))
      return warn("layouts", "can't be listed or read here", "Commands show what they can read, and mark the rest.");
    return warn("layouts", (error as Error).message, "Try: formctl layouts list");
  }
}

function operationNames(): OperationName[] {
  return Object.keys(operations) as OperationName[];
}

function signature(name: OperationName): string {
  const { method, path } = operationRow(name);
  return `${method} ${path.replace(/:\w+/g, ":")}`;
}
