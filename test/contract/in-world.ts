/** Runs a contract case in a new world, and checks the invariants of its store afterwards. */

import { expect } from "vitest";
import type { OperationName } from "../../src/schemas/operations.ts";
import { ServiceError } from "../../src/service.ts";
import type { ContractService, ContractWorld, Provider } from "./provider.ts";

/** `make` adds helpers for one kind of case to a world. */
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

/** Reads layouts, so that a case sees the effect of a write. */
export type LayoutReader = Pick<ContractService, "getLayout" | "listLayouts">;

/**
 * Returns the service of the provider as a reader. If its server doesn't have these endpoints, the reader uses the
 * store.
 */
export function layoutReader(
  provider: Provider,
  { local }: ContractWorld,
  service: LayoutReader,
): Promise<LayoutReader> {
  return provider.offers("getLayout") ? Promise.resolve(service) : local.service("northwind");
}

/**
 * Checks a server without the endpoint: it answers 404.
 *
 * @returns false if the server has the endpoint. Then nothing is requested
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
 * Checks a server that does not accept one of these parameters or members. The server refuses the request and names
 * each of them.
 *
 * @returns false if the server accepts all of them. Then nothing is requested
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
 * Checks a server that requires a member. The request lacks the member, so the server refuses the request and names the
 * member.
 *
 * @returns false if the server does not require the member. Then nothing is requested
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
