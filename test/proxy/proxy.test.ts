/** Tests the proxy: what it forwards, and the order of manners. */

import { expect, it } from "vitest";
import { openRemoteScene } from "../commands/remote-scene.ts";
import { type Manner, openProxy, type ProxyOptions, refusal } from "./proxy.ts";

const FORMS = "/v1/custom-modules/staffing/objects/candidate/forms";

async function openScene(options?: ProxyOptions) {
  const { url, token } = await openRemoteScene();
  const proxy = await openProxy(url, options);
  const send = async (to: string, method: string, path: string, body?: object, more: Record<string, string> = {}) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", ...more };
    return fetch(to + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  };
  return { url, proxy, send };
}

it("forwards requests and answers unchanged without a manner", async () => {
  const { url, proxy, send } = await openScene();
  const body = { name: "Profile", types: ["VIEW"] };
  const [first, again] = [
    await send(proxy.url, "POST", FORMS, body, { "idempotency-key": "one" }),
    await send(proxy.url, "POST", FORMS, body, { "idempotency-key": "one" }),
  ];
  expect([first.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
  const [direct, forwarded] = [
    await send(url, "GET", `${FORMS}?limit=1`),
    await send(proxy.url, "GET", `${FORMS}?limit=1`),
  ];
  expect(await forwarded.json()).toEqual(await direct.json());
  const named = (headers: Headers) => ["etag", "x-total-count", "content-type"].map((name) => headers.get(name));
  expect(named(forwarded.headers)).toEqual(named(direct.headers));
  expect(proxy.writes()).toEqual([`POST ${FORMS}`, `POST ${FORMS}`]);
  expect(proxy.writes(1)).toEqual([`POST ${FORMS}`]);
});

it("applies the manners to a request in their order, and to its answer in the reverse order", async () => {
  const steps: string[] = [];
  const noted = (name: string): Manner => ({
    request: () => void steps.push(`request ${name}`),
    answer: () => void steps.push(`answer ${name}`),
  });
  const { proxy, send } = await openScene({ ...noted("own"), manners: [noted("first"), noted("last")] });
  await send(proxy.url, "GET", FORMS);
  expect(steps).toEqual(["request own", "request first", "request last", "answer last", "answer first", "answer own"]);
});

it("lets a manner answer, repeat and change a request", async () => {
  const rename: Manner = {
    request({ body }) {
      if (body) body["name"] = `${String(body["name"])}+`;
      return undefined;
    },
  };
  const { url, proxy, send } = await openScene({
    async request(asked, pass) {
      if (asked.body?.["name"] === "Refused") return refusal(403);
      if (asked.method === "POST") await pass(asked);
      return undefined;
    },
    manners: [rename],
  });
  expect((await send(proxy.url, "POST", FORMS, { name: "Refused", types: ["VIEW"] })).status).toBe(403);
  expect((await send(proxy.url, "POST", FORMS, { name: "Twice", types: ["VIEW"] })).status).toBe(201);
  const { data } = (await (await send(url, "GET", FORMS)).json()) as { data: { name: string }[] };
  expect(data.map(({ name }) => name)).toEqual(["Twice+", "Twice+"]);
});
