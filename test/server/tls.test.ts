/** A server with TLS on a real socket: its protocol versions, changing certificates, and failing clients. */

import { chmodSync, renameSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { connect as connectTls, type SecureVersion } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../../src/composition/serve.ts";
import { parseFault } from "../../src/schemas/fault.ts";
import { listen } from "../../src/server/listen.ts";
import { readCertificate } from "../../src/server/tls-files.ts";
import { type Identity, newAuthority } from "../e2e/certificates.ts";
import { reasonOnWindows } from "../skip.ts";
import { temporaryFolder } from "../temporary.ts";
import { openServerWorld } from "./server-world.ts";

const authority = newAuthority("formctl test authority");
const YEAR_MS = 365 * 24 * 60 * 60_000;
const [first, second] = [authority.issue(), authority.issue({ until: new Date(Date.now() + YEAR_MS) })];

function files(identity: Identity) {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const tls = { cert: join(folder.path, "tls.crt"), key: join(folder.path, "tls.key") };
  const write = ({ cert, key }: Identity) => {
    for (const [path, content] of [
      [tls.cert, cert],
      [tls.key, key],
    ] as const) {
      writeFileSync(`${path}.new`, content, { mode: 0o600 });
      renameSync(`${path}.new`, path);
    }
  };
  write(identity);
  return { tls, write };
}

async function open(faults: readonly string[] = [], onFault = () => {}) {
  const world = await openServerWorld();
  const token = await world.token("northwind");
  const { tls, write } = files(first);
  const lines: string[] = [];
  const log = (text: string) => void lines.push(...text.trimEnd().split("\n"));
  const metrics = { host: "127.0.0.1", port: 0 };
  const served = await serve(world.local, {
    host: "127.0.0.1",
    port: 0,
    version: "test",
    write: log,
    tls,
    metrics,
    faults: { list: faults.map(parseFault), seed: 0, onFault },
  });
  onTestFinished(() => served.stop());
  const port = Number(new URL(served.url).port);
  const get = (path: string) =>
    new Promise<{ status: number | undefined; text: string; fingerprint: string }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      const options = { port, host: "127.0.0.1", servername: "localhost", path, headers, ca: authority.cert };
      const sent = request({ ...options, agent: false }, (response) => {
        let text = "";
        const { fingerprint256: fingerprint } = (response.socket as ReturnType<typeof connectTls>).getPeerCertificate();
        response.on("data", (chunk) => (text += String(chunk)));
        response.on("end", () => resolve({ status: response.statusCode, text, fingerprint }));
      });
      sent.on("error", reject).end();
    });
  return { world, served, port, get, write, tls, lines };
}

/** Connects with one version of TLS. @returns the version that was agreed on, or the code of the error */
function agree(port: number, version: SecureVersion): Promise<string> {
  return new Promise((resolve) => {
    const options = { minVersion: version, maxVersion: version, ciphers: "DEFAULT@SECLEVEL=0" };
    const socket = connectTls({ port, host: "127.0.0.1", servername: "localhost", ca: authority.cert, ...options });
    socket.on("secureConnect", () => {
      resolve(socket.getProtocol()!);
      socket.destroy();
    });
    socket.on("error", () => resolve("refused"));
  });
}

