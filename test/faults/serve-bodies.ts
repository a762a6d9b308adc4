/**
 * Sends bodies at their limits and beyond. No body may be answered with 500. No body may block the event loop for 200
 * ms.
 */

import { MAX_BLOCKS, MAX_REGIONS, MAX_SCRIPT_BINDINGS, MAX_STAGED_FIELDS } from "../../src/schemas/words.ts";
import { type Served, startServed } from "../server/served.ts";

/** The maximum time for which a body may block the event loop, in milliseconds of processor time. */
const LONGEST_MS = 200;
const LONGEST_REFUSAL = 64 * 1024;
const ATTEMPTS = 5;

const FORMS = "/v1/custom-modules/staffing/objects/candidate/forms";

type Attack = { method: string; path: string; body: string };
/** Every kind of body, by its name. */
type Attacks = Record<string, (index: number) => Attack>;

export const bodiesAtLimits = {
  name: "bodies-at-limits",
  /** The number of bodies. Each kind is sent several times. */
  full: 400,
  sample: 40,
  run: (count: number, _seed: number) => withServer((served, attacks) => attackAll(served, attacks, count)),
  /** Measures a server that is blocked for too long. */
  control: (_seed: number) =>
    withServer(async (served) => {
      const blocked = (await served.measure("block")).longest;
      const violations = blocked > LONGEST_MS ? [`blocked for ${Math.round(blocked)} ms`] : [];
      return { count: 1, violations, facts: { "blocked ms": Math.round(blocked) } };
    }),
};

async function attackAll(served: Served, attacks: Attacks, count: number) {
  const violations: string[] = [];
  const kinds = Object.entries(attacks);
  let number = 0;
  for (let index = 0; index < count; index++) {
    const [kind, makeAttack] = kinds[index % kinds.length]!;
    const blocked = await blockedFor(served, async () => {
      const { status, length } = await send(served, makeAttack(number++));
      if (![200, 400, 413].includes(status)) violations.push(`${kind}: answered with ${status}`);
      if (status >= 400 && length > LONGEST_REFUSAL) violations.push(`${kind}: refused with ${length} bytes`);
    });
    if (blocked > LONGEST_MS) violations.push(`${kind}: blocks for ${Math.round(blocked)} ms`);
  }
  // Concurrent drafts share a commit.
  const blocked = await blockedFor(served, async () => {
    const together = times(6, () => send(served, attacks["blocks with all members"]!(number++)));
    for (const { status } of await Promise.all(together))
      if (status !== 200) violations.push(`a draft among others is answered with ${status}`);
  });
  if (blocked > LONGEST_MS) violations.push(`six drafts at once block for ${Math.round(blocked)} ms`);
  return { count, violations, facts: { kinds: kinds.length } };
}

/**
 * Returns the longest time for which `work` blocks the event loop of the server. Slow work is repeated: on a busy
 * machine, work can be slow by chance.
 */
async function blockedFor(served: Served, work: () => Promise<void>): Promise<number> {
  let shortest = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && shortest > LONGEST_MS; attempt++) {
    await served.measure();
    await work();
    shortest = Math.min(shortest, (await served.measure()).longest);
  }
  return shortest;
}

async function send({ url, token }: Served, { method, path, body }: Attack) {
  // Each body has its own connection. On a busy machine, the server could close an idle connection just before the next
  // body.
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", connection: "close" };
  const answer = await fetch(url + path, { method, headers, ...(method !== "GET" && { body }) });
  const { byteLength } = await answer.arrayBuffer();
  return { status: answer.status, length: byteLength };
}

async function withServer<T>(work: (served: Served, attacks: Attacks) => Promise<T>): Promise<T> {
  const served = await startServed();
  try {
    const headers = { authorization: `Bearer ${served.token}`, "content-type": "application/json" };
    const body = JSON.stringify({ name: "Form", types: ["CREATE", "VIEW", "EDIT"] });
    const answer = await fetch(served.url + FORMS, { method: "POST", headers, body });
    const { data } = (await answer.json()) as { data: { id: string; viewLayoutId: string } };
    return await work(served, attacksOn(data.id, data.viewLayoutId));
  } finally {
    await served.stop();
  }
}

