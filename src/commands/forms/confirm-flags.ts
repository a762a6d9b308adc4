/** Whether a change of `isActive` and `isPublic` has been kept: not every server takes it (docs/decisions.md, "Tolerance"). */

import type { FormAnswer } from "../../schemas/answers.ts";
import type { Service } from "../../service.ts";
import type { ObjectAddress } from "../addresses.ts";
import { ifReadable } from "../after-write.ts";
import type { ShownForm } from "./form-view.ts";
import type { Patch } from "./form-patch.ts";

const FLAGS = ["isActive", "isPublic"] as const;

export type ConfirmedForm = {
  form: FormAnswer;
  /** What was asked for and can't be seen in the answer, a sentence each. */
  doubts: string[];
};

/** Looks for what was asked in the answer, and where the answer lacks it in the form as it is read again, if it can be. */
export async function confirmFlags(
  service: Service,
  object: ObjectAddress,
  patch: Patch,
  answer: FormAnswer,
): Promise<ConfirmedForm> {
  const asked = FLAGS.filter((flag) => patch[flag] !== undefined);
  const isSaid = (form: ShownForm) => asked.every((flag) => form[flag] !== undefined);
  const { moduleKey, objectKey } = object;
  const read = () => service.getForm({ moduleKey, objectKey, formId: answer.id });
  const form = isSaid(answer) ? answer : ((await ifReadable(read)) ?? answer);
  const seen: ShownForm = form;
  return {
    form,
    doubts: asked.flatMap((flag) => {
      if (seen[flag] === patch[flag]) return [];
      if (seen[flag] === undefined)
        return [`${flag} was accepted, and can't be confirmed: the server does not tell it.`];
      return [`${flag} is still ${seen[flag]}: this server does not change it once a form exists.`];
    }),
  };
}
