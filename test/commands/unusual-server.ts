/** A program with a server that sends unusual responses. msw simulates the server in this process, without a socket. */

import { HttpRequestInterceptor } from "@mswjs/interceptors/http";
import type { RequestHandler } from "msw";
import { http, HttpResponse, type JsonBodyType } from "msw";
import { defineNetwork, InterceptorSource } from "msw/experimental";
import { onTestFinished } from "vitest";
import { type Cli, openCli } from "./cli.ts";

export const UNUSUAL_SERVER = "http://localhost:9";
export const FORMS = `${UNUSUAL_SERVER}/v1/custom-modules/staffing/objects/candidate/forms`;
export const LAYOUTS = `${UNUSUAL_SERVER}/v1/view-layouts`;

export type OddScene = { cli: Cli; /** `METHOD path` of each request. */ sent: string[] };

/** A request without a handler gets 404. */
export async function openUnusualServer(...handlers: RequestHandler[]): Promise<OddScene> {
  const sent: string[] = [];
  const network = defineNetwork({
    sources: [new InterceptorSource({ interceptors: [new HttpRequestInterceptor()] })],
    context: { quiet: true },
    handlers: [http.all(`${UNUSUAL_SERVER}/*`, note), ...handlers, http.all(`${UNUSUAL_SERVER}/*`, missing)],
  });
  function note({ request }: { request: Request }) {
    const { pathname, search } = new URL(request.url);
    sent.push(`${request.method} ${pathname}${search}`);
  }
  network.enable();
  onTestFinished(() => network.disable());
  const cli = await openCli(null);
  delete cli.env["FORMCTL_ORGANIZATION"];
  cli.env["FORMCTL_BASE_URL"] = UNUSUAL_SERVER;
  cli.env["FORMCTL_TOKEN"] = "odd_token";
  return { cli, sent };
}

const missing = () =>
  HttpResponse.json({ error: { code: "NOT_FOUND", message: "there is no such record" } }, { status: 404 });

/** Answers a method and path. Without a body the answer is 204. */
export function answering(
  method: "get" | "post" | "put" | "patch" | "delete",
  url: string,
  body?: JsonBodyType,
  status = 200,
): RequestHandler {
  return http[method](url, () =>
    body === undefined ? new HttpResponse(null, { status: 204 }) : HttpResponse.json(body, { status }),
  );
}
