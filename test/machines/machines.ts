/** The machines of `npm run test:machines`, as data. Each one differs in one way from the machine of a developer. */

import { globSync } from "node:fs";
import { join } from "node:path";

export type Machine = {
  name: string;
  description: string;
  /** The user who runs the tests. "ordinary": another user than root, see ordinary-user.ts. */
  user: "ordinary" | "present" | "root";
  /** The home of the user, which contains the clone. Other users can't enter a private one. */
  home: { name: string; isPrivate: boolean };
  /** Whether node_modules is a copy of ours. Otherwise, the commands install it from a cache. */
  hasNodeModules: boolean;
  /** What root changes in the namespaces of the machine: further options of `unshare`, and a shell line. */
  namespaces?: { options: readonly string[]; line: string };
  /** Programs that PATH lacks. */
  hidden?: RegExp;
  /** Packages of npm whose programs are first in PATH. */
  programs?: readonly string[];
  /** The shell lines that the user types in the clone. */
  commands: Record<Step, string>;
};

export const STEPS = ["set-up", "demo", "tests"] as const;
export type Step = (typeof STEPS)[number];

/** The tests that depend on the machine: they start programs, servers, terminals and browsers, or use its disks. */
const FILES = [
  "test/commands/export.test.ts",
  "test/config/keychain.test.ts",
  "test/disk/*.test.ts",
  "test/e2e/{completion,edit,init,old-node,pager,postgres,private-files,readme,rehearse}.test.ts",
  "test/e2e/{serve-drain,small-disk,stdin,streams}.test.ts",
  "test/loading.test.ts",
  "test/package.test.ts",
  "test/preview/{open-browser,page}.test.ts",
  "test/pty.test.ts",
  "test/base/shell-quote.test.ts",
  "test/store/file-faults.test.ts",
  "test/store/postgres/server.test.ts",
  "test/composition/system-host.test.ts",
];

/** @param test how the tests are started. With CI=1, they fail if one is skipped for a reason that CI does not expect */
function commandsAfter(setUp: string, test = "CI=1 npm test"): Machine["commands"] {
  const files = FILES.flatMap((pattern) => {
    const found = globSync(pattern, { cwd: join(import.meta.dirname, "..", "..") });
    if (found.length === 0) throw new Error(`no test file matches ${pattern}`);
    return found;
  });
  return { "set-up": setUp, demo: "npm run demo -- --all", tests: `${test} -- ${files.join(" ")}` };
}

const COPIED = { hasNodeModules: true, commands: commandsAfter("npm run build") };
const INSTALLED = { hasNodeModules: false, commands: commandsAfter("npm ci") };
const PLAIN = { user: "present", home: { name: "home", isPrivate: false } } as const;

export const MACHINES: readonly Machine[] = [
  {
    name: "user",
    description: "an ordinary user in a private folder with a space in its name",
    user: "ordinary",
    home: { name: "private home", isPrivate: true },
    ...COPIED,
  },
  {
    name: "root",
    description: "root in a private folder",
    user: "root",
    home: { name: "home", isPrivate: true },
    ...INSTALLED,
  },
  {
    name: "small-memory",
    description: "a /dev/shm of 64 MB, as in a container",
    ...PLAIN,
    ...COPIED,
    namespaces: { options: [], line: "mount -o remount,size=64m /dev/shm" },
  },
  {
    name: "no-network",
    description: "no network, and the packages in the cache of npm",
    ...PLAIN,
    ...INSTALLED,
    namespaces: { options: ["--net"], line: "ip link set lo up" },
  },
  {
    name: "no-git",
    description: "no git in PATH",
    ...PLAIN,
    hasNodeModules: true,
    commands: commandsAfter("npm run build", "npm test"),
    hidden: /^git/,
  },
  // Each Node comes with its own npm, which the package does not contain.
  ...[
    { node: "20.19.0", npm: "10.8.2" },
    { node: "22.12.0", npm: "10.9.0" },
    { node: "26", npm: "11" },
  ].map(({ node, npm }) => ({
    name: `node-${node.split(".")[0]}`,
    description: `Node ${node} as the machine's own Node`,
    ...PLAIN,
    ...INSTALLED,
    programs: [`node@${node}`, `npm@${npm}`],
  })),
];
