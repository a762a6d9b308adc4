// Validates, plans and applies the manifests of a project folder: node apply-folder.ts STORE PROJECT
import { openLocal, openProject, storeTarget } from "formctl";

const [store = "", root = ""] = process.argv.slice(2);
const local = await openLocal(store);
try {
  const target = storeTarget({ local, store, organization: "northwind" });
  const project = openProject({ root, manifests: "manifests", target });

  const { isValid, manifests, problems } = await project.validate();
  for (const { file, line, column, message } of problems) console.error(`${file}:${line}:${column}: ${message}`);
  if (!isValid) throw new Error("the manifests are invalid");
  console.log(`valid: ${manifests.length} manifests`);

  const planned = await project.plan();
  for (const { action, address } of planned.plan.resources) console.log(`${action}: ${address}`);

  const result = await project.apply({
    plan: planned.save(),
    // Called once before the first write. `needs` lists everything that would be lost.
    confirm: ({ needs }) => needs.length === 0,
  });
  for (const { address, steps } of result.resources)
    for (const { operation, error } of steps) if (error) console.error(`${address}: ${operation}: ${error.message}`);
  console.log(`${result.outcome}: ${result.summary.resources.created} created`);
} finally {
  await local.close();
}
