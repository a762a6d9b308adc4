// Shows each way in which a call can fail, on a server with faults: node errors.ts
import { createClient, FormctlError, NoAnswer, ServiceError } from "formctl";
import { fault, startServer, testOrganization } from "formctl/testing";

await using acme = await testOrganization();
const faults = [
  fault("getLayout", { effect: "hang" }),
  fault("listVersions", { status: 503, retryAfter: 45 }),
  fault("updateForm", { status: 500 }),
];
await using server = await startServer({ local: acme.local, faults });
await using client = createClient({ ...server, maxRetries: 0, timeout: 2_000 });
const contact = { moduleKey: "crm", objectKey: "contact" };
const { id: formId } = await client.createForm({ ...contact, body: { name: "Intake", types: ["CREATE"] } });

async function explain(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "done";
  } catch (error) {
    // The service refuses. `code`, `body` and `status` are its answer, `requestId` finds the request in its log.
    if (error instanceof ServiceError && error.retryAt) return `${error.operation}: refused for now`;
    if (error instanceof ServiceError) return `${error.operation}: ${error.status} ${error.code}`;
    // No usable answer. `sent` is true if the server may have the request.
    if (error instanceof NoAnswer) return `${error.operation}: ${error.code}, sent: ${error.sent}`;
    // A write may have been carried out, and reading shows no effect. Look before you send it again.
    if (error instanceof FormctlError && error.code === "OUTCOME_UNKNOWN") return `${error.operation}: look first`;
    if (error instanceof Error && error.name === "AbortError") return "aborted";
    throw error;
  }
}

console.log(await explain(client.getForm({ ...contact, formId: "frm_missing" })));
console.log(await explain(client.listVersions({ layoutId: "lay_1" })));
console.log(await explain(client.getLayout({ layoutId: "lay_1" }, { timeout: 200 })));
console.log(await explain(client.updateForm({ ...contact, formId, body: { name: "Other" } })));
console.log(await explain(client.getForm({ ...contact, formId }, { signal: AbortSignal.abort() })));
