/** The two targets of `diff` and `promote`: the options that name them, and their tokens. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { namedTarget, type RemoteTarget, type Target } from "../config/target.ts";
import { FormctlError, hasCode } from "../base/error.ts";
import { extendHost } from "../base/host.ts";
import type { ProjectTarget } from "../state/target.ts";
import { isPageAddress, type ObjectKey } from "../lists/addresses.ts";
import { type FormAddress, readForm } from "./addresses.ts";
import { asText, type CommandContext, type OpenedTarget, option, optionalRest, required } from "./command.ts";
import { referencesOf, targetOf } from "./manifests/open-project.ts";
import { isIdentifier } from "../schemas/words.ts";
import type { Selection, Side } from "../promotion/source.ts";

const NAMES = "a profile, a base URL, or the path of a store";

export const twoTargetOptions = {
  from: required(option("--from <target>", `The source: ${NAMES}`, asText, "profile")),
  to: required(option("--to <target>", "The other target, named in the same way", asText, "profile")),
  fromTokenFile: option("--from-token-file <file>", "Read the token of --from from this file"),
};

export const TWO_TARGETS_HELP = `A target is the name of a profile, the base URL of a server, or the path of a local store; PATH#KEY selects an
organization of a store. --token-file and FORMCTL_TOKEN are for --to. The token of --from is the stored one, or that of
--from-token-file.`;

export const resourcesArgument = optionalRest(
  "NAME",
  "MODULE/OBJECT, MODULE/OBJECT/FORM, or the id or address of a layout",
  asText,
  "text",
);

/** Sorts the names on the command line into objects, forms and layouts. */
export function selectionOf(names: readonly string[]): Selection {
  const objects: ObjectKey[] = [];
  const forms: FormAddress[] = [];
  const layouts: string[] = [];
  for (const name of names) {
    const [moduleKey = "", objectKey = "", ...rest] = name.split("/");
    const form = readForm(name);
    if (isPageAddress(name)) layouts.push(name);
    else if (form) forms.push(form);
    else if (rest.length === 0 && isIdentifier(moduleKey) && isIdentifier(objectKey))
      objects.push({ moduleKey, objectKey });
    else layouts.push(name);
  }
  return { objects, forms, layouts };
}

export type OpenedSide = Side & {
  /** The context of the command, for this target. */
  context: CommandContext;
  target: ProjectTarget;
};

/** Opens both targets. @throws USAGE, SETTING_INVALID, BASE_URL_INVALID */
export async function openTargets(
  context: CommandContext,
  { from, to, fromTokenFile }: { from: string; to: string; fromTokenFile: string | undefined },
): Promise<{ from: OpenedSide; to: OpenedSide }> {
  const { cwd, settings, tokenFile } = context;
  const find = (text: string) => namedTarget(settings, text, (path) => existsSync(resolve(cwd, path)));
  const targets = { from: find(from), to: find(to) };
  const source = withTokenHint(
    context.open(targets.from, { tokenFile: fromTokenFile, usesEnvironment: false }),
    targets.from,
  );
  const target = context.open(targets.to, { tokenFile, usesEnvironment: true });
  const sides = { from: sideOf(context, from, source), to: sideOf(context, to, target) };
  await refuseOneOrganization(sides, source, target);
  return sides;
}

function sideOf(context: CommandContext, name: string, opened: OpenedTarget): OpenedSide {
  const own = extendHost(context, opened);
  const { target } = opened;
  const references = target.kind === "remote" ? referencesOf(own, target.origin).referencesIn : undefined;
  return { name, context: own, target: targetOf(own), ...(references && { references }) };
}

/** Adds `--from-token-file` to the hint of the error for a missing token of the source. */
function withTokenHint(opened: OpenedTarget, target: Target): OpenedTarget {
  const { server } = opened;
  const login = target.profile === undefined ? "" : ` --profile ${target.profile}`;
  const hinted = async <T>(use: () => Promise<T>): Promise<T> => {
    try {
      return await use();
    } catch (error) {
      if (!hasCode(error, "NO_TOKEN")) throw error;
      const hint = `Log in: formctl auth login${login}, or add --from-token-file FILE. FORMCTL_TOKEN is for --to.`;
      throw new FormctlError("NO_TOKEN", error.message, hint, error);
    }
  };
  return { ...opened, server: { ...server, token: () => hinted(server.token) }, service: () => hinted(opened.service) };
}

/**
 * Refuses to compare an organization with itself.
 *
 * @throws USAGE if both targets have the same server and token, or the same store and organization
 */
async function refuseOneOrganization(
  sides: { from: OpenedSide; to: OpenedSide },
  source: OpenedTarget,
  target: OpenedTarget,
): Promise<void> {
  const fact = `--from ${sides.from.name} and --to ${sides.to.name} are the same organization`;
  if (source.target.kind === "remote" && target.target.kind === "remote") {
    if (!isSameServer(source.target, target.target)) return;
    const [one, other] = await Promise.all([source.server.token(), target.server.token()]);
    if (one.token.reveal() !== other.token.reveal()) return;
    throw new FormctlError(
      "USAGE",
      `${fact}: they have the same server and the same token`,
      "Add --from-token-file FILE.",
    );
  }
  if (source.target.kind !== "local" || target.target.kind !== "local") return;
  if (source.target.store !== target.target.store) return;
  const [one, other] = await Promise.all([sides.from.target.key(), sides.to.target.key()]);
  if (one === other) throw new FormctlError("USAGE", fact, "Select another organization: PATH#KEY");
}

function isSameServer(one: RemoteTarget, other: RemoteTarget): boolean {
  return one.baseUrl === other.baseUrl;
}
