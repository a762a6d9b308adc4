/** Tests how `formctl serve` stops after a signal, and that it reads its certificate again after SIGHUP. */

import { writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { reasonOnWindows, skipTests } from "../skip.ts";
import { newAuthority } from "./certificates.ts";
import { demoHome, emptyHome, ending, FORMCTL, formctl, start } from "./program.ts";

async function serving(...words: string[]) {
  const home = await demoHome();
  const line = [FORMCTL, "serve", "--port", "0", "--metrics-port", "0", "-o", "json", ...words];
  const child = start(process.execPath, line, { home, cwd: home });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.on("data", (text) => (stderr += String(text)));
  const ended = ending(child);
  const { url, metricsUrl } = await new Promise<{ url: string; metricsUrl: string }>((resolve) => {
    child.stdout.once("data", (text) => resolve(JSON.parse(String(text)) as { url: string; metricsUrl: string }));
  });
  const events = () => [...stderr.matchAll(/"msg":"([^"]*)"/g)].map(([, message]) => message);
  return { home, child, ended, url, metricsUrl, port: Number(new URL(url).port), events };
}

/**
 * Sends a request on a connection that stays open.
 *
 * @returns the status, and whether the server closes the connection
 */
function get(url: string, agent: Agent): Promise<[status: number | undefined, connection: string | undefined]> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent }, (response) => {
      response.resume();
      response.on("end", () => resolve([response.statusCode, response.headers.connection]));
    });
    sent.on("error", reject).end();
  });
}

/** Sends a write without the end of its body. Returns when the request is in progress, where it stays. */
async function openRequest({ home, port, metricsUrl }: { home: string; port: number; metricsUrl: string }) {
  const words = ["local", "tokens", "create", "--name", "ci", "--permission", "all", "-q"];
  const token = (await formctl(words, { home })).stdout.trim();
  const body = '{"name":"In progress","types":["VIEW"]}';
  const lines = [
    "POST /v1/custom-modules/staffing/objects/candidate/forms HTTP/1.1",
    "host: localhost",
    `authorization: Bearer ${token}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
  ];
  const socket = connect({ port, host: "127.0.0.1" });
  let answer = "";
  socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body.slice(0, -1)}`);
  await expect.poll(async () => (await fetch(metricsUrl)).text()).toMatch(/^formctl_http_requests_in_flight 1$/m);
  return { finish: () => socket.write("}"), closed, answer: () => answer };
}

/** Returns whether the form of {@link openRequest} exists. */
async function isWritten(home: string): Promise<boolean> {
  const { stdout } = await formctl(["forms", "list", "staffing/candidate", "-o", "json"], { home });
  return stdout.includes("In progress");
}

describe("formctl serve after SIGTERM", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("ends with exit code 0 after %s", async (signal) => {
    const { child, ended, url, events } = await serving();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 0, signal: null });
    expect(events()).toEqual(["stopping", "stopped"]);
  });

  it("is not ready at once, answers until the delay is over, and closes each connection after its answer", async () => {
    const { child, ended, url } = await serving("--drain-delay", "4");
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    expect(await get(`${url}/readyz`, agent)).toEqual([200, "keep-alive"]);
    const since = performance.now();
    child.kill("SIGTERM");
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { interval: 20 }).toBe(503);
    expect(await get(`${url}/livez`, agent)).toEqual([200, "close"]);
    const reason = (await (await fetch(`${url}/readyz`)).json()) as { error: unknown };
    expect(reason.error).toEqual({ code: "NOT_READY", message: "the server stops" });
    expect(await ended).toMatchObject({ code: 0 });
    expect(performance.now() - since).toBeGreaterThan(3_950);
    await expect(fetch(`${url}/livez`)).rejects.toThrow("fetch failed");
  });

  it("answers the request in progress, and no other", async () => {
    const { home, child, ended, url, port, metricsUrl } = await serving();
    const open = await openRequest({ home, port, metricsUrl });
    child.kill("SIGTERM");
    await expect.poll(() => fetch(`${url}/livez`).catch(() => undefined), { interval: 20 }).toBeUndefined();
    open.finish();
    await open.closed;
    expect(open.answer()).toMatch(/^HTTP\/1\.1 201 [\s\S]*connection: close/i);
    expect(await ended).toMatchObject({ code: 0 });
    expect(await isWritten(home)).toBe(true);
  });

  it("ends at once after a second signal, without the answer in progress (control)", async () => {
    const { home, child, ended, port, metricsUrl, events } = await serving("--drain-delay", "60");
    const open = await openRequest({ home, port, metricsUrl });
    child.kill("SIGTERM");
    await expect.poll(events).toContain("stopping");
    await setTimeout(300);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 143 });
    await open.closed;
    expect([open.answer(), events(), await isWritten(home)]).toEqual(["", ["stopping"], false]);
  });
});

describe("formctl serve after SIGHUP", () => {
  skipTests(reasonOnWindows);

  it("ends without a certificate, as when its terminal is closed", async () => {
    const { child, ended } = await serving();
    child.kill("SIGHUP");
    expect(await ended).toMatchObject({ code: null, signal: "SIGHUP" });
  });

  it("uses the new certificate", async () => {
    const folder = emptyHome();
    const [cert, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
    const authority = newAuthority("formctl test authority");
    const write = () => {
      const identity = authority.issue();
      writeFileSync(cert, identity.cert);
      writeFileSync(key, identity.key, { mode: 0o600 });
    };
    write();
    const { child, ended, port, events } = await serving("--tls-cert", cert, "--tls-key", key);
    const fingerprint = () =>
      new Promise<string>((resolve, reject) => {
        const socket = connectTls({ port, host: "127.0.0.1", servername: "localhost", ca: authority.cert });
        socket.on("error", reject);
        socket.on("secureConnect", () => {
          resolve(socket.getPeerCertificate().fingerprint256);
          socket.destroy();
        });
      });
    const before = await fingerprint();
    write();
    expect(await fingerprint()).toBe(before);
    child.kill("SIGHUP");
    await expect.poll(events).toContain("the certificate was read again");
    expect(await fingerprint()).not.toBe(before);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0 });
  });
});
