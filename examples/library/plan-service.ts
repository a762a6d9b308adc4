// Answers GET /plan with the changes that manifests would make: node plan-service.ts STORE ORGANIZATION PROJECT
import { createServer } from "node:http";
import { describeError, openLocal, openProject, storeTarget } from "formctl";

const [store = "", organization = "", root = ""] = process.argv.slice(2);
const local = await openLocal(store);
const target = storeTarget({ local, store, organization });

async function readPlan() {
  const project = openProject({ root, manifests: "manifests", target });
  const { plan, save } = await project.plan();
  const changes = plan.resources.filter(({ action }) => action !== "none");
  return {
    changes: changes.map(({ action, address, needs }) => ({ action, address, needs })),
    // `apply({ plan })` carries out exactly this plan, or refuses if the target has changed since.
    plan: save(),
  };
}

const server = createServer(async (request, response) => {
  const answer = (status: number, body: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (request.method !== "GET" || request.url !== "/plan") return answer(404, { message: "GET /plan" });
  try {
    return answer(200, await readPlan());
  } catch (error) {
    const { code, message, hint, problems } = describeError(error, { audience: "library" });
    return answer(code === "MANIFESTS_INVALID" ? 422 : 500, { code, message, hint, problems });
  }
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as { port: number }).port}`));
process.once("SIGTERM", () => server.close(() => void local.close()));
