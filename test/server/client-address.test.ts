import { expect, it } from "vitest";
import { clientAddress } from "../../src/server/client-address.ts";

const of = (forwarded: string | undefined, behindProxy = true) =>
  clientAddress(
    { socket: { remoteAddress: "10.0.0.7" }, headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded } },
    behindProxy,
  );

it.each([
  ["192.0.2.1", "192.0.2.1"],
  ["203.0.113.9, 192.0.2.1", "192.0.2.1"],
  ["203.0.113.9,192.0.2.1 ", "192.0.2.1"],
  ["192.0.2.1:4711", "192.0.2.1"],
  ["2001:db8::1", "2001:db8::1"],
  ["[2001:db8::1]:4711", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
  ["unknown", "10.0.0.7"],
  ["192.0.2.1, _hidden", "10.0.0.7"],
  ["", "10.0.0.7"],
  [undefined, "10.0.0.7"],
])("behind a proxy with X-Forwarded-For %j, the client is %s", (forwarded, address) => {
  expect(of(forwarded)).toBe(address);
});

it("without a proxy, the client is the address of the socket", () => {
  expect(of("192.0.2.1", false)).toBe("10.0.0.7");
});
