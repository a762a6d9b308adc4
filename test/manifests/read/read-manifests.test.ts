/** Which files are read, where layout files may be, and the problems of files that can't be read. */

import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { timed } from "../../cpu-time.ts";
import { MAX_FILES } from "../../../src/manifests/read/files.ts";
import { type ManifestSet, readManifests } from "../../../src/manifests/read/read-manifests.ts";
import { reasonOnWindows } from "../../skip.ts";
import { temporaryFolder } from "../../temporary.ts";

type Scene = {
  root: string;
  file: (path: string, content: string | Uint8Array) => void;
  read: (...paths: string[]) => Promise<ManifestSet>;
  env: Record<string, string>;
};

function openScene(): Scene {
  const { path: home, remove } = temporaryFolder();
  onTestFinished(remove);
  const root = join(home, "project");
  mkdirSync(root);
  const env: Record<string, string> = {};
  return {
    root,
    env,
    file(path, content) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    read: (...paths) => readManifests({ paths, cwd: root, root, env }),
  };
}

const form = (name: string, more = "") =>
  `kind: Form\nobject: staffing/candidate\nname: ${name}\ntypes: [VIEW]\n${more}${more && "\n"}`;
const LAYOUT = `schemaVersion: 1
regions: [{ key: main, label: Main, layout: stack }]
blocks: [{ id: one, type: comments, source: system, regionKey: main }]
`;

const names = ({ manifests }: ManifestSet) => manifests.map(({ name }) => name);
const located = ({ problems }: ManifestSet) =>
  problems.map(({ file, line, column, code }) => `${file}:${line}:${column} ${code}`);

describe("a folder", () => {
  it("is read recursively in the order of names, without hidden files and node_modules", async () => {
    const { file, read } = openScene();
    file("m/b.yaml", form("b"));
    file("m/Z.yml", form("Z"));
    file("m/ä.json", JSON.stringify({ kind: "Form", object: "a/b", name: "ä", types: ["VIEW"] }));
    file("m/a/deep/er/x.yaml", `${form("x1")}---\n${form("x2")}`);
    file("m/\uff5e.yaml", form("last"));
    file("m/😀.yaml", form("smile"));
    file("m/.git/c.yaml", form("git"));
    file("m/.hidden.yaml", form("hidden"));
    file("m/node_modules/p/c.yaml", form("installed"));
    file("m/README.md", "# not a manifest");
    file("m/formctl.yaml", "manifests: .");
    const set = await read("m");
    expect(names(set)).toEqual(["Z", "x1", "x2", "b", "ä", "smile", "last"]);
    expect(located(set)).toEqual([]);
    // The order is that of code units: the first one of the emoji is lower than that of the wave.
    const last = ["m/ä.json", "m/😀.yaml", "m/\uff5e.yaml"];
    expect(set.files).toEqual(["m/Z.yml", "m/a/deep/er/x.yaml", "m/b.yaml", ...last]);
  });

  it("is read once per file, also where several paths lead to a file", async () => {
    const { root, file, read } = openScene();
    file("m/a.yaml", form("a"));
    symlinkSync(join(root, "m", "a.yaml"), join(root, "m", "z.yaml"));
    symlinkSync(join(root, "m"), join(root, "m", "again"));
    const set = await read("m", "m/a.yaml", "./m");
    expect(names(set)).toEqual(["a"]);
    expect(located(set)).toEqual([]);
  });

  it("is read through links inside of the project, not through links to the outside", async () => {
    const { root, file, read } = openScene();
    file("shared/s.yaml", form("shared"));
    file("m/a.yaml", form("a"));
    file("../elsewhere/secret.yaml", form("secret"));
    symlinkSync(join(root, "shared"), join(root, "m", "linked"));
    symlinkSync(join(root, "..", "elsewhere"), join(root, "m", "out"));
    symlinkSync(join(root, "..", "elsewhere", "secret.yaml"), join(root, "m", "out.yaml"));
    symlinkSync(join(root, "nowhere.yaml"), join(root, "m", "dead.yaml"));
    symlinkSync("loop.yaml", join(root, "m", "loop.yaml"));
    const set = await read("m");
    expect(names(set)).toEqual(["a", "shared"]);
    expect(located(set)).toEqual([
      "m/dead.yaml:1:1 PATH_MISSING",
      "m/loop.yaml:1:1 PATH_UNREADABLE",
      "m/out:1:1 PATH_OUTSIDE",
      "m/out.yaml:1:1 PATH_OUTSIDE",
    ]);
    expect([...set.sources.values()].join("")).not.toContain("secret");
  });

  it("is read without waiting for sockets and devices", async ({ skip }) => {
    skip(reasonOnWindows !== undefined, reasonOnWindows);
    const { root, file, read } = openScene();
    file("m/a.yaml", form("a"));
    const socket = createServer().listen(join(root, "m", "socket.yaml"));
    onTestFinished(() => void socket.close());
    await once(socket, "listening");
    const set = await read("m", "/dev/zero");
    expect(names(set)).toEqual(["a"]);
    expect(located(set)).toEqual(["/dev/zero:1:1 PATH_UNREADABLE", "m/socket.yaml:1:1 PATH_UNREADABLE"]);
  });

  it(`is read up to ${MAX_FILES} files`, async () => {
    const { root, read } = openScene();
    for (let index = 0; index < MAX_FILES + 2; index++) writeFileSync(join(root, `${index}.yaml`), "kind: Form\n");
    const set = await read(".");
    expect(set.files).toHaveLength(MAX_FILES);
    expect(set.problems.filter(({ code }) => code === "PATH_LIMIT")).toHaveLength(1);
  });
});

