/**
 * Writes the software bill of materials of the package, as CycloneDX 1.5: `node build/sbom.ts FILE`. It lists the
 * packages of the lock file that a user installs or that the bundle may contain, with their versions and hashes.
 */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import manifest from "../package.json" with { type: "json" };

type Component = { "bom-ref": string; properties?: readonly { name: string }[] };
type Bom = {
  metadata: { component: object };
  components: readonly Component[];
  dependencies: readonly { ref: string; dependsOn: readonly string[] }[];
};

// npm's option `--omit dev` would also omit packages that both formctl and a development package use, such as zod.
const words = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application"];
const options = {
  cwd: join(import.meta.dirname, ".."),
  encoding: "utf8",
  shell: process.platform === "win32",
} as const;
const all = JSON.parse(execFileSync("npm", words, { ...options, maxBuffer: 2 ** 26 })) as Bom;

const isInstalled = ({ properties = [] }: Component) =>
  !properties.some(({ name }) => name === "cdx:npm:package:development");
const components = all.components.filter(isInstalled);
const known = new Set(components.map((each) => each["bom-ref"]));
const root = `${manifest.name}@${manifest.version}`;
const bom: Bom = {
  ...all,
  // npm names the folder.
  metadata: { ...all.metadata, component: { ...all.metadata.component, name: manifest.name } },
  components,
  dependencies: all.dependencies
    .filter(({ ref }) => ref === root || known.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => known.has(each)) })),
};
writeFileSync(resolve(process.argv[2]!), `${JSON.stringify(bom, undefined, 2)}\n`);
