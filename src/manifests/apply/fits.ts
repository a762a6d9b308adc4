/** Whether a record is what was sent, as far as the server shows it. */

import { canonicalJson } from "../../schemas/json.ts";

/** Whether it has every member that was sent; what a server does not show is believed. The order of modes means nothing. */
export function fits(record: object, sent: Readonly<Record<string, unknown>>): boolean {
  const kept = record as Record<string, unknown>;
  return Object.entries(sent).every(([member, value]) => {
    if (value === undefined || kept[member] === undefined) return true;
    return setText(kept[member]) === setText(value);
  });
}

/** Whether the server shows every member that was sent. */
export function shows(record: object, sent: Readonly<Record<string, unknown>>): boolean {
  const kept = record as Record<string, unknown>;
  return Object.entries(sent).every(([member, value]) => value === undefined || kept[member] !== undefined);
}

/** The same text for the same value; the items of an array are a set. */
export function setText(value: unknown): string {
  if (Array.isArray(value))
    return value
      .map((item) => canonicalJson(item))
      .sort()
      .join();
  return canonicalJson(value);
}
