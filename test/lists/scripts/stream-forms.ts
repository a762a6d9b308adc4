/** Reads 50,000 forms of 2 KiB each, page by page or whole, and prints their number. */

import { listAll, pages } from "../../../src/lists/form-pages.ts";
import type { Service } from "../../../src/service.ts";

const COUNT = 50_000;
const object = { moduleKey: "staffing", objectKey: "candidate" };

const list = (async ({ query: { page = 1, limit = 20 } = {} }) => {
  const length = Math.max(0, Math.min(limit, COUNT - (page - 1) * limit));
  const data = Array.from({ length }, (_, index) => {
    const config = Array.from({ length: 200 }, (_item, item) => item + index);
    return { id: `frm_${(page - 1) * limit + index}`, name: "Form", types: ["VIEW"], config: { config } };
  });
  return { data, meta: { total: COUNT, hasMore: page * limit < COUNT } };
}) as unknown as Service["listForms"];

let count = 0;
if (process.argv[2] === "all") count = (await listAll(list, object)).length;
else for await (const { items } of pages(list, object)) count += items.length;
process.stdout.write(`${count}\n`);
