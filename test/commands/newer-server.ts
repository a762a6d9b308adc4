/**
 * A server that differs from ours: some of its values are unknown to formctl, its ids are numbers, and it ignores
 * filters. It forwards requests to one of our servers, over a real socket.
 */

import { onTestFinished } from "vitest";
import { isJsonObject } from "../../src/schemas/json.ts";
import { type Received, startServer, type TableServer } from "../client/table-server.ts";

/** Pairs of our value and the value of the newer server. */
const WORDS = [
  ['"surface":"USER"', '"surface":"PAGE_X"'],
  ['"type":"custom_html"', '"type":"kanban"'],
  ['"source":"module"', '"source":"formula"'],
  ['"requiredPolicy":"system_locked"', '"requiredPolicy":"sometimes"'],
  ['"schemaVersion":1', '"schemaVersion":2'],
] as const;

const OUR_ID = /^(frm|lay|ver|mem|rol|org|obj|asg|fld|mod)_/;

export async function openNewerServer(url: string): Promise<TableServer> {
  const numbers = new Map<string, number>();
  const ids = new Map<string, string>();
  const numberOf = (id: string) => {
    if (!numbers.has(id)) {
      numbers.set(id, 100 + numbers.size);
      ids.set(String(100 + ids.size), id);
    }
    return numbers.get(id)!;
  };

  function toTheirs(value: unknown, member = ""): unknown {
    if (Array.isArray(value)) {
      const items = value.map((each) => toTheirs(each));
      return MODES_OF.has(member) && value.length > 0 ? [...items, "WORKSPACE"] : items;
    }
    if (isJsonObject(value)) return mapped(value, toTheirs);
    return typeof value === "string" && OUR_ID.test(value) ? numberOf(value) : value;
  }

  function toOurs(value: unknown, member = ""): unknown {
    if (Array.isArray(value)) {
      const items = value.map((each) => toOurs(each));
      return MODES_OF.has(member) ? items.filter((mode) => mode !== "WORKSPACE") : items;
    }
    if (isJsonObject(value)) return mapped(value, toOurs);
    return typeof value === "string" && member.endsWith("Id") ? (ids.get(value) ?? value) : value;
  }

  async function answer({ method, url: path, headers, body }: Received) {
    const { pathname } = new URL(path, url);
    const target = pathname.replace(/[^/]+/g, (step) => ids.get(step) ?? step);
    const text = body === "" ? undefined : replaced(JSON.stringify(toOurs(JSON.parse(body))), 1, 0);
    const answered = await fetch(`${url}${target}`, {
      method,
      headers: { authorization: headers.authorization ?? "", ...(text && { "content-type": "application/json" }) },
      ...(text && { body: text }),
    });
    const said = await answered.text();
    const theirs = said === "" ? undefined : replaced(JSON.stringify(toTheirs(JSON.parse(said))), 0, 1);
    return { status: answered.status, ...(theirs && { body: JSON.parse(theirs) as unknown }) };
  }

  const server = await startServer(answer);
  onTestFinished(() => server.close());
  return server;
}

/** Members that list modes. */
const MODES_OF = new Set(["types", "supportedModes"]);

function mapped(record: object, map: (value: unknown, member: string) => unknown): object {
  return Object.fromEntries(Object.entries(record).map(([member, value]) => [member, map(value, member)]));
}

function replaced(text: string, from: 0 | 1, to: 0 | 1): string {
  return WORDS.reduce((done, pair) => done.replaceAll(pair[from], pair[to]), text);
}
