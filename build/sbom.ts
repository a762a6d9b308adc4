/**
 * Writes the software bill of materials of the package, as CycloneDX 1.5: `node build/sbom.ts FILE`. It lists the
 * packages of the lock file that a user installs or whose code is in the bundle, with their versions and hashes. The
 * notices of `dist/` name those in the bundle.
 */

import { execSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { noticedPackages } from "./third-party-notices.ts";
import manifest from "../package.json" with { type: "json" };

type Component = {
  "bom-ref": string;
  name: string;
  version: string;
  scope?: string;
  properties?: { name: string }[];
};
type Bom = {
  metadata: { component: { name: string } };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

const ROOT = join(import.meta.dirname, "..");
// npm's option `--omit dev` would also omit packages that both formctl and a development package use, such as zod.
const command = "npm sbom --package-lock-only --sbom-format cyclonedx --sbom-type application";
const bom = JSON.parse(execSync(command, { cwd: ROOT, maxBuffer: 2 ** 26 }).toString()) as Bom;
const bundled = noticedPackages(readFileSync(join(ROOT, "dist", "THIRD-PARTY-NOTICES.txt"), "utf8"));
const isMark = ({ name }: { name: string }) => name === "cdx:npm:package:development";
const isBundled = ({ name, version }: Component) => bundled.includes(`${name} ${version}`);
const omitted = new Set(
  bom.components.filter((each) => each.properties?.some(isMark) && !isBundled(each)).map((each) => each["bom-ref"]),
);
// npm names the folder.
bom.metadata.component.name = manifest.name;
bom.components = bom.components.filter((each) => !omitted.has(each["bom-ref"]));
bom.dependencies = bom.dependencies.filter(({ ref }) => !omitted.has(ref));
for (const each of bom.dependencies) each.dependsOn = each.dependsOn.filter((ref) => !omitted.has(ref));
// For npm, what is bundled is optional and for development. The package contains it.
const own = bom.dependencies.find(({ ref }) => ref === `${manifest.name}@${manifest.version}`)!;
for (const each of bom.components.filter(isBundled)) {
  each.scope = "required";
  each.properties = each.properties?.filter((property) => !isMark(property)) ?? [];
  if (!own.dependsOn.includes(each["bom-ref"])) own.dependsOn.push(each["bom-ref"]);
}
writeFileSync(process.argv[2]!, `${JSON.stringify(bom, undefined, 2)}\n`);
