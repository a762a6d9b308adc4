/** The script of writes as command lines. It compares each exit code with the actual outcome. */

import { readDefaults } from "../../src/client/write-effects.ts";
import type { OperationName } from "../../src/schemas/operations.ts";
import type { FullService } from "../../src/service.ts";
import {
  anyRole,
  CONTENT,
  countEffects,
  formNamed,
  lastSeq,
  lieOf,
  OBJECT,
  type Report,
  type Stage,
} from "./write-script.ts";

/** Runs a command line. `stdin` is its standard input, which an argument `-` reads. */
export type Type = (words: readonly string[], stdin: string) => Promise<{ code: number | null; stderr: string }>;

type Step = {
  operation: OperationName;
  words: readonly string[];
  stdin?: string;
  /** Makes the write without a command, if the command did not. The later steps need its effect. */
  direct: (service: FullService) => Promise<unknown>;
  isThere: () => Promise<boolean>;
};

/** A command that must fail, with its exit code. */
type RefusedStep = { operation: OperationName; words: readonly string[]; refused: number };

const CANDIDATE = `${OBJECT.moduleKey}/${OBJECT.objectKey}`;

/** @param name one word, different in each run: the name of the created records */
export async function typeScript(stage: Stage, type: Type, name: string): Promise<Report[]> {
  const { direct, local } = stage;
  const reports: Report[] = [];
  const step = async ({ operation, words, stdin = "", direct: make, isThere }: Step): Promise<void> => {
    const before = await lastSeq(local);
    const { code, stderr } = await type([...words, "-o", "json"], stdin);
    await stage.idle();
    const effects = await countEffects(local, operation, before);
    const told = code === 0 ? "0" : (/"code": ?"(\w+)"/.exec(stderr)?.[1] ?? "nothing");
    const lie = await lieOfExit({ code, told, effects, isThere });
    reports.push({ operation, told, exitCode: code ?? -1, effects, ...(lie && { lie: `${lie} (${told})` }) });
    if (effects === 0) await make(direct);
  };

  const refusal = async ({ operation, words, refused }: RefusedStep): Promise<void> => {
    const before = await lastSeq(local);
    const { code } = await type([...words, "-o", "json"], "");
    await stage.idle();
    const effects = await countEffects(local, operation, before);
    const isTrue = effects === 0 && (code === refused || code === 7);
    const lie = isTrue ? {} : { lie: `exit ${code} instead of ${refused}, and done ${effects} times` };
    reports.push({ operation, told: String(code), exitCode: code ?? -1, effects, ...lie });
  };

  const address = `${CANDIDATE}/${name}`;
  await step({
    operation: "createForm",
    words: ["forms", "create", CANDIDATE, "--name", name, "--types", "VIEW"],
    direct: (service) => service.createForm({ ...OBJECT, body: { name, types: ["VIEW"] } }),
    isThere: async () => (await formNamed(direct, name)).types.join() === "VIEW",
  });
  const { id: formId, viewLayoutId: layoutId } = await formNamed(direct, name);
  const path = { ...OBJECT, formId };
  const newest = async () => (await direct.listVersions({ layoutId }))[0]!;

  await step({
    operation: "updateForm",
    words: ["forms", "update", address, "--title", name],
    direct: (service) => service.updateForm({ ...path, body: { config: { title: name } } }),
    isThere: async () => (await direct.getForm(path)).config?.["title"] === name,
  });
  await step({
    operation: "saveDraft",
    words: ["layouts", "draft", "push", address, "-"],
    stdin: JSON.stringify(CONTENT),
    direct: (service) => service.saveDraft({ layoutId, body: { clientMutationId: `${name} draft`, ...CONTENT } }),
    isThere: async () => {
      const { id: versionId } = await newest();
      return (await direct.getVersion({ layoutId, versionId })).blocks.length === 1;
    },
  });
  const { id: draftVersionId } = await newest();
  await step({
    operation: "publishLayout",
    words: ["layouts", "publish", address],
    direct: (service) =>
      service.publishLayout({ layoutId, body: { clientMutationId: `${name} publish`, draftVersionId } }),
    isThere: async () => (await newest()).status === "PUBLISHED",
  });
  const roleId = await anyRole(local);
  await step({
    operation: "replaceFormAccess",
    words: ["forms", "access", "grant", address, "--role", roleId, "--types", "VIEW"],
    direct: (service) =>
      service.replaceFormAccess({ ...path, body: { users: [], roles: [{ roleId, types: ["VIEW"] }] } }),
    isThere: async () => (await direct.getFormAccess(path)).roles.length === 1,
  });
  const defaultId = async () => (await readDefaults(direct, OBJECT))?.defaultViewFormId;
  await step({
    operation: "updateFormDefaults",
    words: ["forms", "defaults", "set", CANDIDATE, `VIEW=${name}`],
    direct: (service) => service.updateFormDefaults({ ...OBJECT, body: { defaultViewFormId: formId } }),
    isThere: async () => (await defaultId()) === formId,
  });
  await refusal({ operation: "deleteForm", words: ["forms", "delete", address, "--allow-delete"], refused: 6 });
  await step({
    operation: "updateFormDefaults",
    words: ["forms", "defaults", "clear", CANDIDATE, "VIEW"],
    direct: (service) => service.updateFormDefaults({ ...OBJECT, body: { defaultViewFormId: null } }),
    isThere: async () => (await defaultId()) !== formId,
  });
  await step({
    operation: "deleteForm",
    words: ["forms", "delete", address, "--allow-delete"],
    direct: (service) => service.deleteForm(path),
    isThere: () =>
      direct.getForm(path).then(
        () => false,
        () => true,
      ),
  });
  return reports;
}

/**
 * Returns how the exit code contradicts the effects, if it does. Two exit codes can be true:
 * - 0 for a write that was executed once;
 * - 7 for a write with an unknown outcome, a write that was not executed, or a stop after the write.
 */
async function lieOfExit(seen: {
  code: number | null;
  told: string;
  effects: number;
  isThere: () => Promise<boolean>;
}): Promise<string | undefined> {
  const { code, told, effects, isThere } = seen;
  if (code === 7 && told === "STOPPED_AFTER_WRITE")
    return effects === 1 ? undefined : `told to be done, and done ${effects} times`;
  if (code !== 0) return code === 7 ? lieOf(told, code, effects) : `exit ${code}, and done ${effects} times`;
  if (effects !== 1) return `exit 0, and done ${effects} times`;
  return (await isThere()) ? undefined : "exit 0, and not there";
}
