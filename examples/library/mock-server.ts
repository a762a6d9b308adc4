// Starts a server in memory, for the tests of another program: node mock-server.ts [FAULT…]
// A fault is written as for `formctl serve --fault`, such as createForm:503:before:first=2.
import { startServer, testOrganization } from "formctl/testing";

await using acme = await testOrganization();
await using server = await startServer({ local: acme.local, faults: process.argv.slice(2) });
console.log(JSON.stringify({ FORMCTL_BASE_URL: server.baseUrl, FORMCTL_TOKEN: server.token }));
// Until the other program ends this one. At the end of the module, the server and the store are closed.
await new Promise((resolve) => process.once("SIGTERM", resolve).once("SIGINT", resolve));
