/** Tests that the check of client results detects faulty clients. */

import { describe, expect, it } from "vitest";
import { NotConfirmed, type Service, ServiceError } from "../../src/service.ts";
import { inventedIn, lostIn, membersOf } from "./answer-check.ts";
import { documentedServer } from "./documented-server.ts";
import { CANDIDATE } from "./forms/world.ts";
import { overLeanServer } from "./lean-provider.ts";
import type { ContractService } from "./provider.ts";

/**
 * Runs a case with a client that differs from the real client in some calls. Returns the result of the case, or the
 * message of its error.
 */
async function withClient(
  wrong: (client: Service) => Partial<Record<keyof Service, unknown>>,
  run: (service: ContractService, formId: string) => Promise<unknown>,
): Promise<unknown> {
  const world = await overLeanServer(documentedServer, (client) => ({
    ...client,
    ...(wrong(client) as Partial<Service>),
  })).open();
  try {
    const service = await world.as("northwind");
    const { id } = await service.createForm({ ...CANDIDATE, body: { name: "Profile", types: ["VIEW"] } });
    return await run(service, id).catch((error: unknown) => (error as Error).message);
  } finally {
    await world.close();
  }
}

const read = (service: ContractService, formId: string) => service.getForm({ ...CANDIDATE, formId });
const rename = (service: ContractService, formId: string) =>
  service.updateForm({ ...CANDIDATE, formId, body: { name: "Card" } });

describe("a client on a server that answers little", () => {
  it("passes where it answers what was shown, and the case gets the whole record", async () => {
    expect(await withClient(() => ({}), read)).toMatchObject({ name: "Profile", layoutWarnings: [{ type: "VIEW" }] });
  });

  it("is found where it loses a member", async () => {
    const wrong = (client: Service) => ({
      getForm: async (input: never) => ({ ...(await client.getForm(input)), viewLayoutName: undefined }),
    });
    expect(await withClient(wrong, read)).toBe("getForm: the client loses .viewLayoutName");
  });

  it("is found where it gives an unknown member a value", async () => {
    const wrong = (client: Service) => ({
      getForm: async (input: never) => ({ ...(await client.getForm(input)), isDefaultView: false }),
    });
    expect(await withClient(wrong, read)).toBe("getForm: the client invents .isDefaultView");
  });

  it("is found where it does not complete what it can read", async () => {
    const wrong = (client: Service) => ({
      updateForm: async (input: never) => ({ id: (await client.updateForm(input)).id }),
    });
    expect(await withClient(wrong, rename)).toMatch(/^updateForm: the client does not know name, types/);
  });

  it("is found where it throws after a write that was done", async () => {
    const wrong = (client: Service) => ({
      async updateForm(input: never) {
        await client.updateForm(input);
        throw new ServiceError(403, { code: "FORBIDDEN", message: "no reading" });
      },
    });
    expect(await withClient(wrong, rename)).toMatch(/^updateForm: the server answers 200, and the client throws/);
  });

  it("is found where it answers a request that was refused", async () => {
    const wrong = (client: Service) => ({
      updateForm: (input: never) => client.updateForm(input).catch(() => ({})),
    });
    const hide = (service: ContractService, formId: string) =>
      service.updateForm({ ...CANDIDATE, formId, body: { isActive: false } });
    expect(await withClient(wrong, hide)).toBe("updateForm: the server refuses (400), and the client answers");
  });

  it("is found where it sends an unasked parameter that the server refuses", async () => {
    const wrong = (client: Service) => ({
      async getForm(input: Parameters<Service["getForm"]>[0]) {
        await client.listForms({ ...CANDIDATE, query: { sort: [] } }).catch(() => undefined);
        return client.getForm(input);
      },
    });
    expect(await withClient(wrong, read)).toBe("getForm: the client sends sort to listForms");
  });

  it("may leave a write unconfirmed of which nothing can be read, and no other", async () => {
    const throws = () => Promise.reject(new NotConfirmed("accepted, not confirmed", "Look."));
    const wrong = (client: Service) => ({
      updateFormDefaults: (input: never) => client.updateFormDefaults(input).then(throws, throws),
      replaceFormAccess: (input: never) => client.replaceFormAccess(input).then(throws, throws),
    });
    const setDefaults = (service: ContractService, formId: string) =>
      service.updateFormDefaults({ ...CANDIDATE, body: { defaultViewFormId: formId } });
    expect(await withClient(wrong, setDefaults)).toMatchObject({ defaultCreateFormId: null });
    const clearAccess = (service: ContractService, formId: string) =>
      service.replaceFormAccess({ ...CANDIDATE, formId, body: { users: [], roles: [] } });
    expect(await withClient(wrong, clearAccess)).toMatch(/^replaceFormAccess: .* throws NotConfirmed/);
  });
});

describe("what is lost or invented", () => {
  const truth = { id: "a", rows: [{ name: "x", count: 0 }], note: null, modes: ["VIEW"] };
  const shown = { id: "a", rows: [{ name: "x" }] };
  const invented = (answer: unknown, ...answers: unknown[]) =>
    inventedIn(answer, { shown, truth, seen: membersOf([shown, ...answers]) });

  it("is nothing where an answer has all that was shown, and what another answer showed", () => {
    const answer = { id: "a", rows: [{ name: "x" }], other: undefined };
    expect(lostIn(answer, shown)).toBeUndefined();
    expect(invented(answer)).toBeUndefined();
    expect(invented({ ...answer, note: null, modes: ["VIEW"] }, { note: null, modes: ["VIEW"] })).toBeUndefined();
  });

  it("is found at its path", () => {
    expect(lostIn({ rows: [{}] }, shown)).toBe(".id");
    expect(lostIn({ id: "a", rows: [{}] }, shown)).toBe(".rows[0].name");
    expect(lostIn({ id: "a", rows: [] }, shown)).toBe(".rows");
    expect(lostIn({}, { note: null })).toBe(".note");
    expect(invented({ rows: [{ name: "y" }] })).toBe(".rows[0].name");
    expect(invented({ rows: [{ name: "x" }, {}] })).toBe(".rows");
    expect(invented({ id: null })).toBe(".id");
    expect(invented({ size: 0 }, { size: 0 })).toBe(".size");
  });

  it("is found though the guess is right", () => {
    expect(invented({ note: null })).toBe(".note");
    expect(invented({ rows: [{ name: "x", count: 0 }] })).toBe(".rows[0].count");
    expect(invented({ modes: ["VIEW"] }, { modes: [] })).toBe(".modes[0]");
  });
});
