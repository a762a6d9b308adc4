/** Whether what was made a moment ago is there: an answer may be a kept one, of a record that has gone or was renamed. */

import type { FormAnswer, LayoutAnswer } from "../../schemas/answers.ts";
import { readLayout, type Service, ServiceError } from "../../service.ts";
import type { ObjectKey } from "../manifest.ts";

/** `unseen`: it is gone, or it can't be read yet, from a machine that hears of it later, or as long as it is empty. */
export type Presence = "there" | "renamed" | "unseen";

type Looking = { service: Service; sleep: (milliseconds: number) => Promise<void> };

/** What is made may be read from another machine than the one that made it, a moment later. */
const LOOKS = [0, 500, 2_000];

export function presenceOfForm(looking: Looking, object: ObjectKey, made: FormAnswer): Promise<Presence> {
  return looked(looking, made, async ({ getForm }) => (await getForm({ ...object, formId: made.id })).name);
}

/** A server that shows no layouts shows its versions. */
export function presenceOfLayout(looking: Looking, made: LayoutAnswer): Promise<Presence> {
  return looked(looking, made, async (service) => {
    const layout = await readLayout(service, made.id);
    if (layout) return layout.name;
    await service.listVersions({ layoutId: made.id });
    return undefined;
  });
}

/** Whoever may not look, or can't, believes the answer. */
async function looked(
  { service, sleep }: Looking,
  made: { name?: string | undefined },
  nameOf: (service: Service) => Promise<string | undefined>,
): Promise<Presence> {
  for (const pause of LOOKS) {
    if (pause > 0) await sleep(pause);
    try {
      const name = await nameOf(service);
      return name === undefined || name === made.name ? "there" : "renamed";
    } catch (error) {
      if (!isGone(error)) return "there";
    }
  }
  return "unseen";
}

export function isGone(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 404 || error.code === "NOT_FOUND");
}
