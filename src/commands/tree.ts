/** The tree of commands. The definition of a command is loaded when the command or its help is requested. */

import type { Command } from "./command.ts";

/** A command. `about` is its description in its own help and in the help of its group. */
export type Leaf = { about: string; load: () => Promise<{ default: Command }> };
/** A group of commands. `details` are paragraphs that its help prints after the commands. */
export type Group = { about: string; commands: Record<string, Leaf | Group>; details?: string };

export function isGroup(node: Leaf | Group): node is Group {
  return "commands" in node;
}

/** Short names that every group accepts for its commands. */
const ALIASES: Readonly<Record<string, string>> = { list: "ls", delete: "rm", remove: "rm", archive: "rm" };

export function aliasOf(name: string): string | undefined {
  return Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;
}

/**
 * Returns the name of the command with the name or alias `word`. Returns undefined if the group has no such command.
 */
export function nameIn({ commands }: Group, word: string): string | undefined {
  return Object.hasOwn(commands, word) ? word : Object.keys(commands).find((name) => aliasOf(name) === word);
}

/**
 * Returns the command or group that the words name, with one word for each level. Returns undefined if it does not
 * exist.
 */
export function findNode(words: readonly string[]): Leaf | Group | undefined {
  let node: Leaf | Group | undefined = tree;
  for (const word of words) {
    if (!node || !isGroup(node)) return undefined;
    node = node.commands[nameIn(node, word) ?? ""];
  }
  return node;
}

const leaf = (about: string, load: Leaf["load"]): Leaf => ({ about, load });
const group = (about: string, commands: Group["commands"], details?: string): Group => ({
  about,
  commands,
  ...(details !== undefined && { details }),
});

const FROM_PUBLISHED_TO_EDITED = `To change a published layout, edit it and publish the result:

  formctl layouts edit LAYOUT --publish

Or work on a file, such as one in a repository, and save the draft after each change of the file:

  formctl layouts versions get LAYOUT latest --as-draft > draft.yaml
  formctl layouts draft push LAYOUT draft.yaml --watch
  formctl layouts versions diff LAYOUT latest draft
  formctl layouts publish LAYOUT`;

