/** The library, used through its entry. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createClient,
  describeError,
  FormctlError,
  mutationIds,
  openLocal,
  readManifests,
  ServiceError,
} from "../src/index.ts";
import { newCanary } from "./canary.ts";
import { startServer } from "./client/table-server.ts";
import { temporaryFolders } from "./temporary.ts";

const newFolder = temporaryFolders();

it("accepts a token with a trailing line break", async () => {
  const server = await startServer(() => ({ status: 200, body: { data: [] } }));
  const token = newCanary();
  const client = createClient({ baseUrl: server.url, token: `${token}\n` });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  expect(await client.listCurrencies({})).toEqual([]);
  expect(server.received[0]!.headers.authorization).toBe(`Bearer ${token}`);
});

it.each(["", " \n", "two words", "line\nbreak", "\u0100bc"])(
  "refuses an invalid token before the first request: %j",
  (token) => {
    expect(() => createClient({ baseUrl: "https://forms.example.com", token })).toThrow(
      expect.objectContaining({ code: "CREDENTIALS_UNUSABLE" }),
    );
  },
);

describe("describeError", () => {
  it("describes a refusal of the service with the answer and the exit code of its status", () => {
    const refusal = new ServiceError(409, { code: "FORM_IS_DEFAULT", message: "the form is a default" });
    expect(describeError(refusal)).toEqual({
      code: "FORM_IS_DEFAULT",
      message: "the form is a default",
      exitCode: 6,
      api: { code: "FORM_IS_DEFAULT", message: "the form is a default", status: 409 },
    });
  });

  it("describes an error of formctl with its next step", () => {
    const error = new FormctlError("LIST_INCOMPLETE", "the list is incomplete", "Try again.");
    expect(describeError(error)).toEqual({
      code: "LIST_INCOMPLETE",
      message: "the list is incomplete",
      hint: "Try again.",
      exitCode: 6,
    });
  });

  it("reports an error of the program as it is, and no internal error", () => {
    expect(describeError(new TypeError("x is undefined"))).toEqual({
      code: "ERROR",
      message: "x is undefined",
      exitCode: 1,
    });
    expect(describeError("stop")).toEqual({ code: "ERROR", message: "stop", exitCode: 1 });
  });
});

describe("mutationIds", () => {
  it("returns the same id for the same seed and parts, and different ids otherwise", () => {
    const ids = mutationIds("change 1");
    expect(ids("publish", "lay_1")).toBe(mutationIds("change 1")("publish", "lay_1"));
    const others = [
      ids("publish", "lay_2"),
      ids("publish"),
      ids("publish", 1),
      mutationIds("change 2")("publish", "lay_1"),
    ];
    expect(new Set([ids("publish", "lay_1"), ...others]).size).toBe(5);
    expect(ids("publish", "lay_1")).toMatch(/^[\x21-\x7e]{1,128}$/);
  });
});

it("reads the manifests of a folder, and its problems", async () => {
  const folder = newFolder();
  const form = "kind: Form\nobject: staffing/candidate\nname: Intake\ntypes: [CREATE]\n";
  writeFileSync(join(folder, "form.yaml"), `${form}---\nkind: Form\nname: Other\n`);
  const { manifests, problems } = await readManifests(folder);
  expect(manifests.map(({ address }) => address)).toEqual(["staffing/candidate/Intake"]);
  expect(problems.map(({ line, message }) => [line, message])).toEqual([
    [6, "object is required"],
    [6, "types is required"],
  ]);
});

describe("a closed client", () => {
  it("rejects each call at once, and sends nothing", async () => {
    const server = await startServer(() => ({ status: 200, body: { data: [] } }));
    onTestFinished(() => server.close());
    const client = createClient({ baseUrl: server.url, token: newCanary() });
    await client.close();
    const body = { name: "A", types: ["VIEW" as const] };
    for (const call of [
      client.listCurrencies({}),
      client.createForm({ moduleKey: "staffing", objectKey: "candidate", body }),
    ])
      await expect(call).rejects.toMatchObject({ code: "CLIENT_CLOSED", sent: false });
    expect(server.received).toEqual([]);
  });
});

describe("a store in memory", () => {
  it("has the name :memory:, creates no file, and is empty", async () => {
    const local = await openLocal(":memory:", { create: true });
    onTestFinished(() => local.close());
    expect(existsSync(":memory:")).toBe(false);
    expect((await local.show()).organizations).toEqual([]);
    await local.seed({ organizations: [{ key: "acme", name: "Acme" }] });
    const service = await local.service("acme");
    expect(await service.listLayouts({ query: {} })).toEqual([]);
    const other = await openLocal(":memory:");
    onTestFinished(() => other.close());
    expect((await other.show()).organizations).toEqual([]);
  });
});

describe("a call without a parameter of its path", () => {
  it("is refused before it is sent, by a client and by a store", async () => {
    const client = createClient({ baseUrl: "http://127.0.0.1:1", token: newCanary() });
    const local = await openLocal(":memory:");
    onTestFinished(async () => {
      await client.close();
      await local.close();
    });
    await local.seed({ organizations: [{ key: "acme", name: "Acme" }] });
    const refusals = [
      [undefined, "the parameter layoutId is missing"],
      [null, "the parameter layoutId is missing"],
      ["", "the parameter layoutId is missing"],
      [5, "the parameter layoutId must be text, not number"],
    ] as const;
    for (const service of [client, await local.service("acme")]) {
      for (const [layoutId, message] of refusals) {
        const input = { layoutId } as unknown as { layoutId: string };
        await expect(service.getLayout(input)).rejects.toMatchObject({ code: "INVALID_VALUE", message });
      }
    }
  });
});

it("a refusal for unconfirmed field changes needs a confirmation", () => {
  const refusal = (status: number, code: string) => new ServiceError(status, { code, message: "" }).needsConfirmation;
  expect(refusal(409, "FIELD_CHANGES_UNCONFIRMED")).toBe(true);
  expect(refusal(409, "FORM_IS_DEFAULT")).toBe(false);
});
