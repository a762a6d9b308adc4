/** What a plan has itself done to defaults is nobody else's change: for comparing, lists show them as they were before. */

import { DEFAULT_FLAG, type Mode } from "../../schemas/words.ts";
import type { Service } from "../../service.ts";
import { digestOf } from "../content/compare.ts";
import { replacedDefault } from "../plan/digests.ts";
import { objectText } from "../address.ts";
import type { Plan } from "../plan/planned.ts";
import type { DoneBefore } from "./outcome.ts";

/**
 * The same service, whose lists of forms have the flags that the plan has read, of those defaults that its own steps have moved
 * since. A plan moves each default once: what it has read of it nobody reads again.
 */
export function withOwnDefaultsUndone(service: Service, { resources }: Plan, before: DoneBefore): Service {
  /** By object and mode, what was read of the holder. */
  const moved = new Map<string, Map<Mode, string>>();
  for (const { address, object, steps } of resources) {
    for (const [index, { request, replaces = {} }] of steps.entries()) {
      if (request.operation !== "updateFormDefaults" || !object || !before.get(address)?.has(index)) continue;
      const ofObject = moved.get(objectText(object)) ?? new Map<Mode, string>();
      moved.set(objectText(object), ofObject);
      for (const mode of [...request.take, ...request.leave]) {
        const holder = replaces[replacedDefault(mode)];
        if (holder !== undefined) ofObject.set(mode, holder);
      }
    }
  }
  if (moved.size === 0) return service;
  return {
    ...service,
    async listForms(input, options) {
      const page = await service.listForms(input, options);
      const holders = [...(moved.get(objectText(input)) ?? [])];
      const data = page.data.map((form) => {
        const flags = holders.map(([mode, holder]) => [DEFAULT_FLAG[mode], digestOf(form.id) === holder]);
        return { ...form, ...(Object.fromEntries(flags) as object) };
      });
      return { ...page, data };
    },
  };
}
