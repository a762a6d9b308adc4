/**
 * Checks that a token is sent only to a server with a valid certificate. Certificates, sockets and processes are real.
 */

import { writeFileSync } from "node:fs";
import { createServer as createPlainServer } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { newCanary } from "../canary.ts";
import { type Identity, newAuthority, selfSigned } from "./certificates.ts";
import { type Ended, emptyHome, finished, formctl } from "./program.ts";

const trusted = newAuthority("Test authority");
const namesake = newAuthority("Test authority");
const stranger = newAuthority("Another authority");
const CANARY = newCanary();
const LONG_AGO = new Date("2020-01-01T00:00:00Z");
const LAST_YEAR = new Date("2021-01-01T00:00:00Z");
const FAR_OFF = new Date("2090-01-01T00:00:00Z");

let authorityFile: string;
beforeAll(() => {
  authorityFile = join(emptyHome(), "ca.pem");
  writeFileSync(authorityFile, trusted.cert);
});

type Listener = { url: string; tokens: string[]; connections: () => number };

/** Starts a server that records the tokens of its requests. All requests get the same answer. */
async function listen(identity: Identity | undefined): Promise<Listener> {
  const tokens: string[] = [];
  let connections = 0;
  const answer: Parameters<typeof createPlainServer>[1] & {} = (request, response) => {
    if (request.headers.authorization !== undefined) tokens.push(request.headers.authorization);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ data: [{ code: "EUR", name: "Euro" }] }));
  };
  const server = identity ? createServer(identity, answer) : createPlainServer(answer);
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `https://localhost:${port}`, tokens, connections: () => connections };
}

/** Runs a command with a token for the server. The command trusts the certificate authority of the tests. */
function type({ url }: Listener, words: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const own = { FORMCTL_BASE_URL: url, FORMCTL_TOKEN: CANARY, NODE_EXTRA_CA_CERTS: authorityFile };
  return formctl(words, { env: { ...own, ...env } });
}

const READ = ["currencies", "list"];
const COMMANDS: [string, string[]][] = [
  ["a read", READ],
  ["a write", ["forms", "create", "staffing/candidate", "--name", "New", "--types", "VIEW"]],
  ["any request", ["api", "DELETE", "/v1/custom-modules/staffing/objects/candidate/forms/frm_1"]],
  ["a check of the surroundings", ["doctor"]],
];

describe("a server with a certificate of an authority", () => {
  it("that NODE_EXTRA_CA_CERTS names is asked, with the token", async () => {
    const server = await listen(trusted.issue());
    expect(await type(server, READ)).toMatchObject({ code: 0, stdout: expect.stringContaining("Euro") as string });
    expect(server.tokens).toEqual([`Bearer ${CANARY}`]);
  });

  it("is asked by auth login before the token is kept", async () => {
    const home = emptyHome();
    writeFileSync(join(home, "token.txt"), CANARY);
    const login = async (server: Listener) => {
      const env = { FORMCTL_BASE_URL: server.url, NODE_EXTRA_CA_CERTS: authorityFile };
      return formctl(["auth", "login", "--token-file", join(home, "token.txt")], { home, env });
    };
    const bad = await listen(stranger.issue());
    expect((await login(bad)).code).toBe(7);
    expect(bad.tokens).toEqual([]);
    const good = await listen(trusted.issue());
    expect((await login(good)).code).toBe(0);
    expect(good.tokens).toEqual([`Bearer ${CANARY}`]);
  });
});

const OWN_AUTHORITY = "NODE_EXTRA_CA_CERTS=";
const BAD: [what: string, () => Identity | undefined, reason: string, way: string][] = [
  ["signed by itself", () => selfSigned(), "its certificate is self-signed", OWN_AUTHORITY],
  ["of an unknown authority", () => stranger.issue(), "an authority that this machine does not trust", OWN_AUTHORITY],
  ["of an authority that has the name only", () => namesake.issue(), "CERT_SIGNATURE_FAILURE", OWN_AUTHORITY],
  [
    "that has expired",
    () => trusted.issue({ from: LONG_AGO, until: LAST_YEAR }),
    "its certificate has expired",
    "clock of this machine",
  ],
  [
    "that is not valid yet",
    () => trusted.issue({ from: FAR_OFF, until: new Date("2091-01-01T00:00:00Z") }),
    "its certificate is not valid yet",
    "clock of this machine",
  ],
  [
    "of another host",
    () => trusted.issue({ host: "forms.example.com" }),
    "its certificate is for another host",
    "Use a host name of the certificate",
  ],
  ["that is none, because it speaks no TLS", () => undefined, "it does not use TLS", "Check the base URL"],
];

describe.each(BAD)("a server with a certificate %s", (_what, identity, reason, way) => {
  it.each(COMMANDS)(
    "gets no token with %s, and the message has the reason and the next step",
    async (_command, words) => {
      const server = await listen(identity());
      const { code, stdout, stderr } = await type(server, words);
      expect(code).toBe(7);
      expect(`${stdout}${stderr}`).toContain(`the identity of ${server.url}: `);
      expect(`${stdout}${stderr}`).toContain(reason);
      expect(`${stdout}${stderr}`).toContain(way);
      expect(server.connections()).toBeGreaterThan(0);
      expect(server.tokens).toEqual([]);
    },
  );
});

describe("an authority of one's own", () => {
  it("is trusted only if it is configured, and a missing file configures none", async () => {
    for (const NODE_EXTRA_CA_CERTS of ["", join(emptyHome(), "none.pem")]) {
      const server = await listen(trusted.issue());
      const { code, stderr } = await type(server, [...READ, "-o", "json"], { NODE_EXTRA_CA_CERTS });
      expect(code).toBe(7);
      expect(stderr).toMatch(/"code": ?"TLS_REFUSED"/);
      expect(server.tokens).toEqual([]);
    }
  });
});

describe("NODE_TLS_REJECT_UNAUTHORIZED=0", () => {
  it.each(COMMANDS)("lets nothing be sent by %s, whatever the certificate", async (_command, words) => {
    for (const identity of [selfSigned(), trusted.issue()]) {
      const server = await listen(identity);
      const { code, stdout, stderr } = await type(server, words, { NODE_TLS_REJECT_UNAUTHORIZED: "0" });
      expect(code).toBe(7);
      expect(`${stdout}${stderr}`).toContain("NODE_TLS_REJECT_UNAUTHORIZED=0 disables TLS verification");
      expect(server.connections()).toBe(0);
    }
  });

  it("would receive a token without verification (control)", async () => {
    const server = await listen(selfSigned());
    const script = `fetch(${JSON.stringify(server.url)}, { headers: { authorization: "Bearer x" } })`;
    await finished(process.execPath, ["-e", script], { env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" } });
    expect(server.tokens).toEqual(["Bearer x"]);
  });
});
