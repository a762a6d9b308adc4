/** `formctl layouts resolve`: which layout a member would see. */

import { FormctlError } from "../../error.ts";
import { visible } from "../../terminal/escape.ts";
import { by } from "../by-schema.ts";
import { defineCommand, option } from "../command.ts";
import { Surface } from "../../schemas/layout.ts";
import { parseMode } from "../forms/mode-list.ts";
import { targetOf, targetOption } from "./target-option.ts";

const REASONS = { ROLE: "by a role", ORGANIZATION_DEFAULT: "as the organization default" };

export default defineCommand({
  about: "Which layout a member would see (local stores)",
  details: `Of the published layouts that serve the mode: first those assigned to a role of the member, the lowest priority first; then the
organization default. The API says nothing of this order, so a remote server may have another. Where no layout is found the
document is null.`,
  examples: [
    "formctl layouts resolve --surface CONTRACTOR --mode VIEW --member chidi@northwind.example",
    "formctl layouts resolve --surface ORGANIZATION --mode EDIT --member dana@northwind.example -o json",
  ],
  args: {},
  options: {
    surface: option("--surface <surface>", "The page family", by(Surface)),
    target: targetOption(),
    mode: option("--mode <mode>", "CREATE, VIEW or EDIT", parseMode),
    member: option("--member <email>", "The member who looks"),
  },
  async run(context, { surface, target, mode, member }) {
    if (surface === undefined || mode === undefined || member === undefined) {
      const missing = [!surface && "--surface", !mode && "--mode", member === undefined && "--member"];
      throw new FormctlError(
        "USAGE",
        `${missing.filter(Boolean).join(", ")} must be given`,
        "See: formctl layouts resolve --help",
      );
    }
    const local = await context.local();
    const { organization } = context;
    return local.resolveLayout({
      ...(organization !== undefined && { organization }),
      surface,
      // A member that is null means the same as an absent one.
      target: Object.fromEntries(
        Object.entries(targetOf(target, context)).flatMap(([key, value]) => (value ? [[key, value]] : [])),
      ),
      mode,
      memberEmail: member,
    });
  },
  view(resolved, terminal) {
    if (!resolved) {
      terminal.out("No layout: nothing that is published serves this mode here.\n");
      return;
    }
    const { layoutId, layoutName, versionId, reason } = resolved;
    const layout = `${visible(layoutName)} (${visible(layoutId)})`;
    terminal.out(`${layout}, version ${visible(versionId)}, ${REASONS[reason]}\n`);
  },
  names: (resolved) => (resolved ? [resolved.layoutId] : []),
});