describe("a given path", () => {
  it("outside the project is a project of its own", async () => {
    const { root, file, read } = openScene();
    file("../other/a.yaml", form("a", "layout: ./a.layout.yaml"));
    file("../other/a.layout.yaml", LAYOUT);
    file("../other/b.yaml", form("b", "layout: ../project/b.layout.yaml"));
    file("b.layout.yaml", LAYOUT);
    const set = await read(join(root, "..", "other"));
    expect(names(set)).toEqual(["a", "b"]);
    expect(set.problems.map(({ code }) => code)).toEqual(["LAYOUT_OUTSIDE"]);
    expect(set.manifests[0]!.content?.blocks).toHaveLength(1);
  });

  it("that does not exist is reported with all other problems", async () => {
    const { file, read } = openScene();
    file("a.yaml", "kind: Fomr");
    expect(located(await read("nowhere", "a.yaml"))).toEqual(["a.yaml:1:7 MANIFEST_KIND", "nowhere:1:1 PATH_MISSING"]);
  });

  it("- is standard input, whose layout files are relative to the working directory", async () => {
    const { root, file } = openScene();
    file("card.layout.yaml", LAYOUT);
    const readStdin = async () => Buffer.from(form("piped", "layout: card.layout.yaml"));
    const set = await readManifests({ paths: ["-"], cwd: root, root, env: {}, readStdin });
    expect(set.manifests).toMatchObject([{ name: "piped", file: "<stdin>", layoutFile: "card.layout.yaml" }]);
    expect(located(set)).toEqual([]);
  });
});

