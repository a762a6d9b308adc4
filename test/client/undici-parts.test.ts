/**
 * Tests that the parts of undici in the bundle are the same as in its public entry. Fails if a new version of undici
 * moves a part.
 */

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as undici from "undici";
import { expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { ROOT } from "../e2e/program.ts";

const require = createRequire(import.meta.url);
type Undici = typeof undici;

it("are the classes of the public entry", () => {
  const parts = require("../../build/undici-parts.cjs") as Partial<Undici>;
  const { Agent, EnvHttpProxyAgent, Dispatcher } = require("undici") as Undici;
  expect(parts).toEqual({ Agent, EnvHttpProxyAgent });
  expect(parts.Agent).toBe(Agent);
  expect(parts.EnvHttpProxyAgent).toBe(EnvHttpProxyAgent);
  // The public entry copies the same functions to the prototype of all dispatchers.
  const { request } = require("undici/lib/api/index.js") as { request: unknown };
  expect(Dispatcher.prototype).toMatchObject({ request });
  expect(require("undici/lib/api/api-request.js")).toBe(request);
});

it("are of an exact version", () => {
  expect(manifest.dependencies.undici).toMatch(/^\d+\.\d+\.\d+$/);
  expect(require("undici/package.json")).toMatchObject({ version: manifest.dependencies.undici });
});

it("are all that the program has of undici", () => {
  const chunks = readdirSync(join(ROOT, "dist")).filter((name) => /^undici-.*\.cjs$/.test(name));
  expect(chunks).toHaveLength(1);
  const code = readFileSync(join(ROOT, "dist", chunks[0]!), "utf8");
  expect(code).toContain("EnvHttpProxyAgent");
  expect(code).not.toContain("MockAgent");
});
