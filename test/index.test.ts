/** The library, used through its entry. */

import { expect, it, onTestFinished } from "vitest";
import { createClient } from "../src/index.ts";
import { newCanary } from "./canary.ts";
import { startServer } from "./client/table-server.ts";

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
