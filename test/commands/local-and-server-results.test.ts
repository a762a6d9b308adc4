/**
 * Tests command lines on a local store and on a server with such a store. The documents and exit codes are the same.
 */

import { expect, it } from "vitest";
import { type Cli, openCli } from "./cli.ts";
import { fixture } from "./layouts-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

const CANDIDATE = "staffing/candidate";
const PROFILE = `${CANDIDATE}/Candidate profile`;
const ROLE = "$ROLE";
const PAGE = "$PAGE";

/** Typical command lines, some of which fail. A word with `$` at its start is replaced by an id. */
const STORY: string[][] = [
  ["forms", "list", CANDIDATE],
  ["forms", "create", CANDIDATE, "--name", "Candidate profile", "--types", "VIEW,EDIT", "--title", "Profile"],
  ["forms", "create", CANDIDATE, "--name", "Candidate intake", "--types", "CREATE", "--public", "--inactive"],
  ["forms", "create", CANDIDATE, "-f", "form.json"],
  ["forms", "create", "staffing/placement_milestone", "--name", "No", "--types", "VIEW"],
  ["forms", "create", "staffing/nothing", "--name", "No", "--types", "VIEW"],
  ["forms", "create", CANDIDATE, "--name", "", "--types", "VIEW"],
  ["forms", "list", CANDIDATE],
  ["forms", "list", CANDIDATE, "--page", "2", "--limit", "1", "--sort", "name"],
  ["forms", "list", CANDIDATE, "--filter", "isPublic=true"],
  ["forms", "available", CANDIDATE, "--type", "VIEW"],
  ["forms", "get", PROFILE],
  ["forms", "get", `${CANDIDATE}/Nobody`],
  ["forms", "update", PROFILE, "--description", "All of it"],
  ["forms", "update", PROFILE, "--remove-type", "VIEW", "--dry-run"],
  ["layouts", "draft", "show", PROFILE],
  ["layouts", "publish", PROFILE],
  ["layouts", "draft", "push", PROFILE, "draft.yaml"],
  ["layouts", "draft", "push", PROFILE, "draft.yaml", "--expect-draft", "ver_none"],
  ["layouts", "publish", PROFILE],
  ["layouts", "publish", PROFILE],
  ["layouts", "versions", "list", PROFILE],
  ["layouts", "versions", "get", PROFILE, "latest"],
  ["layouts", "versions", "restore", PROFILE, "1", "--publish"],
  ["layouts", "get", PROFILE],
  ["layouts", "update", PROFILE, "--name", "Card"],
  ["layouts", "archive", PROFILE, "--allow-delete"],
  ["forms", "defaults", "set", CANDIDATE, "VIEW=Candidate profile"],
  ["forms", "defaults", "set", CANDIDATE, "CREATE=Candidate intake"],
  ["forms", "defaults", "show", CANDIDATE],
  ["forms", "access", "grant", PROFILE, "--role", ROLE, "--types", "VIEW"],
  ["forms", "access", "show", PROFILE],
  ["forms", "access", "grant", PROFILE, "--role", ROLE, "--types", "CREATE"],
  ["forms", "access", "revoke", PROFILE, "--role", ROLE],
  ["forms", "access", "clear", PROFILE, "--yes"],
  ["forms", "delete", PROFILE, "--allow-delete"],
  ["forms", "delete", PROFILE, "--clear-defaults"],
  ["forms", "delete", PROFILE, "--clear-defaults", "--allow-delete"],
  ["forms", "delete", PROFILE, "--if-exists", "--allow-delete"],
  ["forms", "delete", PROFILE, "--allow-delete"],
  ["layouts", "create", "--surface", "ORGANIZATION", "--modes", "VIEW", "--name", "Page"],
  ["layouts", "create", "--surface", "DASHBOARD", "--modes", "VIEW", "--name", "No"],
  ["layouts", "list"],
  ["layouts", "surfaces", "ORGANIZATION"],
  ["layouts", "assignments", "set", PAGE, "--default", "--role", `${ROLE}=5`],
  ["layouts", "assignments", "show", PAGE],
  ["layouts", "archive", PAGE, "--allow-delete"],
  ["layouts", "get", PAGE],
  ["currencies", "list", "--search", "euro"],
  ["currencies", "get", "XYZ"],
  ["forms", "nothing"],
];

type Told = { argv: string; code: number; document: string };

/** Runs the command lines and returns their documents. Each id is replaced by its order of appearance. */
async function play(cli: Cli, roleId: string): Promise<Told[]> {
  const body = { name: "From a file", types: ["VIEW"], config: { title: "File" } };
  cli.file("form.json", body);
  cli.file("draft.yaml", fixture("candidate-profile.yaml"));
  const ids = new Map<string, string>([[roleId, "ROLE"]]);
  let pageId = "";
  const told: Told[] = [];
  for (const [index, line] of STORY.entries()) {
    // The time depends only on the command's index, so timestamps are the same on both targets.
    cli.clock.now = new Date(Date.UTC(2026, 2, 2, 9, index));
    const argv = line.map((word) => word.replace(ROLE, roleId).replace(PAGE, pageId));
    const { code, stdout, stderr } = await cli.run(...argv, "-o", "json", "--quiet");
    if (line.includes("Page")) pageId = (JSON.parse(stdout) as { id: string }).id;
    const document = (stdout || stderr)
      .replace(/\b[a-z]{3}_[a-z0-9]{24}\b/g, (id) => {
        if (!ids.has(id)) ids.set(id, `id ${ids.size}`);
        return ids.get(id)!;
      })
      // Only a server has request ids.
      .replace(/,\s*"requestId": ?"[^"]+"/, "")
      // A server doesn't report the number of uploaded files, so only its message has this text.
      .replace("; every file that was uploaded through it", "")
      // Each command creates a new `clientMutationId`.
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "mutation")
      .replace(/"publicToken": "[^"]+"/g, '"publicToken": "random"');
    told.push({ argv: line.join(" "), code, document });
  }
  return told;
}

it("gives the same output on a local store and a server", async () => {
  const local = await openCli();
  const { cli: remote } = await openRemoteScene();
  const role = async (cli: Cli) =>
    cli.behind(async (_service, store) => {
      const { organizations } = await store.show();
      return organizations.find(({ key }) => key === "northwind")!.roles[0]!.id;
    });
  const here = await play(local, await role(local));
  remote.env["FORMCTL_ORGANIZATION"] = "northwind";
  const roleId = await role(remote);
  delete remote.env["FORMCTL_ORGANIZATION"];
  const there = await play(remote, roleId);
  expect(there).toEqual(here);
  expect(new Set(here.map(({ code }) => code))).toEqual(new Set([0, 3, 5, 6, 8, 64]));
});
