// Renames a field in the layouts of an object, and keeps their drafts:
// node rename-field.ts STORE ORGANIZATION MODULE/OBJECT OLD NEW
import { draftFiles, type EditOptions, editLayout, listAll, openLocal, renameField } from "formctl";

const [store = "", organization = "", object = "", from = "", to = ""] = process.argv.slice(2);
const [moduleKey = "", objectKey = ""] = object.split("/");
await using local = await openLocal(store);
const service = await local.service(organization);

// No service keeps a replaced draft. Until the draft is saved again, it is in this folder. After an interruption, run
// the program again: it continues where it stopped.
const options: EditOptions = { drafts: "rebase", keep: draftFiles("kept-drafts") };
for (const { name, viewLayoutId } of await listAll(service.listForms, { moduleKey, objectKey })) {
  if (viewLayoutId === undefined) continue;
  const { outcome } = await editLayout(service, viewLayoutId, (content) => renameField(content, from, to), options);
  console.log(`${name}: ${outcome}`);
}