describe("a layout file", () => {
  it("is read once for all manifests that reference it, and problems have its lines", async () => {
    const { file, read } = openScene();
    file(
      "m/a.yaml",
      `${form("a", "layout: ../shared/x.layout.yaml")}---\n${form("b", "layout: ../shared/x.layout.yaml")}`,
    );
    file("shared/x.layout.yaml", LAYOUT);
    const set = await read("m");
    const [a, b] = set.manifests;
    expect(set.files).toEqual(["m/a.yaml", "shared/x.layout.yaml"]);
    expect(a!.content).toBe(b!.content);
    const locate = (path: string) => b!.locate({ severity: "error", code: "X", message: "", path });
    const inLayout = { file: "shared/x.layout.yaml", line: 3, column: 64, path: "blocks[0].regionKey" };
    expect(locate("layout.blocks[0].regionKey")).toMatchObject(inLayout);
    expect(locate("layout")).toMatchObject({ file: "m/a.yaml", line: 11, column: 9 });
    expect(locate("name")).toMatchObject({ file: "m/a.yaml", line: 9, column: 7 });
    expect(locate("")).toMatchObject({ file: "m/a.yaml", line: 7, column: 1 });
  });

  it("may have any name if a manifest references it", async () => {
    const { file, read } = openScene();
    file("m/a.yaml", "schemaVersion: 1\nregions: []\nblocks: []\n");
    file("m/z.yaml", form("z", "layout: a.yaml"));
    const set = await read("m");
    expect(located(set)).toEqual([]);
    expect(set.manifests[0]!.layoutFile).toBe("m/a.yaml");
  });

  it("that is not YAML is reported once", async () => {
    const { file, read } = openScene();
    file("m/a.yaml", "regions: [");
    file("m/z.yaml", `${form("y", "layout: a.yaml")}---\n${form("z", "layout: a.yaml")}`);
    const set = await read("m");
    expect(located(set)).toEqual(["m/a.yaml:1:11 YAML_SYNTAX"]);
    expect(names(set)).toEqual(["y", "z"]);
  });

  it.each([
    ["../../secret.yaml", "LAYOUT_OUTSIDE"],
    ["/etc/passwd", "LAYOUT_OUTSIDE"],
    [String.raw`C:\secret.yaml`, "LAYOUT_OUTSIDE"],
    [String.raw`\\host\share\x.yaml`, "LAYOUT_OUTSIDE"],
    ["../project-of-others/x.yaml", "LAYOUT_OUTSIDE"],
    ["out.yaml", "LAYOUT_OUTSIDE"],
    ["sub", "LAYOUT_FILE_MISSING"],
    ["m/x.yaml/y.yaml", "LAYOUT_FILE_MISSING"],
    ["a\\0b", "LAYOUT_FILE_MISSING"],
  ])("can't be %s", async (path, code) => {
    const { root, file, read } = openScene();
    file("../secret.yaml", LAYOUT);
    file("../project-of-others/x.yaml", LAYOUT);
    file("sub/x.txt", "");
    symlinkSync(join(root, "..", "secret.yaml"), join(root, "out.yaml"));
    file("a.yaml", form("a", `layout: '${path}'`));
    const set = await read("a.yaml");
    expect(located(set)).toEqual([`a.yaml:5:9 ${code}`]);
    expect(set.manifests[0]!.content).toBeUndefined();
  });
});

it("refuses a file larger than 4 MiB without reading it", async () => {
  const { root, file, read } = openScene();
  file("ok.yaml", form("ok"));
  file("huge.yaml", "");
  truncateSync(join(root, "huge.yaml"), 5 * 1024 ** 3);
  const { result: set, busy } = await timed(() => read("."));
  // Reading 5 GiB would take longer.
  expect(busy).toBeLessThan(1000);
  expect(located(set)).toEqual(["huge.yaml:1:1 FILE_TOO_LARGE"]);
  rmSync(join(root, "huge.yaml"));
});

it("reports 500 problems of one file, and that there are more", async () => {
  const { file, read } = openScene();
  file("m/a.yaml", "kind: Form\n---\n".repeat(400));
  file("m/b.yaml", "kind: Fomr\n");
  file("m/c.yaml", form("c", "layout: c.layout.yaml"));
  file("m/c.layout.yaml", `schemaVersion: 1\nregions: []\nblocks:\n${"  - {}\n".repeat(300)}`);
  const set = await read("m");
  const counts = Object.groupBy(set.problems, ({ file: name }) => name);
  expect(counts["m/a.yaml"]).toHaveLength(501);
  expect(counts["m/a.yaml"]!.at(-1)).toMatchObject({ code: "TOO_MANY_PROBLEMS", line: 333 });
  expect(counts["m/b.yaml"]).toHaveLength(1);
  expect(counts["m/c.layout.yaml"]).toHaveLength(501);
});

it("reports 500 problems of a layout with 200,000 wrong blocks", async () => {
  const { file, read } = openScene();
  const blocks = (first: string) => `blocks:\n    - ${first}\n${"    - 1\n".repeat(200_000)}`;
  file("m/a.yaml", form("a", `layout:\n  schemaVersion: 1\n  regions: []\n  ${blocks("1")}`));
  file("m/b.yaml", form("b", `layout:\n  schemaVersion: 1\n  regions: []\n  ${blocks("${NONE:-1}")}`));
  const { problems } = await read("m");
  expect(problems).toHaveLength(2 * 501);
});

it("reports every problem of every file in one run", async () => {
  const { file, read } = openScene();
  for (let index = 0; index < 50; index++) file(`m/${index}.yaml`, "kind: Form\nname: x\ntypes: [VEIW]\n");
  const set = await read("m");
  expect(set.problems).toHaveLength(100);
  expect(new Set(set.problems.map(({ file: name }) => name)).size).toBe(50);
});