export const tree: Group = group("Administer custom object forms, view layouts and the currency catalog.", {
  forms: group("Manage forms of custom objects", {
    list: leaf("List the forms of an object", () => import("./forms/list.ts")),
    available: leaf("List the active forms of an object", () => import("./forms/available.ts")),
    get: leaf("Show a form", () => import("./forms/get.ts")),
    wait: leaf("Wait until a form can be used", () => import("./forms/wait.ts")),
    edit: leaf("Edit a form in your editor", () => import("./forms/edit.ts")),
    create: leaf("Create a form and its layout", () => import("./forms/create.ts")),
    update: leaf("Change a form", () => import("./forms/update.ts")),
    delete: leaf("Delete a form, its layout and its uploaded files", () => import("./forms/delete.ts")),
    defaults: group("Manage the default forms of an object", {
      show: leaf("Show the default forms of an object", () => import("./forms/defaults-show.ts")),
      set: leaf("Set the default forms of an object", () => import("./forms/defaults-set.ts")),
      clear: leaf("Clear the default forms of modes", () => import("./forms/defaults-clear.ts")),
    }),
    access: group("Manage access of members and roles to a form", {
      show: leaf("Show who has access to a form", () => import("./forms/access-show.ts")),
      set: leaf("Replace the access matrix from a file", () => import("./forms/access-set.ts")),
      grant: leaf("Grant access to a role or member", () => import("./forms/access-grant.ts")),
      revoke: leaf("Revoke access of a role or member", () => import("./forms/access-revoke.ts")),
      clear: leaf("Remove all access rows", () => import("./forms/access-clear.ts")),
    }),
  }),
  layouts: group(
    "Manage view layouts, drafts and versions",
    {
      list: leaf("List layouts, oldest first", () => import("./layouts/list.ts")),
      get: leaf("Show a layout", () => import("./layouts/get.ts")),
      edit: leaf("Edit the draft of a layout in your editor", () => import("./layouts/edit.ts")),
      create: leaf("Create a layout that no form owns", () => import("./layouts/create.ts")),
      update: leaf("Change a layout's name, metadata or modes", () => import("./layouts/update.ts")),
      archive: leaf("Archive a layout permanently", () => import("./layouts/archive.ts")),
      surfaces: leaf("List surfaces (page families) with their default regions", () => import("./layouts/surfaces.ts")),
      preview: leaf("Draw a layout as its users see it", () => import("./layouts/preview.ts")),
      resolve: leaf("Show the layout that a member sees (local store only)", () => import("./layouts/resolve.ts")),
      draft: group("Manage the draft of a layout", {
        push: leaf("Save a draft from a YAML or JSON file", () => import("./layouts/draft-push.ts")),
        show: leaf("Show the draft", () => import("./layouts/draft-show.ts")),
        scaffold: leaf("Write a first draft with a block for every field", () => import("./layouts/draft-scaffold.ts")),
      }),
      publish: leaf("Publish the draft of a layout", () => import("./layouts/publish.ts")),
      versions: group("Manage the versions of a layout", {
        list: leaf("List the versions of a layout, newest first", () => import("./layouts/versions-list.ts")),
        get: leaf("Show a version", () => import("./layouts/versions-get.ts")),
        diff: leaf("Compare two versions", () => import("./layouts/versions-diff.ts")),
        restore: leaf("Copy a version into the draft", () => import("./layouts/versions-restore.ts")),
      }),
      assignments: group("Manage the assignments of a layout", {
        show: leaf("Show the assignments of a layout", () => import("./layouts/assignments-show.ts")),
        set: leaf("Replace the assignments of a layout", () => import("./layouts/assignments-set.ts")),
      }),
    },
    FROM_PUBLISHED_TO_EDITED,
  ),
  validate: leaf("Check manifests without a server", () => import("./manifests/validate.ts")),
  plan: leaf("Show the changes needed to match the manifests", () => import("./manifests/plan.ts")),
  apply: leaf("Apply manifests or a saved plan", () => import("./manifests/apply.ts")),
  status: leaf("Show differences between manifests and the target", () => import("./manifests/status.ts")),
  export: leaf("Export forms and layouts as manifests", () => import("./manifests/export.ts")),
  diff: leaf("Compare two servers or stores", () => import("./diff.ts")),
  promote: leaf("Copy forms and layouts to another server or store", () => import("./promote.ts")),
  schema: leaf("Print or write the JSON Schemas of files", () => import("./manifests/schema.ts")),
  rehearse: leaf("Run a script with a copy of the target", () => import("./rehearse.ts")),
  codemod: leaf("Apply a migration to manifests and layout files", () => import("./codemod.ts")),
  explain: leaf("Describe a field of a manifest, a layout or another file", () => import("./explain.ts")),
  currencies: group("Show the currency catalog", {
    list: leaf("List the supported currencies", () => import("./currencies/list.ts")),
    get: leaf("Show a currency", () => import("./currencies/get.ts")),
  }),
  migrate: group("Run migrations of forms and layouts once on each target", {
    new: leaf("Write a new migration file", () => import("./migrate/new.ts")),
    plan: leaf("Show what the due migrations would change", () => import("./migrate/plan.ts")),
    run: leaf("Run the migrations that are due", () => import("./migrate/run.ts")),
    down: leaf("Revert the newest migrations", () => import("./migrate/down.ts")),
    status: leaf("Show which migrations ran on the target", () => import("./migrate/status.ts")),
    baseline: leaf("Declare migrations as done without running them", () => import("./migrate/baseline.ts")),
    repair: leaf("Correct the record of migrations", () => import("./migrate/repair.ts")),
  }),
  local: group("Manage the local store: the whole service in a file or a database", {
    init: leaf("Create the local store", () => import("./local/init.ts")),
    seed: leaf("Add organizations, objects, roles and members from a file", () => import("./local/seed.ts")),
    show: leaf("Show the organizations in the store", () => import("./local/show.ts")),
    log: leaf("Show the log of writes, newest first", () => import("./local/log.ts")),
    check: leaf("Check the integrity of the store", () => import("./local/check.ts")),
    backup: leaf("Copy the store into a file", () => import("./local/backup.ts")),
    copy: leaf("Copy a store into another file or database", () => import("./local/copy.ts")),
    restore: leaf("Replace the store with a backup", () => import("./local/restore.ts")),
    reset: leaf("Delete everything in the store", () => import("./local/reset.ts")),
    tokens: group("Manage the API tokens of an organization", {
      create: leaf("Create a token and show it once", () => import("./local/tokens-create.ts")),
      list: leaf("List tokens", () => import("./local/tokens-list.ts")),
      revoke: leaf("Revoke a token", () => import("./local/tokens-revoke.ts")),
    }),
    uploads: group("Manage files uploaded through public forms", {
      add: leaf("Add a file to a public form", () => import("./local/uploads-add.ts")),
      list: leaf("List the files uploaded through a form", () => import("./local/uploads-list.ts")),
    }),
  }),
  init: leaf("Set up formctl with the demo store or a server", () => import("./init/init.ts")),
  serve: leaf("Serve the local store over HTTP", () => import("./serve.ts")),
  auth: group("Manage stored tokens for servers", {
    login: leaf("Store a token for a server", () => import("./auth/login.ts")),
    logout: leaf("Delete the stored token for a server", () => import("./auth/logout.ts")),
    status: leaf("Show which token is used for a server", () => import("./auth/status.ts")),
  }),
  profiles: group("Manage profiles (saved servers and stores)", {
    list: leaf("List the profiles", () => import("./profiles/list.ts")),
    add: leaf("Add or change a profile", () => import("./profiles/add.ts")),
    use: leaf("Set the default profile", () => import("./profiles/use.ts")),
    remove: leaf("Remove a profile", () => import("./profiles/remove.ts")),
  }),
  config: group("Manage settings", {
    list: leaf("List all settings with their values and sources", () => import("./config/list.ts")),
    get: leaf("Print one setting", () => import("./config/get.ts")),
    set: leaf("Change a setting in your user file", () => import("./config/set.ts")),
    unset: leaf("Remove a setting from your user file", () => import("./config/unset.ts")),
    path: leaf("Print the settings files, in order of precedence", () => import("./config/path.ts")),
  }),
  api: leaf("Send a request and print the response", () => import("./api.ts")),
  completion: leaf("Print the completion script of a shell", () => import("./completion/print-script.ts")),
  doctor: leaf("Check settings, server, token and store", () => import("./doctor.ts")),
  help: leaf("Show the help of a command or a topic", () => import("./help.ts")),
});