describe("a server with TLS", () => {
  it("answers the same request twice, the second time from its cache", async () => {
    const { served, get, lines } = await open();
    expect(served.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const answers = [await get("/v1/currencies"), await get("/v1/currencies"), await get("/livez")];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers[1]!.text).toBe(answers[0]!.text);
    await expect.poll(() => lines.filter((line) => line.includes("listCurrencies")).length).toBe(2);
  });

  it("speaks TLS 1.2 and 1.3, and no older version", async () => {
    const { port } = await open();
    expect(
      await Promise.all((["TLSv1.3", "TLSv1.2", "TLSv1.1", "TLSv1"] as const).map((version) => agree(port, version))),
    ).toEqual(["TLSv1.3", "TLSv1.2", "refused", "refused"]);
  });

  it("uses another certificate after a reload, and keeps the former one if the files are wrong", async () => {
    const { served, get, write, tls, lines } = await open();
    const expiry = async () =>
      Number(/expiry_time_seconds (\d+)/.exec(await (await fetch(served.metricsUrl!)).text())?.[1]) * 1000;
    const [before, expiryBefore] = [(await get("/livez")).fingerprint, await expiry()];
    expect(expiryBefore).toBeGreaterThan(Date.now());
    expect((await get("/livez")).fingerprint).toBe(before);
    write(second);
    served.reload!();
    const after = (await get("/livez")).fingerprint;
    expect(after).not.toBe(before);
    expect(Math.abs((await expiry()) - Date.now() - YEAR_MS)).toBeLessThan(60_000);
    expect(await expiry()).not.toBe(expiryBefore);
    writeFileSync(tls.key, first.key);
    served.reload!();
    expect((await get("/livez")).fingerprint).toBe(after);
    await expect.poll(() => lines.at(-1)).toContain("the former certificate stays in use");
  });

  it("closes a connection without TLS, and logs nothing", async () => {
    const { port, get, lines } = await open();
    const said = await new Promise<string>((resolve) => {
      let text = "";
      const socket = connect({ port, host: "127.0.0.1" }, () =>
        socket.write("GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n"),
      );
      socket.on("data", (chunk) => (text += chunk.toString("latin1")));
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(text));
    });
    expect(said).not.toContain("HTTP/1.1");
    expect((await get("/livez")).status).toBe(200);
    expect(lines).toEqual([]);
  });

  it.each([
    ["answers", {}, "TLSv1.3"],
    ["does not answer without the limits (control)", { maxWaiting: Infinity, maxPerAddress: Infinity }, "refused"],
  ])("%s while 600 other connections don't finish their handshake", async (_title, limits, outcome) => {
    const handler = async () => new Response("done");
    const certificate = { cert: Buffer.from(first.cert), key: Buffer.from(first.key) };
    const { url, stop } = await listen({ host: "127.0.0.1", port: 0, handler, certificate, limits });
    onTestFinished(() => stop());
    const port = Number(new URL(url).port);
    let connected = 0;
    const connectRaw = () => connect({ port, host: "127.0.0.1" }, () => connected++).on("error", () => undefined);
    const sockets = Array.from({ length: 600 }, connectRaw);
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
    // The server accepts connections in their order, and 500 of them at most.
    await expect.poll(() => connected).toBeGreaterThanOrEqual(500);
    for (let times = 0; times < 5; times++) expect(await agree(port, "TLSv1.3")).toBe(outcome);
  });

  it("stops while connections are open, during and after their handshake", async () => {
    const { port, served } = await open();
    const idle = connectTls({ port, host: "127.0.0.1", servername: "localhost", ca: authority.cert });
    const half = connect({ port, host: "127.0.0.1" }).on("error", () => undefined);
    onTestFinished(() => void [idle.destroy(), half.destroy()]);
    await new Promise((resolve) => idle.on("error", () => undefined).once("secureConnect", resolve));
    const start = performance.now();
    await served.stop();
    expect(performance.now() - start).toBeLessThan(4_000);
  });
});

describe("the files of a certificate", () => {
  it("are refused if every user can read the key", ({ skip }) => {
    skip(reasonOnWindows !== undefined, reasonOnWindows);
    const { tls } = files(first);
    chmodSync(tls.key, 0o640);
    expect(readCertificate(tls).cert.toString()).toBe(first.cert);
    chmodSync(tls.key, 0o644);
    expect(() => readCertificate(tls)).toThrow(/every user of this machine has access to the key/);
  });

  it("are refused if they are missing, not PEM, or do not belong together", () => {
    const { tls } = files(first);
    expect(() => readCertificate({ ...tls, cert: `${tls.cert}x` })).toThrow(/can't read the certificate/);
    const { tls: other } = files(second);
    expect(() => readCertificate({ cert: tls.cert, key: other.key })).toThrow(/can't use the certificate/);
    expect(() => readCertificate({ ...tls, cert: import.meta.dirname })).toThrow(
      /can't read the certificate .*directory/,
    );
    writeFileSync(tls.cert, "text");
    expect(() => readCertificate(tls)).toThrow(/can't use the certificate/);
  });
});

it("a fault breaks a connection with TLS, also one that hangs when the server stops", async () => {
  let faults = 0;
  const { get, served, lines } = await open(["listForms:reset:at=1", "listForms:hang:at=2"], () => faults++);
  const list = () => get("/v1/custom-modules/staffing/objects/candidate/forms");
  await expect(list()).rejects.toThrow("socket hang up");
  const hanging = list().catch((error: Error) => error.message);
  await expect.poll(() => faults).toBe(2);
  await served.stop();
  expect(await hanging).toBe("socket hang up");
  expect(lines.join("\n")).not.toContain("INVALID_HANDLE");
});
