/** A bundler plugin: a CommonJS chunk loads a builtin module of Node on its first use, and not with the chunk. */

import type { Plugin } from "rolldown";
import { Visitor } from "rolldown/utils";

type Edit = { start: number; end: number; text: string };

/**
 * Replaces `let fs = require("node:fs")` by `let fs`, and `fs.stat` by `(fs ??= require("node:fs")).stat`, in the syntax
 * tree. A command uses few of the modules that its chunks import.
 */
export function lazyBuiltins(): Plugin {
  return {
    name: "lazy-builtins",
    renderChunk(code, _chunk, { format }) {
      if (format !== "cjs") return undefined;
      const program = this.parse(code);
      const edits: Edit[] = [];
      const loads = new Map<string, string>();
      for (const statement of program.body) {
        if (statement.type !== "VariableDeclaration" || statement.kind !== "let") continue;
        for (const { id, init } of statement.declarations) {
          const call = init ? code.slice(init.start, init.end) : "";
          if (init?.type !== "CallExpression" || id.type !== "Identifier" || !call.startsWith('require("node:'))
            continue;
          loads.set(id.name, `(${id.name} ??= ${call})`);
          edits.push({ start: id.start, end: init.end, text: id.name });
        }
      }
      let others = -loads.size;
      new Visitor({
        Identifier: ({ name }) => void (others += Number(loads.has(name))),
        // `fs = __toESM(fs)` adds the member `default`, which is a builtin module itself.
        AssignmentExpression({ left, right, start, end }) {
          if (left.type !== "Identifier" || right.type !== "CallExpression" || !loads.has(left.name)) return;
          edits.push({ start, end, text: "0" });
          others -= 2;
        },
        MemberExpression({ object, property, start, end }) {
          const load = object.type === "Identifier" && loads.get(object.name);
          if (!load) return;
          const isDefault = property.type === "Identifier" && property.name === "default";
          edits.push({ start, end: isDefault ? end : object.end, text: load });
          others--;
        },
      }).visit(program);
      if (others !== 0) throw new Error("a chunk uses a builtin module other than by its members");
      const edited = edits.sort((a, b) => b.start - a.start);
      return edited.reduce((text, { start, end, text: by }) => text.slice(0, start) + by + text.slice(end), code);
    },
  };
}
