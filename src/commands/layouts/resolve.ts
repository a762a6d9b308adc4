/** `formctl layouts resolve`: shows the layout that a member sees. */

import { visible } from "../../terminal/escape.ts";
import { by } from "../read-input.ts";
import { asText, defineCommand, option, required } from "../command.ts";
import { Surface } from "../../schemas/layout-schema.ts";
import { MODES, SURFACES } from "../../schemas/words.ts";
import { parseMode } from "../modes.ts";
import { targetOf, targetOption } from "./options.ts";

const REASONS = { ROLE: "by a role", ORGANIZATION_DEFAULT: "as the organization default" };

export default defineCommand({
  details: `Considers the published layouts with this mode. A layout assigned to a role of the member wins, the lowest priority first; the
organization default comes last. The API does not document this order, so a server may use another one. If no layout applies,
the document is null.`,
  examples: [
    "formctl layouts resolve --surface CONTRACTOR --mode VIEW --member chidi@northwind.example",
    "formctl layouts resolve --surface ORGANIZATION --mode EDIT --member dana@northwind.example -o json",
  ],
  args: {},
  options: {
    surface: required(option("--surface <surface>", "Surface (page family)", by(Surface), SURFACES)),
    target: targetOption(),
    mode: required(option("--mode <mode>", "CREATE, VIEW or EDIT", parseMode, MODES)),
    member: required(option("--member <email>", "E-mail address of the member", asText, "member")),
  },
  async run(context, { surface, target, mode, member }) {
    const local = await context.local();
    const { organization } = context;
    return local.resolveLayout({
      ...(organization !== undefined && { organization }),
      surface,
      // Omits null members, which mean the same as absent ones.
      target: Object.fromEntries(
        Object.entries(targetOf(target, context)).flatMap(([key, value]) => (value ? [[key, value]] : [])),
      ),
      mode,
      memberEmail: member,
    });
  },
  view(resolved, terminal) {
    if (!resolved) {
      terminal.line("No published layout applies.");
      return;
    }
    const { layoutId, layoutName, versionId, reason } = resolved;
    const layout = `${visible(layoutName)} (${visible(layoutId)})`;
    terminal.line(`${layout}, version ${visible(versionId)}, ${REASONS[reason]}`);
  },
  names: (resolved) => (resolved ? [resolved.layoutId] : []),
});
