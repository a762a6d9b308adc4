/** A client of a test server: real sockets, no waiting. */

import { onTestFinished } from "vitest";
import { type HttpServiceOptions, httpService } from "../../src/client/http-service.ts";
import { undiciFetch } from "../../src/client/undici-fetch.ts";
import { Secret } from "../../src/base/secret.ts";
import type { Service } from "../../src/service.ts";
import { newCanary } from "../canary.ts";

export const TOKEN = newCanary();

export type Client = { service: Service; waits: number[]; attempts: string[]; notices: string[] };

export function openClient(url: string, options: Partial<HttpServiceOptions> = {}): Client {
  const network = undiciFetch(new URL(url).origin, {});
  onTestFinished(() => network.close());
  const waits: number[] = [];
  const attempts: string[] = [];
  const notices: string[] = [];
  const service = httpService({
    baseUrl: url,
    token: new Secret(TOKEN),
    fetch: (target, request) => network.fetch(target, request),
    deadline: 60_000,
    now: () => new Date(),
    sleep: async (milliseconds) => void waits.push(milliseconds),
    random: () => 0.4321,
    onAttempt: ({ method, path, attempt, outcome }) => void attempts.push(`${method} ${path} ${attempt} ${outcome}`),
    onNotice: (notice) => void notices.push(notice),
    ...options,
  });
  return { service, waits, attempts, notices };
}
