/** Formats times of the API: complete for documents and pipes, relative to now on a terminal. */

import { visible } from "./escape.ts";
import { plural } from "../base/plural.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS = [
  ["year", 365 * DAY],
  ["month", 30 * DAY],
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
  ["second", SECOND],
] as const;

/**
 * Returns a time of the API (RFC 3339, UTC) without the fraction: `2026-11-21T09:30:00Z`. In other text, only hidden
 * characters are escaped.
 */
export function formatTime(moment: string | null | undefined): string {
  if (!moment) return "";
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(moment);
  return parts ? `${parts[1]}Z` : visible(moment);
}

/**
 * Returns a time as `3 days ago`, `in 2 hours` or `now`, and a date as `today` or `3 days ago`. In other text, only
 * hidden characters are escaped.
 */
export function relativeTime(moment: string, now: Date): string {
  const [, time] = /^\d{4}-\d\d-\d\d(T\d\d:\d\d.*)?$/.exec(moment) ?? [moment, null];
  const distance = now.getTime() - Date.parse(moment);
  if (time === null || Number.isNaN(distance)) return visible(moment);
  const size = Math.abs(distance);
  if (time === undefined && size < DAY) return "today";
  const found = UNITS.find(([, least]) => size >= least);
  if (!found) return "now";
  const [unit, length] = found;
  const words = plural(Math.floor(size / length), unit);
  return distance < 0 ? `in ${words}` : `${words} ago`;
}

/**
 * Returns a time for the lines of a record: `2026-11-21T09:30:00Z (3 days ago)`. Without a terminal, omits the words in
 * parentheses.
 */
export function recordTime(moment: string | null | undefined, { now }: { now?: Date | undefined }): string {
  const time = formatTime(moment);
  if (!moment || !now) return time;
  const relative = relativeTime(moment, now);
  return relative === time ? time : `${time} (${relative})`;
}
