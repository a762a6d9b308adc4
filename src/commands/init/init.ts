/** `formctl init`: sets up the first use, with the demo store or with a server. */

import { FormctlError } from "../../base/error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { refuseIntoAlone } from "../local/example-files.ts";
import { printStore } from "../local/init.ts";
import { type DemoSetup, setUpDemo } from "./demo.ts";
import { type InitOptions, initOptions } from "./options.ts";
import type { ServerSetup } from "./server.ts";

export default defineCommand({
  details: `On a terminal, the command asks for everything that the options leave open, and writes nothing before the last question.
Without a terminal, specify --demo, or --base-url with --profile and --token-file.

For a server, the command runs the checks of formctl doctor first, and writes nothing if one fails. It then saves the profile and
the token, makes the profile the default if there is no default, and writes the project file if you want one. An existing project
file is not changed. The command can be run again.`,
  examples: [
    "formctl init",
    "formctl init --demo --into examples",
    "formctl init --base-url https://forms.example.com --profile prod --token-file ./token.txt",
    "formctl init --base-url https://forms.example.com --profile prod --token-file ./token.txt --project",
  ],
  args: {},
  options: initOptions,
  writes: "store",
  async run(context, typed): Promise<DemoSetup | ServerSetup> {
    refuseContradictions(context, typed);
    refuseIntoAlone(typed);
    const start = await chooseStart(context, typed);
    if (start === "demo") return setUpDemo(context, { isAsked: !typed.demo, into: typed.into });
    return (await import("./server.ts")).setUpServer(context, typed);
  },
  view: (result, terminal) => (result.kind === "demo" ? printStore(result, terminal) : printServer(result, terminal)),
  document: ({ next: _next, ...result }) => result,
  names: (result) => [result.kind === "demo" ? result.store : result.profile],
  done: (result) => ({
    text: result.kind === "demo" ? `the local store ${result.store} exists` : `the profile ${result.profile} is saved`,
  }),
  next: ({ next }) => next,
});

function refuseContradictions({ settings, tokenFile }: CommandContext, typed: InitOptions): void {
  const given = (options: Readonly<Record<string, unknown>>) =>
    Object.keys(options).find((name) => options[name] !== undefined && options[name] !== false);
  const ofServer = given({
    "--base-url": typed.baseUrl,
    "--profile": settings.at("flag", "profile"),
    "--token-file": tokenFile,
    "--project": typed.project,
    "--object": typed.object,
    "--manifests": typed.manifests,
  });
  const ofDemo = given({
    "--demo": typed.demo,
    "--into": typed.into,
    "--store": settings.at("flag", "store"),
    "--organization": settings.at("flag", "organization"),
  });
  if (ofServer === undefined || ofDemo === undefined) return;
  throw new FormctlError("USAGE", `${ofDemo} and ${ofServer} can't be combined`, "Remove one of them.");
}

async function chooseStart(context: CommandContext, typed: InitOptions): Promise<"demo" | "server"> {
  const { prompter, settings, tokenFile } = context;
  if (typed.demo) return "demo";
  const { baseUrl, project, object, manifests } = typed;
  const ofServer = [baseUrl, settings.at("flag", "profile"), tokenFile, object, manifests];
  if (project || ofServer.some((value) => value !== undefined)) return "server";
  if (!prompter)
    throw new FormctlError(
      "USAGE",
      "missing option --demo or --base-url",
      `For the demo: formctl init --demo
For a server: formctl init --base-url URL --profile NAME --token-file FILE`,
    );
  const start = await prompter.select("How do you want to start?", [
    {
      name: "Try it with the demo store",
      value: "demo",
      description: "Creates a file on this machine that contains an example organization",
    },
    { name: "Connect to a server", value: "server", description: "You need its base URL and a token" },
  ]);
  return start === "demo" ? "demo" : "server";
}

function printServer({ profile, baseUrl, isDefault, token, project }: ServerSetup, terminal: Terminal): void {
  terminal.line(`Saved the profile ${profile} for ${baseUrl}.`);
  if (isDefault) terminal.line(`Commands use the profile ${profile} by default.`);
  terminal.line(`The token is stored in ${token.text}.`);
  if (project !== null) terminal.line(`Wrote ${project}.`);
}
