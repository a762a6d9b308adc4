/** Tests that every text installs formctl from its tarball: the project does not own the name in a package registry. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "..");
const PLACES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs", "examples", "man", "src", "bin", "build"];
const TARBALL = `./formctl-${manifest.version}.tgz`;

/** Returns the command lines in a text that npm or its relatives would resolve with the bare name. */
function bareNames(text: string): string[] {
  const options = String.raw`(?:-\S+\s+)*`;
  const name = String.raw`["']?formctl(?:@\S+)?["']?(?![\w/-]|\.\w)`;
  const patterns = [
    String.raw`\b(?:npm|pnpm|yarn|bun)\s+(?:install|i|add|exec|x|dlx|update)\s+${options}${name}`,
    String.raw`\b(?:npx|pnpx|bunx)\s+(?!--no-install\s)${options}${name}`,
  ];
  return patterns.flatMap((pattern) => text.match(new RegExp(pattern, "g")) ?? []);
}

/** A text on one line, without the marks of comments and the escapes of man pages. */
const plain = (text: string) => text.replaceAll("\\-", "-").replaceAll(/\s+(?:#|\/\/|\*)?\s*/g, " ");

const texts = PLACES.flatMap((place) => {
  const path = join(ROOT, place);
  const files = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [path];
  return files.map((file) => ({ file: file.slice(ROOT.length + 1), text: plain(readFileSync(file, "utf8")) }));
});

it("no text installs formctl by its bare name", () => {
  expect(texts.length).toBeGreaterThan(500);
  expect(texts.flatMap(({ file, text }) => bareNames(text).map((found) => `${file}: ${found}`))).toEqual([]);
});

it("every text that installs formctl names the same tarball", () => {
  const installs = texts.flatMap(({ file, text }) =>
    [...text.matchAll(/\bnpm install (?:-\S+ )*(\S*formctl[^\s`]*[^\s`:,.])/g)].map(([, source]) => ({ file, source })),
  );
  const places = ["README.md", "docs/library.md", "examples/ci/github-actions.yml", "examples/ci/gitlab-ci.yml"];
  expect(installs.map(({ file }) => file)).toEqual(expect.arrayContaining(places));
  expect(installs.filter(({ source }) => source !== TARBALL)).toEqual([]);
});

it.each([
  ["npm install formctl", 1],
  ["npm install --save-dev formctl. Node", 1],
  ["npm i -D formctl@0.1.0", 1],
  ["npx formctl --help", 1],
  ["npx --yes formctl", 1],
  ["npm exec formctl", 1],
  [`npm install --global ${TARBALL}`, 0],
  ["npx --no-install formctl --help", 0],
  ["npx -p node@24 -- formctl", 0],
])("would be caught if it did: %s", (text, count) => {
  expect(bareNames(text)).toHaveLength(count);
});
