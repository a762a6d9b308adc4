/** The log of the server. */

import { expect, it } from "vitest";
import { openLog } from "../../src/server/request-log.ts";

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
