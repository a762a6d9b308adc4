/** From a path in a manifest to its place in a file, without what the environment said. */

import type { Document } from "../../documents/document.ts";
import type { Diagnostic, Located } from "../../schemas/diagnostic.ts";
import type { Substituted } from "./environment.ts";
import { concealing } from "./secrecy.ts";

export type Place = {
  locate: (diagnostic: Diagnostic) => Located;
};

/** Keeps nothing of the document but its text. */
export function locating({ file, locate }: Document, filled: Substituted): Place {
  const conceal = concealing(filled);
  return {
    locate: (diagnostic) => ({
      ...diagnostic,
      message: conceal(diagnostic.message),
      file,
      ...locate(diagnostic.path ?? ""),
    }),
  };
}

/** The paths of a manifest whose layout is another file: those of the layout lead there, as paths of that file. */
export function withLayout(manifest: Place, layout: Place): Place {
  return {
    locate(diagnostic) {
      const inside = /^layout(?:\.(?=.)|(?=\[))/.exec(diagnostic.path ?? "");
      if (!inside) return manifest.locate(diagnostic);
      const path = diagnostic.path!.slice(inside[0].length);
      return layout.locate({ ...diagnostic, path });
    },
  };
}
