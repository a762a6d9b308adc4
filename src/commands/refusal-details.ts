/** What a service reports beside code and message, as lines of text in a fixed order, whatever its shape (R104). */

import { type ReportedMessage, type ReportedValidation, severityOf } from "../schemas/error-body.ts";
import type { JsonObject } from "../schemas/json.ts";
import { listOf, readErrorMembers, readImpact } from "../schemas/read-error.ts";
import { renderEach } from "../terminal/diagnostics.ts";
import { safeLine, visible } from "../terminal/escape.ts";
import type { Style } from "../terminal/style.ts";
import type { Failure } from "./failure.ts";

export type DetailsView = {
  style: Style;
  /** How a staged field change is confirmed, by its draft id. */
  confirm: (draftId: string) => string;
};

/** Lines that are safe to print. What the message or the problems of the failure contain is not repeated. */
export function refusalDetails(failure: Failure, { style, confirm }: DetailsView): string[] {
  const { api } = failure;
  if (!api) return [];
  const members = readErrorMembers(api);
  const { fieldErrors = {}, errors = [], validation, meta } = members;
  const { unavailableMutationScopes: scopes, clientMutationId } = members;
  const shown = shownTexts(failure);
  const isPartial = meta?.["partiallyApplied"] === true;
  const plain: (string | false | undefined)[] = [
    ...Object.entries(fieldErrors).flatMap(([path, messages]) => fieldLines(path, messages, shown)),
    ...errors.map(({ message }) => message).filter((message) => !isShown(message, validation, shown)),
  ];
  const rest: (string | false | undefined)[] = [
    ...listOf(api["impacts"]).map((impact) => impactLine(impact, confirm)),
    !isPartial && memberLine("meta", api["meta"]),
    scopes && `unavailable: ${scopes.join(", ")}`,
    memberLine("relation tables", api["relationTableErrors"]),
    conflictLine(api["idempotencyConflict"], members.idempotencyConflict?.firstSeenAt),
    clientMutationId !== undefined && `clientMutationId: ${clientMutationId}`,
  ];
  return [
    // What is already done is the first thing to know.
    ...lines([isPartial && memberLine("partly applied", meta)]),
    ...lines(plain),
    ...validationLines(api["validation"], validation, { shown, style }),
    ...lines(rest),
  ];
}

function lines(texts: readonly (string | false | undefined)[]): string[] {
  return texts.filter((text) => typeof text === "string").map((text) => safeLine(visible(text)));
}

/** The texts that are printed anyway. */
function shownTexts({ message, problems = [] }: Failure): ReadonlySet<string> {
  return new Set([message, ...problems.map((problem) => problem.message)]);
}

function fieldLines(path: string, messages: readonly string[], shown: ReadonlySet<string>): string[] {
  const name = path || "the body";
  return messages
    .filter(
      (message) => ![message, `${name} ${message}`, `${path || "the file"} ${message}`].some((text) => shown.has(text)),
    )
    .map((message) => `${name}: ${message}`);
}

/** An error that the validation repeats with its place is printed there. */
function isShown(message: string, validation: ReportedValidation | undefined, shown: ReadonlySet<string>): boolean {
  return shown.has(message) || (validation?.errors ?? []).some((error) => error.message === message);
}

/** Its messages; without any the state, or all of it where it has no state either. */
function validationLines(
  said: unknown,
  validation: ReportedValidation | undefined,
  { shown, style }: { shown: ReadonlySet<string>; style: Style },
): string[] {
  if (!validation) return lines([memberLine("validation", said)]);
  const messages = [...validation.errors, ...validation.warnings];
  if (messages.length === 0) {
    return lines([validation.state === undefined ? memberLine("validation", said) : `validation: ${validation.state}`]);
  }
  const left = messages.filter(({ message }) => !shown.has(message)).map(toDiagnostic);
  return left.length === 0 ? [] : renderEach(left, new Map(), style).trimEnd().split("\n");
}

/** Without further members: those of a server may look like a place in a file. */
function toDiagnostic(said: ReportedMessage) {
  const { code = "", message, path = "" } = said;
  return { severity: severityOf(said), code, message, path };
}

/** `d_pay: delete pay_rate (VALUE_CLEAR; 57 values) needs confirmValueClear: --confirm-field-change d_pay` */
function impactLine(said: unknown, confirm: DetailsView["confirm"]): string {
  const impact = readImpact(said);
  const { draftId, action, fieldKey, reasons, valueCount, referencedByLayouts, requires } = impact;
  const flag = draftId === undefined ? "" : `: ${confirm(draftId)}`;
  if (action === undefined || fieldKey === undefined) return `${JSON.stringify(said)}${flag}`;
  const others = Object.entries(said as JsonObject).filter(([name]) => !Object.hasOwn(impact, name));
  const facts = [
    reasons?.join(", "),
    valueCount !== undefined && (valueCount === 1 ? "1 value" : `${valueCount} values`),
    referencedByLayouts?.length && `shown by ${referencedByLayouts.join(", ")}`,
    others.length > 0 && JSON.stringify(Object.fromEntries(others)),
  ].filter(Boolean);
  const change = `${draftId === undefined ? "" : `${draftId}: `}${action} ${fieldKey}`;
  const needs = requires?.length ? ` needs ${requires.join(" and ")}` : "";
  return `${change}${facts.length === 0 ? "" : ` (${facts.join("; ")})`}${needs}${flag}`;
}

function conflictLine(said: unknown, firstSeenAt: string | undefined): string | undefined {
  return firstSeenAt === undefined ? memberLine("idempotency conflict", said) : `first used at ${firstSeenAt}`;
}

/** `name: value` as compact JSON, a text as it is; undefined where there is nothing to print. */
function memberLine(name: string, value: unknown): string | undefined {
  const [item] = listOf(value);
  if (item === undefined) return undefined;
  return `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
}
