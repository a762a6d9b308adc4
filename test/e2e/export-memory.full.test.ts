/** The memory of an export of many large layouts, and of layouts that a hostile server sends. */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, describe, it, onTestFinished } from "vitest";
import { reasonElsewhereThanLinux, skipTests } from "../skip.ts";
import { measure, measureAgain, measureNode } from "./list-memory.ts";
import { emptyHome } from "./program.ts";

/** The target, for many layouts and for the answers of a hostile server. */
const MOST_MIB = 400;
const FORMS = 320;
/**
 * Their contents as values would fill a heap of this size, which ends the process. Without a limit, the heap of an export
 * grows while the machine has memory, and its size does not show what the export needs.
 */
const HEAP = ["--max-old-space-size=96"];
/** The content then has about 230 KB, and its values need 320 KiB of memory. */
const BLOCKS = 700;

/** Digits that differ between blocks, so that the contents can't be compressed to nothing. */
const digits = (seed: number) => (Math.imul(seed, 0x9e3779b1) >>> 0).toString(36);

function versionOf(form: number) {
  const block = (index: number) => ({
    id: `blk_${digits(form * BLOCKS + index)}_${index}`,
    type: "field",
    source: "dynamic_field",
    ref: { fieldKey: `field_${index % 40}` },
    regionKey: "main",
    displayOrder: index,
    grid: { colSpan: 6, colStart: (index % 2) * 6 + 1 },
    config: { label: `Label ${digits(form + index)}`, helpText: `Help ${digits(form * index)} of the form ${form}` },
    requiredPolicy: "optional",
    supportedModes: ["VIEW", "EDIT"],
    children: [],
  });
  return {
    id: `ver_${form}`,
    version: 1,
    status: "PUBLISHED",
    supportedModes: ["VIEW", "EDIT"],
    schemaVersion: 1,
    regions: [{ key: "main", label: "Main", layout: "grid", columns: 12, displayOrder: 0, config: {} }],
    blocks: Array.from({ length: BLOCKS }, (_, index) => block(index)),
    stagedFieldDefinitions: [],
    scriptBindings: [],
    metadata: null,
  };
}

/** A content of nearly 1 MB in few values. It can't be compressed. */
const NOISE = randomBytes(700_000).toString("base64");

/** @param key the text of a content that may be long */
function noisyVersion(form: number, key: "blocks" | "metadata") {
  const text = `${form}${NOISE.slice(form % 1000)}`;
  const long = key === "metadata" ? { metadata: { text } } : { blocks: [{ id: "a", type: "text", config: { text } }] };
  return { ...versionOf(form), blocks: [], ...long };
}

function formOf(index: number) {
  const shown = { types: ["VIEW", "EDIT"], isActive: true, isPublic: true, config: {} };
  return { id: `frm_${index}`, name: `Form ${index}`, ...shown, viewLayoutId: `lay_${index}` };
}

/** @param shown returns the version of the layout of a form */
async function startLargeLayouts(
  count: number,
  shown: (form: number) => object,
): Promise<{ url: string; server: Server }> {
  const forms = Array.from({ length: count }, (_, index) => formOf(index));
  const server = createServer((request, response) => {
    const [, layout] = /\/view-layouts\/lay_(\d+)\/versions/.exec(request.url!) ?? [];
    const answer =
      layout !== undefined
        ? { data: [shown(Number(layout))] }
        : request.url!.includes("/access")
          ? { data: { users: [], roles: [] } }
          : { data: forms, meta: { hasMore: false } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describe("an export of 320 layouts with 230 KB each", () => {
  skipTests(reasonElsewhereThanLinux);

  it("would not fit the heap of the measurement with all contents as values (control)", async () => {
    const home = emptyHome();
    writeFileSync(join(home, "content.json"), JSON.stringify(versionOf(1)));
    const hold = `const text = require("node:fs").readFileSync("content.json", "utf8");
      globalThis.held = Array.from({ length: ${FORMS} }, () => JSON.parse(text));`;
    expect((await measureNode([...HEAP, "-e", hold], home)).signal).toBe("SIGABRT");
  });

  it.each(["--into manifests", "--output table", "--output json", "--output yaml"])(
    "needs little memory with %s",
    async (options) => {
      const { url, server } = await startLargeLayouts(FORMS, versionOf);
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
      const words = ["export", "staffing/candidate", ...options.split(" ")];
      const { code, mib } = await measure(words, emptyHome(), url, HEAP);
      expect(code).toBe(0);
      expect(Math.round(mib)).toBeLessThan(MOST_MIB);
    },
  );
});

describe("an export of 2,000 layouts with 1 MB each that can't be compressed", () => {
  skipTests(reasonElsewhereThanLinux);

  it.each(["blocks", "metadata"] as const)("is refused if the text is in %s", async (key) => {
    const { url, server } = await startLargeLayouts(2_000, (form) => noisyVersion(form, key));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const words = ["export", "staffing/candidate", "--into", "m"];
    const { code, mib, stderr } = await measureAgain(() => measure(words, emptyHome(), url), MOST_MIB);
    expect({ code, stderr }).toMatchObject({ code: 7, stderr: expect.stringContaining("96 MiB") });
    expect(Math.round(mib)).toBeLessThan(MOST_MIB);
  });
});
