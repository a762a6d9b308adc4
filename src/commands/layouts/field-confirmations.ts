/** Which effects of staged field changes the user confirms: both, or one of them. */

import type { Input } from "../../schemas/operations.ts";

type Confirmation = NonNullable<Input<"publishLayout">["body"]["confirmFieldChanges"]>[number];

export type FieldConfirmations = {
  /** Changes, by draft id, whose effects are all confirmed. */
  confirmed: readonly string[];
  /** Changes of which only the change of the type is confirmed. */
  typeChanges?: readonly string[];
  /** Changes of which only the clearing of values is confirmed. */
  valueClears?: readonly string[];
};

/** The confirmations as the API takes them, one for each change. */
export function confirmationsOf({ confirmed, typeChanges = [], valueClears = [] }: FieldConfirmations): Confirmation[] {
  const all = new Set([...confirmed, ...typeChanges, ...valueClears]);
  return [...all].map((draftId) => {
    const isFull = confirmed.includes(draftId);
    return {
      draftId,
      ...((isFull || typeChanges.includes(draftId)) && { confirmTypeChange: true }),
      ...((isFull || valueClears.includes(draftId)) && { confirmValueClear: true }),
    };
  });
}

/** The options that confirm as much as before, and these changes in full. */
export function confirmationFlags(
  { confirmed, typeChanges = [], valueClears = [] }: FieldConfirmations,
  draftIds: readonly string[],
): string {
  const full = new Set([...confirmed, ...draftIds]);
  const flags = (option: string, ids: Iterable<string>) => [...ids].map((id) => `${option} ${id}`);
  const partly = (ids: readonly string[]) => new Set(ids.filter((id) => !full.has(id)));
  return [
    ...flags("--confirm-field-change", full),
    ...flags("--confirm-type-change", partly(typeChanges)),
    ...flags("--confirm-value-clear", partly(valueClears)),
  ].join(" ");
}