function attacksOn(formId: string, layoutId: string): Attacks {
  const put = (path: string) => (body: string) => ({ method: "PUT", path, body });
  const asDraft = put(`/v1/view-layouts/${layoutId}/draft`);
  const asAccess = put(`${FORMS}/${formId}/access`);
  const asForm = (body: string) => ({ method: "POST", path: FORMS, body });
  const get = (path: string) => ({ method: "GET", path, body: "" });
  const draft = (index: number, members: object) =>
    asDraft(
      JSON.stringify({
        clientMutationId: `attack-${index}`,
        schemaVersion: 1,
        regions: [{ key: "main", layout: "grid", columns: 12 }],
        blocks: [],
        ...members,
      }),
    );
  const leaves = (count: number, more: (index: number) => object = () => ({})) =>
    times(count, (index) => ({ ...leaf(index), ...more(index) }));
  return {
    blocks: (index) => draft(index, { blocks: leaves(MAX_BLOCKS) }),
    "blocks with all members": (index) => draft(index, { blocks: leaves(MAX_BLOCKS, everyMember) }),
    "blocks of which one is wrong": (index) =>
      draft(index, { blocks: leaves(MAX_BLOCKS, (at) => (at === 9_000 ? { type: "nothing" } : everyMember(at))) }),
    "blocks that are nested": (index) => draft(index, { blocks: nested(MAX_BLOCKS) }),
    "too many blocks": (index) => draft(index, { blocks: leaves(MAX_BLOCKS + 1, everyMember) }),
    "blocks with unknown fields": (index) =>
      draft(index, { blocks: leaves(MAX_BLOCKS, (at) => ({ ref: { fieldKey: `nothing_${at}` } })) }),
    "blocks with one id": (index) => draft(index, { blocks: leaves(MAX_BLOCKS, () => ({ id: "same" })) }),
    "blocks in one place": (index) =>
      draft(index, { blocks: leaves(MAX_BLOCKS, () => ({ grid: { colSpan: 12, colStart: 1, rowStart: 1 } })) }),
    "large configs": (index) => draft(index, { blocks: leaves(500, () => ({ config: { text: "x".repeat(16_000) } })) }),
    "configs of escapes": (index) =>
      draft(index, { blocks: leaves(500, () => ({ config: { text: "\u0001".repeat(2_600) } })) }),
    "configs of numbers": (index) =>
      draft(index, { blocks: leaves(60, () => ({ config: { list: times(8_000, () => 1) } })) }),
    "objects with many members": (index) =>
      draft(index, { blocks: leaves(800, (at) => ({ more: membersOf(90, `${at % 500}_`) })) }),
    "objects with very many members": (index) =>
      draft(index, { blocks: leaves(5, () => ({ more: membersOf(9_900) })) }),
    "configs with very many members": (index) =>
      draft(index, { blocks: leaves(5, () => ({ config: membersOf(9_900) })) }),
    regions: (index) =>
      draft(index, {
        regions: times(MAX_REGIONS, (at) => ({ key: `r${at}`, layout: "grid", config: { text: "x".repeat(16_000) } })),
        blocks: leaves(MAX_BLOCKS, (at) => ({ regionKey: `r${at % MAX_REGIONS}` })),
      }),
    "staged fields and bindings": (index) =>
      draft(index, {
        stagedFieldDefinitions: times(MAX_STAGED_FIELDS, (at) => ({
          draftId: `d${at}`,
          action: "create",
          key: `k${at}`,
          name: ` Name ${at} `,
          type: "SELECT",
          config: { options: times(900, (option) => `option ${option}`) },
        })),
        scriptBindings: times(MAX_SCRIPT_BINDINGS, () => ({ scriptId: "s", hook: "h" })),
      }),
    "numbers as blocks": () => asDraft(`{"blocks":[${repeated("1", 4_000_000)}]}`),
    "numbers as blocks within the limit": () => asDraft(`{"blocks":[${repeated("1", 490_000)}]}`),
    members: () => asDraft(JSON.stringify(membersOf(500_000))),
    "more members than an object may have": () => asDraft(JSON.stringify(membersOf(49_000))),
    "members within the limit": () => asDraft(JSON.stringify(membersOf(10_000))),
    "unknown members": () => asDraft(`{"regions":[${repeated('{"x":1}', 240_000)}]}`),
    "wrong modes": () => asDraft(`{"blocks":[{"supportedModes":[${repeated('"X"', 490_000)}]}]}`),
    "deep lists": () => asDraft("[".repeat(490_000) + "]".repeat(490_000)),
    "lists that never end": () => asDraft("[".repeat(8_000_000)),
    "one long text": () => asDraft(JSON.stringify({ clientMutationId: "x".repeat(8_000_000) })),
    "one long name of a member": () => asDraft(JSON.stringify({ ["x".repeat(8_000_000)]: 1 })),
    quotes: () => asDraft(JSON.stringify({ clientMutationId: '"'.repeat(4_000_000) })),
    "repeated modes": () => asForm(`{"name":"a","types":[${repeated('"VIEW"', 49_000)}]}`),
    "a config with many members": () =>
      asForm(JSON.stringify({ name: "a", types: ["VIEW"], config: membersOf(4_800) })),
    "repeated rows of access": () =>
      asAccess(`{"roles":[],"users":[${repeated('{"membershipId":"m","types":["VIEW"]}', 27_000)}]}`),
    "unknown rows of access": () =>
      asAccess(
        JSON.stringify({ roles: [], users: times(24_000, (at) => ({ membershipId: `m${at}`, types: ["VIEW"] })) }),
      ),
    "many parameters": () => get(`${FORMS}?${times(8_000, (at) => `a${at}`).join("&")}`.slice(0, 48_000)),
    "one parameter many times": () => get(`${FORMS}?${repeated("a", 20_000).replaceAll(",", "&")}`),
    "nested filters": () =>
      get(`${FORMS}?filters=${encodeURIComponent('{"op":"and","items":['.repeat(500) + "]}".repeat(500))}`),
    "long filters": () =>
      get(
        `${FORMS}?filters=${encodeURIComponent(
          JSON.stringify({
            op: "or",
            items: times(90, (at) => ({ field: "name", operator: "contains", value: `${at}`.padEnd(200, "x") })),
          }),
        )}`,
      ),
    "the versions": () => get(`/v1/view-layouts/${layoutId}/versions`),
  };
}

