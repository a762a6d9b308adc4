/** Reads recordings of browsers, of proxies and of formctl for `doctor --contract --from`. */

import { describe, expect, it } from "vitest";
import { readHar } from "../../src/schemas/contract/har.ts";
import { UNREADABLE } from "../../src/schemas/contract/shapes.ts";

const FORMS = "https://forms.example.com/api/v1/custom-modules/staffing/objects/candidate/forms";

function har(...entries: unknown[]): string {
  return JSON.stringify({ log: { version: "1.2", creator: { name: "x", version: "1" }, entries } });
}

function entry(method: string, url: string, status: number, content: object = { text: "{}" }) {
  return { request: { method, url }, response: { status, content } };
}

describe("a recording", () => {
  it("has the operations by method and path, below any base URL", () => {
    const urls = ["", "/available", "/frm_1", "/frm_1/access", "/frm_1/?x=1#y"];
    const observations = readHar(
      har(...urls.map((path) => entry("GET", FORMS + path, 200)), entry("PUT", `${FORMS}/frm_1/access`, 200)),
    );
    expect(observations.map(({ operation }) => operation)).toEqual([
      "listForms",
      "listAvailableForms",
      "getForm",
      "getFormAccess",
      "getForm",
      "replaceFormAccess",
    ]);
  });

  it("is read without entries of other paths and methods, and without answers of a cache", () => {
    const observations = readHar(
      har(
        entry("GET", "https://forms.example.com/logo.png", 200),
        entry("OPTIONS", FORMS, 204),
        entry("GET", FORMS, 304),
        entry("GET", FORMS, 0),
        entry("GET", "not a URL", 200),
        null,
        {},
        { request: "x", response: [] },
      ),
    );
    expect(observations).toEqual([]);
  });

  it("may have content in Base64, empty content or none", () => {
    const text = Buffer.from('{"data":[]}').toString("base64");
    const observations = readHar(
      `\uFEFF${har(
        entry("GET", FORMS, 200, { text, encoding: "base64" }),
        entry("GET", FORMS, 200, { text: "" }),
        entry("GET", FORMS, 200, {}),
        entry("GET", FORMS, 502, { text: "<html>" }),
      )}`,
    );
    expect(observations.map(({ body }) => body)).toEqual([{ data: [] }, undefined, undefined, UNREADABLE]);
  });

  it("may have answers that are not JSON, or exceed the limits of JSON", () => {
    const nested = `${"[".repeat(300)}${"]".repeat(300)}`;
    const observations = readHar(
      har(entry("GET", FORMS, 200, { text: "<html>" }), entry("GET", FORMS, 200, { text: nested })),
    );
    expect(observations.map(({ body }) => body)).toEqual([UNREADABLE, UNREADABLE]);
  });

  it.each(["{}", "[]", '{"log":{}}', '{"log":{"entries":{}}}'])("is refused without entries: %s", (text) => {
    expect(() => readHar(text)).toThrow("it has no log.entries");
  });
});
