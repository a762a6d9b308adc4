/** The check of a client's answers, on clients that are wrong: each of them is found. */

import { describe, expect, it } from "vitest";
import { NotConfirmed, type Service, ServiceError } from "../../src/service.ts";
import { inventedIn, lostIn } from "./answer-check.ts";
import { documentedServer } from "./documented-server.ts";
import { CANDIDATE } from "./forms/world.ts";
import { overLeanServer } from "./lean-provider.ts";
import type { ContractService } from "./provider.ts";

/** What a case meets with a client that differs from the real one in some calls. */
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

  it("is found where it sends a parameter that nobody asked for and the server does not know", async () => {
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
  const truth = { id: "a", rows: [{ name: "x", count: 0 }], note: null };

  it("is nothing where an answer has a part of the truth, and all that was shown", () => {
    const answer = { id: "a", rows: [{ name: "x" }], other: undefined };
    expect(inventedIn(answer, [truth])).toBeUndefined();
    expect(lostIn(answer, { rows: [{ name: "x" }] })).toBeUndefined();
  });

  it("is found at its path", () => {
    expect(lostIn({ rows: [{}] }, { rows: [{ name: "x" }] })).toBe(".rows[0].name");
    expect(lostIn({ rows: [] }, { rows: [{ name: "x" }] })).toBe(".rows");
    expect(lostIn({}, { note: null })).toBe(".note");
    expect(inventedIn({ rows: [{ name: "y" }] }, [truth, {}])).toBe(".rows[0].name");
    expect(inventedIn({ rows: [{ name: "x" }, {}] }, [truth])).toBe(".rows");
    expect(inventedIn({ id: null }, [truth])).toBe(".id");
    expect(inventedIn({ size: 0 }, [truth])).toBe(".size");
  });
});
