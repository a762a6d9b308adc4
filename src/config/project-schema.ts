/** The JSON Schema (2020-12) of the project file, for editors and `formctl explain`. */

import { IDENTIFIER } from "../schemas/words.ts";
import { REFERENCE_KINDS, type ReferenceKind, VARIABLE_NAME } from "./project-settings.ts";
import { SETTING_KEYS, settingRow } from "./setting-rows.ts";

const EXAMPLES: Readonly<Record<string, string>> = { profile: "prod", object: "staffing/candidate" };
const REFERENCES: Record<ReferenceKind, Record<string, string>> = {
  roles: { Recruiter: "rol_4mq3xr7ud2hj5wkeyb6tz2na" },
  members: { "ana@northwind.example": "mem_b5w3yq2jz7hxk4dmn6rtc2fe" },
  scripts: { city_by_country: "scr_w6h2n4kz5tq3xjm7ryd2bcfa" },
  fields: { "CONTRACTOR/risk_class": "fld_3kq7yx2mz5wh4jtn6rbd2cfe" },
  modules: { Staffing: "staffing" },
  others: { "Open placements": "q_1842" },
};
const KEEP = { "*": ["isActive"], "staffing/candidate/*": ["config.title", "layout.blocks[help].config.url"] };

export function projectSchema(): Record<string, unknown> {
  const settings = SETTING_KEYS.filter((key) => settingRow(key).place === "project").map((key) => {
    const { about, values } = settingRow(key);
    const schema = {
      type: ["string", "number"],
      description: about,
      examples: [EXAMPLES[key]],
      ...(values && { enum: values }),
    };
    return [key, schema] as const;
  });
  const ids = { type: "object", additionalProperties: { type: "string", pattern: IDENTIFIER.source } };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "formctl.yaml: the settings of a project",
    type: "object",
    properties: {
      ...Object.fromEntries(settings),
      manifests: {
        type: "string",
        minLength: 1,
        description: "The folder of the manifests, below this file and relative to it",
        examples: ["forms"],
      },
      migrations: {
        type: "string",
        minLength: 1,
        description: "The folder of the migrations, below this file and relative to it. Default: migrations",
        examples: ["changes"],
      },
      variables: {
        type: "array",
        items: { type: "string", pattern: VARIABLE_NAME.source },
        description: "The environment variables that manifests may use. Default: all that do not start with FORMCTL_",
        examples: [["INTAKE_TITLE"]],
      },
      references: {
        type: "object",
        description: "Ids of roles, members and other records by name, for each profile or origin of a server",
        examples: [{ prod: { roles: REFERENCES.roles, members: REFERENCES.members } }],
        additionalProperties: {
          type: "object",
          properties: Object.fromEntries(
            Object.entries(REFERENCE_KINDS).map(([kind, description]) => [
              kind,
              { ...ids, description, examples: [REFERENCES[kind as ReferenceKind]] },
            ]),
          ),
          additionalProperties: false,
        },
      },
      promote: {
        type: "object",
        description: "What formctl promote does not copy",
        examples: [{ keep: KEEP }],
        properties: {
          keep: {
            type: "object",
            description:
              "Paths that keep the values of the target, by the address of a form or layout. * matches any text",
            examples: [KEEP],
            additionalProperties: { type: "array", items: { type: "string", minLength: 1 } },
          },
        },
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  };
}
