/** Recordings of `--har`: the file, its redaction, and commands that fail. */

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openCli } from "../commands/cli.ts";
import { openRemoteScene } from "../commands/remote-scene.ts";
import { holdsToken, newCanary, searchFolder } from "../canary.ts";
import { type Received, type Reply, startServer } from "./table-server.ts";

type Har = { log: { version: string; comment?: string; entries: Entry[] } };
type Entry = {
  request: { method: string; url: string; headers: NameValue[]; postData?: { text?: string; comment?: string } };
  response: { status: number; headers: NameValue[]; content: { size: number; text?: string; comment?: string } };
  _error?: string;
};
type NameValue = { name: string; value: string };

async function openScene(answer: (request: Received) => Reply | Promise<Reply>) {
  const server = await startServer(answer);
  onTestFinished(() => server.close());
  const cli = await openCli(null);
  delete cli.env["FORMCTL_ORGANIZATION"];
  Object.assign(cli.env, { FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: newCanary() });
  const file = join(cli.cwd, "out.har");
  return { cli, server, file, read: () => JSON.parse(readFileSync(file, "utf8")) as Har };
}

const statuses = ({ log }: Har) => log.entries.map(({ response }) => response.status);

describe("--har", () => {
  it("records every attempt, in a private file", async () => {
    const replies: Reply[] = [
      { status: 503, body: "<html>", headers: { "content-type": "text/html", "set-cookie": "session=plum" } },
      { status: 0, cut: true },
      { status: 200, body: { data: [{ code: "EUR", name: "Euro" }] } },
    ];
    const { cli, file, read } = await openScene(() => replies.shift()!);
    writeFileSync(file, "an older file", { mode: 0o644 });
    expect(await cli.run("currencies", "list", "--har", "out.har")).toMatchObject({ code: 0 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statuses(read())).toEqual([503, 0, 200]);
    const [refused, cut, answered] = read().log.entries;
    expect(refused!.response.content).toEqual({
      size: 6,
      mimeType: "text/html",
      comment: "omitted, because it is not JSON: 6 bytes",
    });
    expect(refused!.response.headers).toContainEqual({ name: "set-cookie", value: "[redacted]" });
    expect(cut!._error).toMatch(/^incomplete answer from http:/);
    expect(answered).not.toHaveProperty("_error");
    expect(answered!.response.content.text).toBe('{"data":[{"code":"EUR","name":"Euro"}]}');
    expect(answered!.request.headers).toContainEqual({ name: "authorization", value: "[redacted]" });
    searchFolder(cli.cwd);
  });

  it("replaces values by placeholders of their types, and keeps them with --har-values", async () => {
    const form = {
      name: "Card",
      config: { title: "Plum", size: 7, list: [true, null] },
      publicToken: "pub-plum-1234",
      publicUrl: "https://forms.example/pub-plum-1234",
    };
    const { cli, file, read } = await openScene(({ method }) =>
      method === "POST"
        ? { status: 400, body: { error: { code: "VALIDATION", message: 'the title "Plum" is taken: Plum' } } }
        : { status: 200, body: { data: form, warning: "the title Plum" } },
    );
    const record = async (...words: string[]) => {
      await cli.run("api", "POST", "/v1/forms", "-d", JSON.stringify(form), "--har", file, ...words);
      const [{ request, response }] = read().log.entries as [Entry];
      const sent = JSON.parse(request.postData!.text!) as typeof form;
      return { sent, message: (JSON.parse(response.content.text!) as { error: { message: string } }).error.message };
    };
    expect(await record()).toEqual({
      sent: {
        name: "Card",
        config: { title: "[redacted]", size: 0, list: [false, null] },
        publicToken: "[redacted]",
        publicUrl: "https://forms.example/[secret]",
      },
      message: 'the title "[redacted]" is taken: [redacted]',
    });
    const kept = await record("--har-values");
    expect(kept.sent).toMatchObject({ config: form.config, publicToken: "[redacted]" });
    expect(kept.message).toBe('the title "Plum" is taken: Plum');
    await cli.run("api", "GET", "/v1/forms/x?access_token=plum&q=Plum", "--har", file);
    expect(read().log.entries[0]!.request.url).toMatch(/\?access_token=%5Bredacted%5D&q=%5Bredacted%5D$/);
    expect(read().log.entries[0]!.response.content.text).toContain('"warning":"the title [redacted]"');
  });

  it("omits bodies over 1 MiB", async () => {
    const body = { data: [{ code: "EUR", name: "x".repeat(1024 * 1024) }] };
    const { cli, file, read } = await openScene(() => ({ status: 200, body }));
    await cli.run("currencies", "list", "--har", file);
    const { content } = read().log.entries[0]!.response;
    expect(content).toMatchObject({ comment: "omitted, because it is too large" });
    expect(content).not.toHaveProperty("text");
    expect(content.size).toBe(JSON.stringify(body).length);
  });

  it("is written after a failure, and with the error of a signal", async () => {
    const { cli, file, read } = await openScene(() => ({ status: 404, body: { error: { code: "NOT_FOUND" } } }));
    expect((await cli.run("currencies", "get", "XXX", "--har", file)).code).toBe(5);
    expect(statuses(read())).toEqual([404]);

    const waiting = Promise.withResolvers<Reply>();
    const slow = await openScene(() => {
      slow.cli.ending.abort(new Error("stopped"));
      return waiting.promise;
    });
    await slow.cli.run("currencies", "list", "--har", slow.file);
    waiting.resolve({ status: 200 });
    expect(statuses(slow.read())).toEqual([0]);
    expect(slow.read().log.entries[0]!._error).toBe("no answer before the command ended");
  });

  it("refuses an unwritable file before the first request", async () => {
    const { cli, server } = await openScene(() => ({ status: 200, body: { data: [] } }));
    cli.file("taken", "a file in the place of a folder");
    const blocked = await cli.run("currencies", "list", "--har", "taken/out.har", "--json");
    expect(blocked.code).toBe(1);
    expect(blocked.error()).toMatchObject({ code: "FILE_UNWRITABLE" });
    expect((await cli.run("currencies", "list", "--har", "-")).code).toBe(64);
    expect((await cli.run("currencies", "list", "--har-values")).code).toBe(64);
    expect(server.received).toEqual([]);
  });

  it("writes a file without entries for a local store, and warns", async () => {
    const cli = await openCli();
    const { code, stderr } = await cli.run("currencies", "list", "--har", "out.har");
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("out.har contains no exchanges: the command sent no request to a server."),
    });
    expect((JSON.parse(readFileSync(join(cli.cwd, "out.har"), "utf8")) as Har).log.entries).toEqual([]);
  });

  it("records both servers of a comparison in one file", async () => {
    const { cli, url } = await openRemoteScene();
    const other = await openRemoteScene();
    cli.file("token.txt", other.token);
    const words = ["diff", "--from", other.url, "--from-token-file", "token.txt", "--to", url, "staffing/candidate"];
    expect(await cli.run(...words, "--har", "out.har")).toMatchObject({ code: 0 });
    const text = readFileSync(join(cli.cwd, "out.har"), "utf8");
    const origins = (JSON.parse(text) as Har).log.entries.map(({ request }) => new URL(request.url).origin);
    expect(new Set(origins)).toEqual(new Set([other.url, url]));
    expect(holdsToken(text)).toBe(false);
  });

  it("writes nothing without the option", async () => {
    const { cli, file } = await openScene(() => ({ status: 200, body: { data: [] } }));
    await cli.run("currencies", "list");
    expect(existsSync(file)).toBe(false);
  });
});