function leaf(index: number): object {
  const ref = { fieldKey: "full_name" };
  return { id: `b${index}`, type: "field", source: "dynamic_field", ref, regionKey: "main", displayOrder: index };
}

function everyMember(index: number): object {
  const nothing = ["componentKey", "builtInFieldKey", "fieldId", "fieldDefinitionId", "draftFieldDefinitionId"];
  const more = ["relationFieldId", "relationFieldKey", "moduleKey", "objectKey", "widgetKey", "savedQueryId"];
  return {
    ref: { fieldKey: "full_name", ...Object.fromEntries([...nothing, ...more].map((key) => [key, null])) },
    grid: { colSpan: 12, colStart: 1, rowSpan: 1, rowStart: index },
    config: { label: "Name", help: "As in the passport", width: 1, tone: "plain" },
    requiredPolicy: "optional",
    supportedModes: ["CREATE", "VIEW", "EDIT"],
    children: [],
  };
}

/** Returns chains of blocks, each with the maximum depth. */
function nested(count: number): object[] {
  type Branch = { id: string; type: string; source: string; regionKey?: string; children: Branch[] };
  const branch = (at: number): Branch => ({ id: `n${at}`, type: "section", source: "system", children: [] });
  const roots: Branch[] = [];
  for (let at = 0; at < count;) {
    let below = { ...branch(at++), regionKey: "main" } as Branch;
    roots.push(below);
    for (let level = 1; level < 16 && at < count; level++) {
      const child = branch(at++);
      below.children.push(child);
      below = child;
    }
  }
  return roots;
}

function membersOf(count: number, prefix = "k"): object {
  return Object.fromEntries(times(count, (index) => [`${prefix}${index.toString(36)}`, 1]));
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function repeated(text: string, count: number): string {
  return Array(count).fill(text).join(",");
}
