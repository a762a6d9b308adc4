/** Mutants that behave like the original, so that no test can notice them, or that the linter refuses before any test. */

/** The key of each mutant, with the reason. `npm run test:mutants -- --list` prints the keys. */
export const EQUAL: Record<string, string> = {
  "src/store/invariants.ts | findViolations | return violations.sort((a, b) => (a.invariant < b.invariant ? -1 : | a.invariant > b.invariant → a.invariant >= b.invariant":
    "V8 only checks whether a comparison is negative, so the results 0 and 1 sort alike.",
  "src/contents/memory.ts | pack | const bytes = new Uint8Array(deflateRawSync(JSON.stringify(blocks), { level: | 1 → 2":
    "The level changes only the speed and the size of the compression. The unpacked blocks are the same.",
  "src/project/load.ts | neighborAddresses | const isWhole = paths.length === 0 || | paths.some((path) => resolve(cwd, path) === manifests) → paths.every((path) => resolve(cwd, path) === manifests)":
    "The folder of manifests is only read a second time. The forms of a requested manifest are never surplus or former ones.",
  "src/service.ts | READ_BACK_PAUSES_MS | const READ_BACK_PAUSES_MS = [0, 500, | 2_000 → 1999":
    "The pause is 1 ms shorter.",
  "src/plan/plan.ts | waitForFields | if ( | late.size === 0 → false":
    "Without late fields, no resource changes. The check only saves time.",
  "src/schemas/draft-checks/unknown-words.ts | checkWords | if ( | report.isFull() → false":
    "A full report takes no more diagnostics. The check only saves time.",
  "src/store/sqlite.ts | beginWhenFree | for (let attempt = | 0 → 1":
    "The first pause before a locked database is tried again is longer.",
  'src/export/write.ts | editFile | if ( | !(error instanceof Uneditable) && !hasCode(error, "INVALID_FILE") → false':
    "Editing throws no other error. The check keeps an internal error visible.",
  "src/manifests/read/read-manifests.ts | readManifests | else addResult(readManifest(document, env, ownProblems, variables), file, | -1 → 1":
    "A document without a kind is never a valid manifest, so its index is not used.",
  'src/apply/apply.ts | deletes | const saved = | steps.map(({ request }) => request).findLast(({ operation }) => operation === "saveDraft") → steps.map(({ request }) => request).find(({ operation }) => operation === "saveDraft")':
    "A plan saves at most one draft of a resource.",
  'src/migrations/down.ts | formerContent | const computedFrom = compared ? settledDigest(compared.content, surface) : | "" → "mutant"':
    "Neither text is the digest of a content.",
  "src/engine/setup/seed-copy.ts | seedForm |  | await insertForm(tx, record) → insertForm(tx, record)":
    "The linter refuses a promise without await. The statements of a transaction run in the order in which they are sent.",
};
