/** Tests `fillPostgres`, which fills large databases, and the benchmark that uses it. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { fillPostgres, OBJECT } from "../../bench/fill-postgres.ts";
import { openLocal } from "../../src/composition/local-store.ts";
import { postgresOfFile } from "../postgres.ts";

const server = await postgresOfFile();

it("fills a database with valid records, and with the same ones for the same seed", async () => {
  const filled = await Promise.all(
    [1, 1, 2].map(async (seed) => {
      const url = server().url(await server().createDatabase());
      // The 2,100 forms of the first organization need several transactions.
      return { url, organizations: await fillPostgres(url, { forms: [2_100, 3, 1], seed, sampled: () => 2 }) };
    }),
  );
  const [first, second, other] = filled.map(({ organizations }) => organizations);
  // The ids of the first organization are random, because the engine creates it.
  expect(second!.slice(1)).toEqual(first!.slice(1));
  expect(other![1]).not.toEqual(first![1]);
  expect(first!.map(({ forms }) => forms.length)).toEqual([2, 2, 1]);

  const local = openLocal(filled[0]!.url, () => new Date());
  expect(await local.check()).toEqual([]);
  for (const [index, count] of [2_100, 3, 1].entries()) {
    const service = await local.service(`org-${index}`);
    const { data, meta } = await service.listForms({ ...OBJECT, query: { limit: 1 } });
    expect(meta.total).toBe(count);
    const { id, layoutId } = first![index]!.forms[0]!;
    expect(data[0]).toMatchObject({ id, viewLayoutId: layoutId, name: "Form 0" });
    const holder = await local.authenticate(first![index]!.token);
    expect(holder?.organization).toBe(`org-${index}`);
  }
  const [last] = first!.slice(-1);
  expect(await local.log({ organization: "org-2", limit: 10 })).toHaveLength(2);
  await (await local.service("org-2")).deleteForm({ ...OBJECT, formId: last!.forms[0]!.id });
  expect(await local.check()).toEqual([]);
  await local.close();
});

it("runs on a small database", async () => {
  const script = join(import.meta.dirname, "..", "..", "bench", "scale.ts");
  const options = ["--organizations", "20", "--forms", "10", "--seconds", "0.05", "--requests", "100"];
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...options]);
  expect(stdout).toContain("20 organizations with 200 forms");
  expect(stdout).toMatch(/bytes for each organization, [\d,]+ for each form/);
  expect(stdout.match(/^1,000 × .* MiB of log with [\d,]+ writes and [\d,]+ syncs; [\d,]+ blocks read/gm)).toHaveLength(
    3,
  );
  // The processor time is known on Linux only.
  expect(stdout.match(/^scale, .*× 10 organizations/gm)).toHaveLength(process.platform === "linux" ? 23 : 20);
});
