/** Tests random files. `draft push` saves each file, or reports its problems with locations. */

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { timed } from "../cpu-time.ts";
import { BLOCK_SOURCES, BLOCK_TYPES, REGION_LAYOUTS } from "../../src/schemas/words.ts";
import { toYaml } from "../../src/documents/write-yaml.ts";
import { propertyRuns } from "../effort.ts";
import type { Cli } from "./cli.ts";
import { openScene, PROFILE } from "./layouts-scene.ts";

const AT_ONCE_MS = 1_000;

async function push(cli: Cli) {
  const { result, busy } = await timed(() => cli.run("layouts", "draft", "push", PROFILE, "-"));
  return { ...result, time: busy };
}

/** Returns what is wrong with a push. A correct push is fast, and saves the file or refuses it with a location. */
async function oddEnd(cli: Cli, text: string): Promise<string | undefined> {
  cli.stdin = text;
  const { code, stdout, stderr, time } = await push(cli);
  // A garbage collection can make a single push slow. So a push counts as slow only if it takes over a second of
  // processor time three times.
  if (time > AT_ONCE_MS && (await push(cli)).time > AT_ONCE_MS && (await push(cli)).time > AT_ONCE_MS)
    return `took ${time} ms`;
  const isSaved = /^Saved draft ver_\w+/m.test(stdout) && (code === 0 || code === 3);
  const isPlaced = stdout === "" && code === 3 && /^<stdin>:\d+:\d+ {2}error /m.test(stderr);
  return isSaved || isPlaced ? undefined : `exit ${code}\n${stdout}\n${stderr}`;
}

it("survives any text", async () => {
  const cli = await openScene();
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
      expect(await oddEnd(cli, text)).toBeUndefined();
    }),
    { numRuns: propertyRuns(150) },
  );
});

it("survives any JSON value, written as JSON or YAML", async () => {
  const cli = await openScene();
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.boolean(), async (value, isYaml) => {
      expect(await oddEnd(cli, isYaml ? toYaml(value) : JSON.stringify(value))).toBeUndefined();
    }),
    { numRuns: propertyRuns(150) },
  );
});

it("survives anything that is nearly a draft", async () => {
  const cli = await openScene();
  const word = fc.constantFrom("main", "side", "f1", "full_name", "email", "nobody", "", "a b", "\u202e");
  const odd = fc.oneof(word, fc.integer({ min: -1, max: 20 }), fc.constant(null), fc.jsonValue({ maxDepth: 1 }));
  const mostly = <T>(likely: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 30, arbitrary: likely }, { weight: 1, arbitrary: odd });
  const block = fc.letrec<{ block: unknown }>((tie) => ({
    block: fc.record(
      {
        id: mostly(word),
        type: mostly(fc.constantFrom(...BLOCK_TYPES)),
        source: mostly(fc.constantFrom(...BLOCK_SOURCES)),
        ref: mostly(fc.dictionary(fc.constantFrom("fieldKey", "relationFieldKey", "componentKey"), word)),
        regionKey: mostly(word),
        displayOrder: mostly(fc.nat(3)),
        grid: mostly(fc.record({ colSpan: mostly(fc.integer({ min: 0, max: 13 })) })),
        config: mostly(fc.dictionary(word, odd)),
        supportedModes: mostly(fc.uniqueArray(fc.constantFrom("CREATE", "VIEW", "EDIT"))),
        children: fc.oneof({ maxDepth: 3 }, fc.constant([]), fc.array(tie("block"), { maxLength: 3 })),
      },
      { requiredKeys: ["type", "source"] },
    ),
  })).block;
  const region = fc.record({
    key: mostly(word),
    layout: mostly(fc.constantFrom(...REGION_LAYOUTS)),
    columns: mostly(fc.nat(12)),
  });
  const draft = fc.record({
    schemaVersion: mostly(fc.constant(1)),
    regions: mostly(fc.array(region, { maxLength: 3 })),
    blocks: mostly(fc.array(block, { maxLength: 4 })),
    metadata: mostly(fc.constant(null)),
  });
  await fc.assert(
    fc.asyncProperty(draft, fc.boolean(), async (value, isYaml) => {
      expect(await oddEnd(cli, isYaml ? toYaml(value) : JSON.stringify(value))).toBeUndefined();
    }),
    { numRuns: propertyRuns(300) },
  );
});
