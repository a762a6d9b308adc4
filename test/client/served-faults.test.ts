/** The client on a server with faults: what the caller gets, and how often the store has the effect of a write. */

import { describe, expect, it } from "vitest";
import { Secret } from "../../src/base/secret.ts";
import { openFaultyServer } from "../server/faulty-server.ts";
import { openClient } from "./open-client.ts";

const OBJECT = { moduleKey: "staffing", objectKey: "candidate" };

async function open(fault: string, deadline?: number) {
  const server = await openFaultyServer([fault]);
  const { service, waits } = openClient(server.url, {
    token: new Secret(server.token),
    ...(deadline !== undefined && { deadline }),
  });
  return { server, service, waits };
}

/** Returns `done`, or the code of the error. */
const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    () => "done",
    (error: { code: string }) => error.code,
  );

describe("a read", () => {
  it.each([
    "read:429:first=2:retry-after=1",
    "read:502:first=2",
    "read:503:first=3",
    "read:504:first=1",
    "read:html:first=1",
    "read:reset:first=2",
    "read:cut:first=1",
    "read:slow=100ms",
  ])("is repeated until it succeeds: %s", async (fault) => {
    const { service } = await open(fault);
    expect(await outcomeOf(service.listForms(OBJECT))).toBe("done");
  });

  it.each([
    ["read:503", "SERVICE_UNAVAILABLE"],
    ["read:dead", "ANSWER_CUT"],
    ["read:wrong-token", "UNAUTHORIZED"],
    ["read:500", "INTERNAL"],
  ])("fails after %s with %s", async (fault, code) => {
    const { service } = await open(fault);
    expect(await outcomeOf(service.listForms(OBJECT))).toBe(code);
  });

  it("fails after its time without an answer", async () => {
    const { service } = await open("read:hang", 300);
    expect(await outcomeOf(service.listForms(OBJECT))).toBe("TIMED_OUT");
  });
});

const layout = {
  name: "F1",
  surface: "ORGANIZATION" as const,
  supportedModes: ["VIEW" as const],
  target: {},
  clientMutationId: "f1",
};

describe("a write with a clientMutationId", () => {
  it.each(["429", "503", "504", "500", "reset", "cut", "html"])(
    "is done once after %s, before and after the commit",
    async (what) => {
      for (const moment of ["before", "after"]) {
        const { server, service } = await open(`createLayout:${what}:${moment}:first=1`);
        expect(await outcomeOf(service.createLayout({ body: layout }))).toBe("done");
        const layouts = await server.service.listLayouts({ query: {} });
        expect(layouts.filter(({ name }) => name === "F1")).toHaveLength(1);
      }
    },
  );
});

describe("a write without an id", () => {
  const body = { name: "F1", types: ["CREATE" as const] };

  it.each(["504", "reset", "cut", "html", "500"])("is found in the store after %s:after", async (what) => {
    const { server, service } = await open(`createForm:${what}:after:first=1`);
    expect(await outcomeOf(service.createForm({ ...OBJECT, body }))).toBe("done");
    expect(await server.names()).toEqual(["F1"]);
  });

  it.each([
    ["429", "RATE_LIMITED"],
    ["wrong-token", "UNAUTHORIZED"],
  ])("is not repeated after %s", async (what, code) => {
    const { server, service } = await open(`createForm:${what}:first=1`);
    expect(await outcomeOf(service.createForm({ ...OBJECT, body }))).toBe(code);
    expect(await server.names()).toEqual([]);
  });
});
