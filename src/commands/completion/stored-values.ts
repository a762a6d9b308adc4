/** Reads the names of records from the target, to complete an argument. */

import { listAllForms } from "../../lists/forms.ts";
import { draftAmong, latestAmong } from "../../lists/versions.ts";
import type { LayoutAnswer } from "../../schemas/answers.ts";
import { MODES } from "../../schemas/words.ts";
import { formatObject, parseLayout, parseObject, type ObjectAddress } from "../addresses.ts";
import type { CommandContext } from "../command.ts";
import { findLocalOrganization } from "../local-names.ts";
import { findLayoutId } from "../lookups.ts";
import type { Candidate } from "./candidates.ts";
import type { Stored } from "./values.ts";

type Request = {
  stored: Stored;
  word: string;
  /** The arguments before the word. */
  args: readonly string[];
};

/** Returns the candidates for a word. @throws the errors of the target, which the caller ignores */
export async function storedValues(context: CommandContext, { stored, word, args }: Request): Promise<Candidate[]> {
  switch (stored) {
    case "currency":
      return currencies(context);
    case "defaults":
      return defaults(context, word, args);
    case "form":
      return forms(context, word);
    case "layout":
      return [...(await forms(context, word)), ...(await layoutIds(context, word))];
    case "member": {
      const members = (await findLocalOrganization(context))?.members ?? [];
      return members.map(({ email, name }) => ({ value: email, about: name }));
    }
    case "object":
      return objects(context, "object");
    case "organization": {
      const { organizations } = await (await context.local()).show();
      return organizations.map(({ key, name }) => ({ value: key, about: name }));
    }
    case "priority":
      return (await roles(context)).map(({ value, about }) => ({ value: `${value}=`, about, continues: true }));
    case "profile":
      return profiles(context);
    case "role":
      return roles(context);
    case "token": {
      const tokens = await (await context.local()).listTokens(context.organization);
      return tokens.filter(({ revokedAt }) => revokedAt === null).map(({ name, id }) => ({ value: name, about: id }));
    }
    case "version":
      return versions(context, args[0]);
  }
  return stored satisfies never;
}

function profiles({ settings }: CommandContext): Candidate[] {
  return settings.profiles().map(({ name, profile }) => ({
    value: name,
    about: "baseUrl" in profile ? profile.baseUrl : profile.store,
  }));
}

async function currencies(context: CommandContext): Promise<Candidate[]> {
  const all = await (await context.service()).listCurrencies({});
  return all.map(({ code, name }) => ({ value: code, about: name }));
}

async function roles(context: CommandContext): Promise<Candidate[]> {
  const organization = await findLocalOrganization(context);
  return (organization?.roles ?? []).map(({ key, name }) => ({ value: key, about: name }));
}

/** Returns the objects. A server does not list them, so there they are those of its layouts. */
async function objects(context: CommandContext, kind: "object" | "form"): Promise<Candidate[]> {
  if (context.target.kind === "local") {
    const modules = (await findLocalOrganization(context))?.modules ?? [];
    return modules.flatMap((module) => {
      // A subordinate object has no forms.
      const listed = module.objects.filter(({ parent }) => kind === "object" || parent === null);
      return listed.map(({ key, name }) => ({ value: `${module.key}/${key}`, about: name }));
    });
  }
  const configured = context.settings.get("object");
  const found = (await listLayouts(context)).flatMap(({ target }) =>
    target?.moduleKey && target.objectKey ? [`${target.moduleKey}/${target.objectKey}`] : [],
  );
  return [...new Set([...(configured === undefined ? [] : [configured]), ...found])].map((value) => ({ value }));
}

const listLayouts = async (context: CommandContext): Promise<LayoutAnswer[]> =>
  (await context.service()).listLayouts({ query: {} });

/** Offers the objects, or the forms if the word names an object or only one object matches. */
async function forms(context: CommandContext, word: string): Promise<Candidate[]> {
  const [module = "", object, ...rest] = word.split("/");
  if (object !== undefined && rest.length > 0) return formsOf(context, { moduleKey: module, objectKey: object });
  const matches = (await objects(context, "form")).filter(({ value }) => value.startsWith(word));
  const [only] = matches;
  if (only && matches.length === 1) return formsOf(context, parseObject(only.value));
  return matches.map((each) => ({ ...each, value: `${each.value}/`, continues: true }));
}

async function formsOf(context: CommandContext, object: ObjectAddress): Promise<Candidate[]> {
  const all = await listAllForms(await context.service(), object);
  const names = all.map(({ name }) => name);
  return all.map(({ id, name, types }) => {
    // An ambiguous name can't be an address.
    const form = names.indexOf(name) === names.lastIndexOf(name) ? name : id;
    return { value: `${formatObject(object)}/${form}`, about: form === name ? types.join(", ") : name };
  });
}

/** Offers the ids of the layouts that no form owns. */
async function layoutIds(context: CommandContext, word: string): Promise<Candidate[]> {
  if (word.includes("/")) return [];
  const layouts = (await listLayouts(context)).filter(({ target }) => target?.["formId"] == null);
  return layouts.map(({ id, name }) => ({ value: id, about: name }));
}

async function versions(context: CommandContext, layout: string | undefined): Promise<Candidate[]> {
  if (layout === undefined) return [];
  const service = await context.service();
  const { layoutId } = await findLayoutId(service, parseLayout(layout));
  const all = await service.listVersions({ layoutId });
  const words = [
    ...(draftAmong(all) ? [{ value: "draft" }] : []),
    ...(latestAmong(all) ? [{ value: "latest", about: "the newest published version" }] : []),
  ];
  return [
    ...words,
    ...all.map(({ id, version, status }) => ({ value: String(version ?? id), about: status?.toLowerCase() })),
  ];
}

/** Offers `MODE=`, and then the forms of the object by name. */
async function defaults(context: CommandContext, word: string, [object]: readonly string[]): Promise<Candidate[]> {
  const end = word.indexOf("=");
  if (end === -1) return MODES.map((mode) => ({ value: `${mode}=`, continues: true }));
  if (object === undefined) return [];
  const mode = word.slice(0, end);
  const address = parseObject(object);
  const start = `${formatObject(address)}/`.length;
  const all = await formsOf(context, address);
  return all.map(({ value, about }) => ({ value: `${mode}=${value.slice(start)}`, about }));
}
