/** The creation of a form and of a layout: under which key, how it is looked for, and what it is known by. */

import type { FormAnswer, LayoutAnswer } from "../../schemas/answers.ts";
import { wholeForm } from "../../lists/whole-form.ts";
import type { StepRequest } from "../plan/planned.ts";
import { createOnce } from "./create-once.ts";
import { withExpectation } from "./expectations.ts";
import { fits } from "./fits.ts";
import { orLost } from "./lost-layout.ts";
import { presenceOfForm, presenceOfLayout } from "./present.ts";
import type { StepContext } from "./step-context.ts";

type Request<N extends StepRequest["operation"]> = StepRequest & { operation: N };

export function createForm(context: StepContext, { object, body }: Request<"createForm">): Promise<FormAnswer> {
  const { service, resource } = context;
  return createOnce<FormAnswer>(context, {
    operation: "createForm",
    address: resource.address,
    identity: { ...object, name: body.name },
    make: (idempotencyKey, onReplay) => service.createForm({ ...object, body }, { idempotencyKey, onReplay }),
    presence: (made) => presenceOfForm(context, object, made),
    named: async (listings) => {
      const listed = await listings.formsNamed(object, body.name);
      return Promise.all(listed.map((form) => wholeForm(service, object, form)));
    },
    fits: (form) => fits(form, { types: body.types }),
    isShownLater: resource.steps.length > 1,
  });
}

export function createLayout(context: StepContext, { body }: Request<"createLayout">): Promise<LayoutAnswer> {
  const { service, resource, expectations } = context;
  const { surface, target, name } = body;
  return createOnce<LayoutAnswer>(context, {
    operation: "createLayout",
    address: resource.address,
    identity: { surface, target, name },
    make: (key, onReplay) =>
      withExpectation(expectations, "clientMutationId", key, (id) =>
        orLost(context, body, () => service.createLayout({ body: { ...body, ...id } }, { isOnce: true, onReplay })),
      ),
    presence: (made) => presenceOfLayout(context, made),
    named: (listings) => listings.layoutsNamed(body),
    fits: (layout) => fits(layout, { supportedModes: body.supportedModes }),
    isShownLater: resource.steps.length > 1,
  });
}
