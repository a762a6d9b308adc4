// Reports the forms that users can't use, and the drafts that wait: node nightly-report.ts STORE ORGANIZATION
import { openLocal, pages } from "formctl";

const [store = "", organization = ""] = process.argv.slice(2);
await using local = await openLocal(store);
const service = await local.service(organization);
const { organizations } = await local.show(organization);
let findings = 0;
const report = (line: string) => {
  findings++;
  console.log(line);
};

for (const { key: moduleKey, objects } of organizations[0]?.modules ?? []) {
  for (const { key: objectKey } of objects) {
    for await (const { items } of pages(service.listForms, { moduleKey, objectKey })) {
      for (const { name, types, layoutAvailability, viewLayoutId } of items) {
        const form = `${moduleKey}/${objectKey}/${name}`;
        for (const mode of types) {
          const state = layoutAvailability?.[mode]?.state;
          if (state !== "PUBLISHED") report(`${form}: ${mode}: ${state ?? "unknown"}`);
        }
        // The draft of a layout is its version with the status DRAFT.
        const versions = viewLayoutId === undefined ? [] : await service.listVersions({ layoutId: viewLayoutId });
        if (versions.some(({ status }) => status === "DRAFT")) report(`${form}: a draft waits`);
      }
    }
  }
}
console.log(`${findings} findings`);
