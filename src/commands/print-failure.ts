/** Prints a failure on stderr: as text for users, or as one JSON document for scripts. */

import { type JsonObject, isJsonObject } from "../schemas/json.ts";
import { readCode, listOf, readErrorMembers, readImpact } from "../schemas/read-error.ts";
import { hideTokens } from "../base/secret.ts";
import { renderDiagnostics, type Sources, renderEach } from "../terminal/diagnostics.ts";
import { labelled, messageLines } from "../terminal/message.ts";
import { jsonText, visible, visibleLines, safeLine } from "../terminal/escape.ts";
import type { Style } from "../terminal/style.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type ReportedMessage, type ReportedValidation, severityOf } from "../schemas/error-body.ts";
import type { Failure } from "./failure.ts";
import { quoted } from "../base/shell-quote.ts";

/** @param sources the texts of files by name, to print the lines with problems */
export function printFailure(
  failure: Failure,
  { json, terminal, sources }: { json: boolean; terminal: Terminal; sources: Sources },
): void {
  const { errStyle: style, errWidth: width } = terminal;
  const text = json
    ? `${jsonText({ error: failure })}\n`
    : failureText(failure, { style, width, sources, confirmation });
  terminal.err(hideTokens(text));
}

export type FailureView = {
  style: Style;
  /** The columns at which problems wrap. */
  width: number;
  sources: Sources;
  /** Returns the option that confirms a staged field change. `draftId` is the id of the change, such as `d_pay`. */
  confirmation: (draftId: string) => string;
};

/** Returns the located problems, the message, the other members of the refusal, and the next step. */
export function failureText(failure: Failure, { style, width, sources, confirmation: confirm }: FailureView): string {
  const { problems = [], message, hint, requestId } = failure;
  let text = renderDiagnostics(problems, sources, style, width);
  if (!isCoveredByProblems(failure)) {
    const line = `${visible(message)}${visible(serviceCode(failure))}`;
    text += `${labelled("error:", line, { paint: style.red, width })}\n`;
  }
  for (const line of refusalDetails(failure, { style, width, confirm }))
    for (const part of messageLines(line, width - 2)) text += `  ${part}\n`;
  if (requestId !== undefined) text += `  request id: ${visible(requestId)}\n`;
  if (hint !== undefined) text += `${labelled("hint:", visibleLines(hint), { paint: style.cyan, width })}\n`;
  return text;
}

/**
 * Whether the located problems are printed instead of the message. The message is printed if a write is done, or if the
 * service refused with a code that no problem has.
 */
export function isCoveredByProblems(failure: Failure): boolean {
  const { problems, code, done } = failure;
  if (done) return false;
  return problems !== undefined && (!isServiceCode(failure) || problems.some((problem) => problem.code === code));
}

/** Returns ` (FORM_IS_DEFAULT)` for a code of the service that the message does not contain. */
function serviceCode(failure: Failure): string {
  const { code, message } = failure;
  return isServiceCode(failure) && !message.includes(code) ? ` (${code})` : "";
}

/** Whether the service chose the code. A failure of formctl, such as an unknown outcome, has a code of formctl. */
function isServiceCode({ code, api }: Failure): boolean {
  if (!api) return false;
  const { body, status } = api;
  return [`HTTP_${status}`, readCode(api), isJsonObject(body) ? readCode(body) : undefined].includes(code);
}

const confirmation = (draftId: string) => `--confirm-field-change ${quoted(draftId)}`;

type DetailsView = { style: Style; width: number; confirm: FailureView["confirmation"] };

/**
 * Returns the members of a refusal as lines of text, in a fixed order. The members can have any shape (R104). Omits the
 * code, the message, and texts that the message or the problems contain.
 */
function refusalDetails(failure: Failure, { style, width, confirm }: DetailsView): string[] {
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
    // The changes that are already done come first.
    ...lines([isPartial && memberLine("partially applied", meta)]),
    ...lines(plain),
    ...validationLines(api["validation"], validation, { shown, style, width: width - 2 }),
    ...lines(rest),
  ];
}

