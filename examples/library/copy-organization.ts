// Copies the forms and layouts of one store to another: node copy-organization.ts FROM TO ORGANIZATION
import { openLocal, preparePromotion, storeTarget } from "formctl";

const [from = "", to = "", organization = ""] = process.argv.slice(2);
await using source = await openLocal(from);
await using target = await openLocal(to);
const { project, unmapped } = await preparePromotion({
  root: ".",
  from: { name: from, target: storeTarget({ local: source, store: from, organization }) },
  to: { name: to, target: storeTarget({ local: target, store: to, organization }) },
});
// Ids of roles, members and scripts are replaced by those of the same name.
for (const { kind, id } of unmapped) console.error(`${kind} ${id} has no counterpart`);

const { plan, save } = await project.plan();
for (const { action, address } of plan.resources) console.log(`${action}: ${address}`);
const { outcome, resources } = await project.apply({ plan: save(), confirm: ({ needs }) => needs.length === 0 });
for (const { address, steps } of resources)
  for (const { error } of steps) if (error) console.error(`${address}: ${error.message}`);
console.log(outcome);
process.exitCode = outcome === "applied" || outcome === "unchanged" ? 0 : 1;
