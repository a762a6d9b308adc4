/** Creates HTML from templates. All values are escaped, so a page shows text from files and servers as text. */

import { visible } from "../../terminal/escape.ts";

/** HTML that needs no escaping. Only {@link html}, {@link attributes} and {@link trusted} create it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = string | number | Html | false | undefined | readonly Content[];

/** Returns HTML. Escapes each value, unless it is HTML. Undefined and false add nothing, and a list adds its items. */
export function html(texts: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = texts[0] ?? "";
  for (const [index, value] of values.entries()) text += contentText(value) + (texts[index + 1] ?? "");
  return new Html(text);
}

/** Returns the attributes of a tag. `true` adds a name without value. */
export function attributes(members: Readonly<Record<string, string | number | boolean | undefined>>): Html {
  const parts = Object.entries(members).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    return [value === true ? name : `${name}="${escape(String(value))}"`];
  });
  return new Html(parts.join(" "));
}

/** Marks a text of formctl itself as HTML, such as a style sheet. */
export function trusted(text: string): Html {
  return new Html(text);
}

function contentText(value: Content): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "string" || typeof value === "number") return escape(String(value));
  return value.map(contentText).join("");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a text for elements and for quoted attributes. Hidden characters become visible. */
function escape(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
