/** The log of the server. */

import { expect, it } from "vitest";
import { openLog } from "../../src/server/request-log.ts";
import { StoreError } from "../../src/store/store.ts";

it("shows the message and the code of an internal error, and none of its other members", async () => {
  let lines = "";
  const log = openLog((text) => void (lines += text));
  // Errors of PostgreSQL have such members.
  const cause = Object.assign(new Error("the cause"), { where: "canary" });
  const error = Object.assign(new Error("value too long", { cause }), {
    code: "22001",
    detail: "canary",
    where: "canary",
  });
  log.request({ requestId: "r", method: "GET", path: "/", status: 500, ms: 1, error });
  await new Promise((resolve) => setImmediate(resolve));
  expect(JSON.parse(lines)).toMatchObject({
    requestId: "r",
    err: { type: "Error", message: "value too long: the cause", code: "22001" },
  });
  expect(lines).not.toContain("canary");
});

it("shows an error of the store once a minute, and its code with the other requests", async () => {
  let lines = "";
  let clock = 0;
  const log = openLog(
    (text) => void (lines += text),
    () => clock,
  );
  const request = async (message: string, status = 503) => {
    lines = "";
    const error = new StoreError("STORE_NEWER", message, "hint");
    log.request({ requestId: "r", method: "GET", path: "/", status, ms: 1, error });
    await new Promise((resolve) => setImmediate(resolve));
    const { level, code, err } = JSON.parse(lines) as { level: number; code?: string; err?: { message: string } };
    return [level, code, err?.message];
  };
  expect(await request("schema 2")).toEqual([50, undefined, "schema 2"]);
  clock = 59_999;
  expect(await request("schema 2")).toEqual([30, "STORE_NEWER", undefined]);
  expect(await request("schema 3")).toEqual([50, undefined, "schema 3"]);
  clock += 60_000;
  expect(await request("schema 3")).toEqual([50, undefined, "schema 3"]);
  // The control: an unknown outcome concerns one request.
  for (let times = 0; times < 2; times++) expect(await request("lost", 500)).toEqual([50, undefined, "lost"]);
});
