// Writes the forms of an object as lines of JSON, in bounded memory: node stream-forms.ts MODULE/OBJECT
// The server is that of FORMCTL_BASE_URL, and the token that of FORMCTL_TOKEN.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createClient, pages } from "formctl";

const [object = ""] = process.argv.slice(2);
const [moduleKey = "", objectKey = ""] = object.split("/");
const { FORMCTL_BASE_URL: baseUrl = "", FORMCTL_TOKEN: token = "" } = process.env;
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
await using client = createClient({ baseUrl, token, signal: stop.signal });

async function* lines() {
  for await (const { items } of pages(client.listForms, { moduleKey, objectKey }, { signal: stop.signal }))
    yield items.map((form) => `${JSON.stringify(form)}\n`).join("");
}

// The next page is requested when the reader has taken this one.
await pipeline(Readable.from(lines()), process.stdout);
