/** The JSON Schema (2020-12) of the project file, for editors and `formctl explain`. */

import { IDENTIFIER } from "../schemas/words.ts";
import { VARIABLE_NAME } from "./project-settings.ts";
import { SETTING_KEYS, settingRow } from "./setting-rows.ts";

const EXAMPLES: Readonly<Record<string, string>> = { profile: "prod", object: "staffing/candidate" };
const ROLES = { Recruiter: "rol_4mq3xr7ud2hj5wkeyb6tz2na" };
const MEMBERS = { "ana@northwind.example": "mem_b5w3yq2jz7hxk4dmn6rtc2fe" };

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
        description: "Ids of roles and members by name, for each profile or origin of a server",
        examples: [{ prod: { roles: ROLES, members: MEMBERS } }],
        additionalProperties: {
          type: "object",
          properties: {
            roles: { ...ids, description: "The id of each role, by the name in manifests", examples: [ROLES] },
            members: { ...ids, description: "The id of each membership, by e-mail address", examples: [MEMBERS] },
          },
          additionalProperties: false,
        },
      },
    },
    additionalProperties: false,
  };
}
