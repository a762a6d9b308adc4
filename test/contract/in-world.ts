/** Runs a contract case in a new world, and checks the invariants of its store afterwards. */

import { expect } from "vitest";
import type { OperationName } from "../../src/schemas/operations.ts";
import { ServiceError } from "../../src/service.ts";
import type { ContractService, ContractWorld, Provider } from "./provider.ts";

/** `make` adds to a world the short words that cases of one kind speak. */
export function inWorldOf<World>(make: (world: ContractWorld, provider: Provider) => Promise<World>) {
  return (provider: Provider, test: (world: World) => Promise<void>) => async (): Promise<void> => {
    const world = await provider.open();
    try {
      await test(await make(world, provider));
      expect(await world.local.check()).toEqual([]);
    } finally {
      await world.close();
    }
  };
}

/** Reads a layout to see the effect of a write. */
export type LayoutReader = Pick<ContractService, "getLayout" | "listLayouts">;

/** Through the provider; from the store itself where the server does not have these endpoints. */
export function layoutReader(
  provider: Provider,
  { local }: ContractWorld,
  service: LayoutReader,
): Promise<LayoutReader> {
  return provider.offers("getLayout") ? Promise.resolve(service) : local.service("northwind");
}

/**
 * What holds instead on a server that does not have the endpoint: it answers 404.
 *
 * @returns false where the server has the endpoint; nothing is requested then
 */
export async function isNotOffered(
  provider: Provider,
  name: OperationName,
  request: () => Promise<unknown>,
): Promise<boolean> {
  if (provider.offers(name)) return false;
  await expect(request()).rejects.toMatchObject({ status: 404, code: "NOT_FOUND" });
  return true;
}

/**
 * What holds instead on a server that does not accept one of these parameters or members: it refuses it by its name.
 *
 * @returns false where the server accepts all of them; nothing is requested then
 */
export async function isNotAccepted(
  provider: Provider,
  name: OperationName,
  members: readonly string[],
  request: () => Promise<unknown>,
): Promise<boolean> {
  const refused = members.filter((member) => !provider.accepts(name, member));
  if (refused.length === 0) return false;
  await expectRefusedByName(request(), refused);
  return true;
}

/**
 * What holds instead on a server that requires a member which the request lacks: it refuses the request by its name.
 *
 * @returns false where the server does not require it; nothing is requested then
 */
export async function isRequired(
  provider: Provider,
  name: OperationName,
  member: string,
  request: () => Promise<unknown>,
): Promise<boolean> {
  if (!provider.requires(name, member)) return false;
  await expectRefusedByName(request(), [member]);
  return true;
}

async function expectRefusedByName(request: Promise<unknown>, members: string[]): Promise<void> {
  const error: unknown = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ServiceError);
  expect(error).toMatchObject({ status: 400, code: "VALIDATION_FAILED" });
  expect(Object.keys((error as ServiceError).body.fieldErrors ?? {}).sort()).toEqual(members.sort());
}
