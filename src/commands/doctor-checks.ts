/** The checks of `formctl doctor` that need the target: server, token and API, or the local store. */

import { hasCode } from "../base/error.ts";
import type { ExitCode } from "../base/exit-codes.ts";
import { isJsonObject } from "../schemas/json.ts";
import { operationRow, operations, type OperationName } from "../schemas/operations.ts";
import { type RawAnswer, ServiceError } from "../service.ts";
import type { CommandContext } from "./command.ts";

export type Finding = {
  check: string;
  state: "ok" | "warn" | "fail";
  message: string;
  fix: string | null;
  /** The exit code of the command if this check is the first to fail. */
  exitCode: ExitCode;
};

export function ok(check: string, message: string): Finding {
  return { check, state: "ok", message, fix: null, exitCode: 0 };
}

export function warn(check: string, message: string, fix: string): Finding {
  return { check, state: "warn", message, fix, exitCode: 0 };
}

export function fail(check: string, message: string, fix: string, exitCode: ExitCode): Finding {
  return { check, state: "fail", message, fix, exitCode };
}

/** The largest clock difference, in milliseconds, that causes no warning. */
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

/**
 * Returns the finding for a failure of the first request. The request needs no permission, so 403 is no separate case.
 */
function unreachable(error: unknown): Finding {
  const { message, hint } = error as Error & { hint?: string };
  if (!(error instanceof ServiceError))
    return fail("reachability", message, hint ?? "Check the base URL: formctl profiles list", 7);
  const { status } = error;
  if (status === 401) return fail("token", `refused: ${message}`, "Log in again: formctl auth login", 4);
  if (status === 404)
    return fail("reachability", `the API was not found: ${message}`, "Specify the base URL without /v1.", 5);
  return fail("reachability", `${status}: ${message}`, hint ?? "Contact the administrator of the server.", 7);
}

function checkClock(context: CommandContext, { headers }: RawAnswer): Finding {
  const theirs = Date.parse(headers["date"] ?? "");
  if (Number.isNaN(theirs))
    return warn("clock", "the server does not send its time", "No action needed: the clocks can't be compared.");
  const seconds = Math.round((context.now().getTime() - theirs) / 1000);
  if (Math.abs(seconds) * 1000 <= TOLERABLE_SKEW)
    return ok("clock", `within ${TOLERABLE_SKEW / 1000} s of the server's`);
  const words = `${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} the server's`;
  return warn("clock", `the local clock is ${words}`, "Set the clock: headers such as Retry-After are misread.");
}

function checkAnnouncements({ headers }: RawAnswer): Finding[] {
  return ["deprecation", "sunset"].flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [warn(name, `announced: ${value}`, "Check for a newer version of formctl.")];
  });
}

/** Tests the read permissions. Testing the other permissions would write. */
async function checkPermissions(context: CommandContext): Promise<Finding[]> {
  const [moduleKey = "formctl", objectKey = "doctor"] = context.settings.get("object")?.split("/") ?? [];
  const service = await context.service();
  return [
    await probe("api.custom_forms.read", () => service.listForms({ moduleKey, objectKey, query: { limit: 1 } })),
    await probe("api.view_layouts.read", () => service.getSurfaceDefinitions({})),
    ok("other permissions", "not tested, because a test would write"),
  ];
}

async function probe(permission: string, read: () => Promise<unknown>): Promise<Finding> {
  try {
    await read();
    return ok(permission, "held");
  } catch (error) {
    if (!(error instanceof ServiceError))
      return fail(permission, (error as Error).message, "See the check of the response format below.", 7);
    // A server checks the permission before it looks up the record, so a 404 proves the permission.
    if (error.status === 404) return ok(permission, "held (tested with a record that does not exist)");
    if (error.status === 403)
      return warn(permission, "missing", "Request the permission from the issuer of the token.");
    return warn(permission, `${error.status}: ${error.message}`, "Try again later.");
  }
}

/**
 * Checks that the server's OpenAPI document lists all operations. Without a document, checks that layouts can be
 * listed. Also checks that the list of currencies is wrapped in `data`.
 *
 * @param currencies the answer to the request for the list of currencies
 */
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
            "Commands that need them fail.",
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
      : warn("answers", "not wrapped as documented", "No action needed: formctl accepts other formats too."),
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
      return warn(
        "layouts",
        "the server can't list or read layouts",
        "No action needed: commands show the readable values and mark the others as unknown.",
      );
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

export async function checkStore(context: CommandContext): Promise<Finding[]> {
  const { location } = context.localStore;
  if (!context.localStore.exists()) {
    return [fail("store", `the local store ${location} does not exist`, "Create it: formctl local init --demo", 5)];
  }
  const local = await context.local();
  const violations = await local.check();
  if (violations.length > 0) {
    const [first] = violations;
    const message = `${violations.length} records break a rule, for example ${first!.invariant}: ${first!.detail}`;
    return [
      fail("store", message, "List them: formctl local check. To restore a backup: formctl local restore FILE", 1),
    ];
  }
  return [ok("store", `${location} has no problems`), await checkOrganization(context)];
}

async function checkOrganization(context: CommandContext): Promise<Finding> {
  const { organizations } = await (await context.local()).show();
  if (organizations.length === 0) {
    return warn("organization", "the store has no organization", "Add one: formctl local seed FILE");
  }
  const keys = organizations.map(({ key }) => key);
  const wanted = context.organization;
  const pick = "Select one: formctl config set organization KEY";
  if (wanted === undefined && keys.length > 1)
    return warn("organization", `the store has several: ${keys.join(", ")}`, pick);
  if (wanted !== undefined && !keys.includes(wanted))
    return warn("organization", `the store does not have ${wanted}. It has ${keys.join(", ")}`, pick);
  return ok("organization", wanted ?? keys.join());
}
