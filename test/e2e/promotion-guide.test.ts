/**
 * Tests that docs/promotion.md shows the real output of the program, on two servers. To update the document:
 * `npx vitest run test/e2e/promotion-guide.test.ts -u`.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readProjectSettings } from "../../src/config/project-settings.ts";
import { readDocument } from "../../src/documents/document.ts";
import { toYaml } from "../../src/documents/write-yaml.ts";
import type { JsonObject } from "../../src/schemas/json.ts";
import type { OrganizationView } from "../../src/schemas/organization.ts";
import { tier } from "../effort.ts";
import { demoHome, emptyHome, ending, FORMCTL, formctl, ROOT, shell, start, type Started } from "./program.ts";
import { rerunDocument } from "./rerun-document.ts";

const GUIDE = join(ROOT, "docs", "promotion.md");
const guide = readFileSync(GUIDE, "utf8");

type Side = { name: string; url: string; token: string; organization: OrganizationView };

const servers: { child: Started; ended: Promise<unknown> }[] = [];
let staging: Side;
let production: Side;

beforeAll(async () => {
  staging = await serve("staging", await demoHome());
  production = await serve("production", await homeWithOtherIds());
});
afterAll(async () => {
  for (const { child } of servers) child.kill();
  await Promise.all(servers.map(({ ended }) => ended));
});

/** Creates a store with the organization of the demo, with different ids. The store has no forms and no layouts. */
async function homeWithOtherIds(): Promise<string> {
  const home = emptyHome();
  const text = readFileSync(join(ROOT, "examples/northwind/organization.yaml"), "utf8");
  writeFileSync(join(home, "organization.yaml"), text.replaceAll(/\bid: \w+, /g, ""));
  const line = "formctl local init && formctl local seed organization.yaml";
  const { code, stderr } = await shell(line, { home, cwd: home });
  if (code !== 0) throw new Error(stderr);
  return home;
}

async function serve(name: string, home: string): Promise<Side> {
  const token = await formctl(["local", "tokens", "create", "--name", name, "--permission", "all", "-q"], { home });
  const child = start(process.execPath, [FORMCTL, "serve", "--port", "0", "-o", "json"], { home });
  servers.push({ child, ended: ending(child) });
  const line: unknown = await new Promise((resolve) => child.stdout.once("data", resolve));
  const { url } = JSON.parse(String(line)) as { url: string };
  const shown = await formctl(["local", "show", "-o", "json"], { home });
  const [organization] = (JSON.parse(shown.stdout) as { organizations: OrganizationView[] }).organizations;
  return { name, url, token: token.stdout, organization: organization! };
}

/** Creates a home folder with the profiles and tokens of both servers. */
async function readerHome(): Promise<string> {
  const home = emptyHome();
  writeFileSync(join(home, "token.txt"), "");
  for (const { name, url, token } of [staging, production]) {
    writeFileSync(join(home, "token.txt"), token);
    const line = `formctl profiles add ${name} --base-url ${url} && formctl auth login --profile ${name} --token-file token.txt`;
    const { code, stderr } = await shell(line, { home, cwd: home });
    if (code !== 0) throw new Error(stderr);
  }
  return home;
}

/** Returns the project file of a reader who has replaced the placeholders. */
function completeProject(): string {
  const sides = [staging, production].map(({ name, organization: { roles, members, scripts } }) => [
    name,
    {
      roles: Object.fromEntries(roles.map((role) => [role.name, role.id])),
      members: Object.fromEntries(members.map(({ email, id }) => [email, id])),
      // In the demo, script bindings contain the keys of scripts.
      scripts: Object.fromEntries(scripts.map((script) => [script.name, script.key])),
    },
  ]);
  return toYaml({ references: Object.fromEntries(sides) as JsonObject });
}

/** The number of a block in the document. The reader replaces the placeholders before this block. */
const PROMOTED = 3;

describe("docs/promotion.md", () => {
  it("shows what the program prints, block by block", async () => {
    const shown = await rerunDocument(guide, {
      tier,
      home: await readerHome(),
      beforeBlock(block, cwd) {
        if (block === PROMOTED) writeFileSync(join(cwd, "formctl.yaml"), completeProject());
      },
      shownAs: new Map([
        [staging.url, "https://staging.example"],
        [production.url, "https://forms.example"],
      ]),
    });
    await expect(shown).toMatchFileSnapshot(GUIDE);
  });

  it("shows only valid parts of a project file", () => {
    const parts = [...guide.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text = ""]) => text);
    expect(parts).toHaveLength(2);
    const problems: string[] = [];
    for (const text of parts) {
      const value = readDocument(text, "formctl.yaml").value as JsonObject;
      readProjectSettings(value, (path, message) => problems.push(`${path}: ${message}`));
    }
    expect(problems).toEqual([]);
  });

  it("points only at files that there are, and has at most 900 words of text", () => {
    const links = [...guide.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((match) => match[1]!);
    expect(links.filter((link) => !existsSync(join(dirname(GUIDE), link)))).toEqual([]);
    const text = guide.replaceAll(/^```[^]*?^```$/gm, "");
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(900);
  });
});