function lines(texts: readonly (string | false | undefined)[]): string[] {
  return texts.filter((text) => typeof text === "string").map((text) => safeLine(visible(text)));
}

/** Returns the texts that the message and the problems print. */
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

/** Whether the error is also printed elsewhere. The validation prints its own errors with their locations. */
function isShown(message: string, validation: ReportedValidation | undefined, shown: ReadonlySet<string>): boolean {
  return shown.has(message) || (validation?.errors ?? []).some((error) => error.message === message);
}

/**
 * Returns the messages of the validation, except those that are already printed (`shown`). If the validation has no
 * messages, returns its state. If it has no state either, returns the whole member `validation` as JSON.
 */
function validationLines(
  value: unknown,
  validation: ReportedValidation | undefined,
  { shown, style, width }: { shown: ReadonlySet<string>; style: Style; width: number },
): string[] {
  if (!validation) return lines([memberLine("validation", value)]);
  const messages = [...validation.errors, ...validation.warnings];
  if (messages.length === 0) {
    return lines([
      validation.state === undefined ? memberLine("validation", value) : `validation: ${validation.state}`,
    ]);
  }
  const left = messages.filter(({ message }) => !shown.has(message)).map(toDiagnostic);
  return left.length === 0 ? [] : renderEach(left, new Map(), style, width).trimEnd().split("\n");
}

/**
 * Converts a message of the service to a diagnostic. Omits other members of the message, because they can look like a
 * location in a file.
 */
function toDiagnostic(said: ReportedMessage) {
  const { code = "", message, path = "" } = said;
  return { severity: severityOf(said), code, message, path };
}

/**
 * Returns the impact of a staged field change as a line, such as `d_pay: delete pay_rate (VALUE_CLEAR; 57 values)
 * needs confirmation of the cleared values: --confirm-field-change d_pay`.
 */
function impactLine(value: unknown, confirm: DetailsView["confirm"]): string {
  const impact = readImpact(value);
  const { draftId, action, fieldKey, reasons, valueCount, referencedByLayouts, requires } = impact;
  const flag = draftId === undefined ? "" : `: ${confirm(draftId)}`;
  if (action === undefined || fieldKey === undefined) return `${JSON.stringify(value)}${flag}`;
  const others = Object.entries(value as JsonObject).filter(([name]) => !Object.hasOwn(impact, name));
  const facts = [
    reasons?.join(", "),
    valueCount !== undefined && (valueCount === 1 ? "1 value" : `${valueCount} values`),
    referencedByLayouts?.length && `shown by ${referencedByLayouts.join(", ")}`,
    others.length > 0 && JSON.stringify(Object.fromEntries(others)),
  ].filter(Boolean);
  const change = `${draftId === undefined ? "" : `${draftId}: `}${action} ${fieldKey}`;
  const needs = requires?.length
    ? ` needs confirmation of ${requires.map((member) => CONFIRMED[member] ?? member).join(" and ")}`
    : "";
  return `${change}${facts.length === 0 ? "" : ` (${facts.join("; ")})`}${needs}${flag}`;
}

/** The confirmations of the API in words. */
const CONFIRMED: Readonly<Record<string, string>> = {
  confirmTypeChange: "the type change",
  confirmValueClear: "the cleared values",
};

function conflictLine(value: unknown, firstSeenAt: string | undefined): string | undefined {
  return firstSeenAt === undefined ? memberLine("idempotency conflict", value) : `first used at ${firstSeenAt}`;
}

/**
 * Returns `name: value`. A text is unquoted. Any other value is compact JSON. Returns undefined if there is no value.
 */
function memberLine(name: string, value: unknown): string | undefined {
  const [item] = listOf(value);
  if (item === undefined) return undefined;
  return `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
}
