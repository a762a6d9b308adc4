/** The installed program on a database server that sends hostile messages. */

import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { EXIT_CODES } from "../../src/base/exit-codes.ts";
import { newCanary } from "../canary.ts";
import { postgresOfFile } from "../postgres.ts";
import { ATTACKS, startHostileServer } from "../store/postgres/hostile-server.ts";
import { emptyHome, ending, FORMCTL, formctl, start } from "./program.ts";

const serverOfFile = await postgresOfFile();
const PATH = "/v1/custom-modules/staffing/objects/candidate/forms";
const STACK = /"stack"|\n\s+at |internal error|INTERNAL/;

/** Creates a store with the demo, which the program reaches through the hostile server. */
async function open() {
  const server = serverOfFile();
  const hostile = await startHostileServer(server.port);
  onTestFinished(() => hostile.close());
  const url = new URL(server.url(await server.createDatabase()));
  const env = { PGPASSWORD: url.password, FORMCTL_STORE: "", CI: "1" };
  url.password = "";
  url.port = String(hostile.port);
  env.FORMCTL_STORE = url.href;
  const home = emptyHome();
  expect(await formctl(["local", "init", "--demo"], { home, env })).toMatchObject({ code: 0 });
  return { hostile, where: { home, env } };
}

describe("a hostile database server", () => {
  it("does not end serve, which answers 503 and logs no stack", async () => {
    const { hostile, where } = await open();
    const child = start(process.execPath, [FORMCTL, "serve", "--port", "0", "-o", "json"], where);
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = ending(child);
    const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once("line", resolve));
    const { url } = JSON.parse(line) as { url: string };
    const ask = async () => {
      const answer = await fetch(url + PATH, { headers: { authorization: `Bearer ${newCanary()}` } });
      const { error } = (await answer.json()) as { error: { code: string } };
      return { status: answer.status, code: error.code };
    };
    // The control: without an attack, the store answers that the token is unknown.
    expect(await ask()).toMatchObject({ status: 401 });
    for (const { name, bytes } of ATTACKS) {
      // The program ends the connection after most messages, and opens another one for the next request.
      if (hostile.inject(bytes) === 0) await ask();
      expect({ name, code: child.exitCode }).toEqual({ name, code: null });
    }
    hostile.attack(ATTACKS);
    while (hostile.attacked() < ATTACKS.length) {
      const before = hostile.attacked();
      const answer = await ask();
      const names = ATTACKS.slice(before, hostile.attacked()).map(({ name, at }) => `${name} at the ${at}`);
      const refusal = { status: 503, code: expect.stringMatching(/^STORE_/) as string };
      expect({ names, answer }).toEqual({ names, answer: refusal });
    }
    hostile.attack([]);
    await expect.poll(ask).toMatchObject({ status: 401 });
    child.kill("SIGTERM");
    const { code, signal, stderr } = await ended;
    expect([code, signal]).toEqual([0, null]);
    expect(stderr).not.toMatch(STACK);
  });

  it("ends a command with an exit code of the table", async () => {
    const { hostile, where } = await open();
    const samples = ATTACKS.filter(({ name }) =>
      /^the authentication (99|7|10)|"58030|"53200|4 GiB|"R" of 0xff|an empty message "D"/.test(name),
    );
    for (const sample of samples) {
      hostile.attack([sample]);
      const words = ["forms", "list", "staffing/candidate"];
      const { code, signal, stderr } = await formctl(words, where);
      const stderrOfStore = expect.stringMatching(/^error: .+\n\S/m) as string;
      const { name } = sample;
      expect({ name, signal, stderr }).toEqual({ name, signal: null, stderr: stderrOfStore });
      expect(stderr).not.toMatch(STACK);
      expect(Object.keys(EXIT_CODES)).toContain(String(code));
    }
  });
});
