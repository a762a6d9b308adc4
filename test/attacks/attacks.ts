/** Every attack that was tried on formctl and would gain something without its guard. */

import type { Attack } from "./attack.ts";

export const ATTACKS: readonly Attack[] = [
  {
    name: "plant compiled code in the folder for temporary files",
    position: "user of the machine",
    prize: "runs code as the operator at the next command",
    rule: "No code is loaded from a folder that another user can write; Node's compile cache is off.",
    test: { file: "test/e2e/planted-code.test.ts", title: "runs no compiled code from the folder for temporary files" },
    control: "control: with Node's compile cache in that folder, the planted code runs",
  },
  {
    name: "plant a repository with migrations in /tmp",
    position: "user of the machine",
    prize: "runs code as the operator of a folder below /tmp",
    rule: "A file of another user in a folder that every user can write is not trusted.",
    test: {
      file: "test/e2e/planted-files.test.ts",
      title: "runs no migration of a repository that another user plants above the working directory",
    },
    control: { file: "src/disk/owners.ts", from: "uid !== 0 && uid !== process.getuid!()", to: "uid < 0" },
  },
  {
    name: "plant a package above the migrations of the operator",
    position: "user of the machine",
    prize: "runs code as the operator",
    rule: "The owner of each module that a migration imports is checked.",
    test: {
      file: "test/e2e/planted-files.test.ts",
      title: "loads no package that another user plants above a migration of the operator",
    },
    control: { file: "src/migrations/import-module.ts", from: 'resolved.url.startsWith("file:")', to: "false" },
  },
];
