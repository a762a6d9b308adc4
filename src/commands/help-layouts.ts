/** The topic `formctl help layouts`: the terms of layouts, and an example. */

import { MAX_BLOCKS, MAX_NESTING, MAX_REGIONS } from "../schemas/words.ts";
import type { HelpEntry } from "./command.ts";

export const LAYOUT_TERMS: HelpEntry[] = [
  {
    name: "layout",
    about:
      "What a page shows: regions with blocks. A form owns one layout. Other layouts belong to a surface (a page family): formctl layouts surfaces",
  },
  {
    name: "region",
    about: `An area of the page with a key and a label, at most ${MAX_REGIONS}. Its layout is grid, stack, sidebar, tabs or dashboard_grid`,
  },
  {
    name: "block",
    about: `A field, a container (tabs, tab, section, column) or another part of the page, at most ${MAX_BLOCKS}. regionKey names its region, displayOrder its position; without displayOrder, the order of the list applies`,
  },
  {
    name: "source, ref",
    about:
      "Where the content comes from, and which content. A field of an object: source dynamic_field and ref.fieldKey. A relation: dynamic_relation. A container: system. Pages of other surfaces: built_in, custom_field, module. Dashboards: dashboard",
  },
  {
    name: "nesting",
    about: `children contains the blocks in a container: tabs > tab > section > column > field, at most ${MAX_NESTING} levels. Levels may be left out, but a column is always in a section. Children belong to the region of their outermost block`,
  },
  {
    name: "grid",
    about:
      "A region has 12 columns, or as many as its columns; a container has 12 again. colSpan is the width of a block, by default the full width. colStart, rowStart and rowSpan set its position",
  },
  {
    name: "tabs",
    about:
      "A region with the layout tabs contains tab and section blocks. In another region, a tabs block contains tab and section blocks. config.label is the label of a tab, section or field",
  },
  {
    name: "modes",
    about:
      "CREATE, VIEW and EDIT. supportedModes limits a block to some modes of the layout; its children are limited with it. VIEW needs a block with content, CREATE and EDIT need an input",
  },
  {
    name: "requiredPolicy",
    about:
      "required, optional or system_locked. A form for CREATE shows each required field of the object, with the policy required. config.readOnly: true shows a field without an input",
  },
  {
    name: "draft",
    about:
      "The content that is being edited; a layout has at most one draft. A push replaces all of it and checks it: valid, valid_with_warnings or invalid. Users don't see it",
  },
  {
    name: "publish",
    about:
      "Makes a valid draft the version that users see. The former version is archived and can be restored into the draft. Versions never change",
  },
  {
    name: "staged fields",
    about:
      "stagedFieldDefinitions: changes of fields that the publication carries out once. A change that may clear values requires a confirmation",
  },
];

/** The text after the terms. test/commands/help.test.ts publishes its YAML on the demo store. */
export const LAYOUTS_AFTER = `A layout file for the form "Candidate profile" of the demo, with a grid, and a tab that only VIEW shows:

  schemaVersion: 1
  regions:
    - {key: main, label: Candidate, layout: grid, columns: 12}
    - {key: more, label: More, layout: tabs}
  blocks:
    - type: field
      source: dynamic_field
      ref: {fieldKey: full_name}
      regionKey: main
      grid: {colSpan: 6}
      requiredPolicy: required
    - type: field
      source: dynamic_field
      ref: {fieldKey: email}
      regionKey: main
      grid: {colSpan: 6}
      requiredPolicy: required
    - type: tab
      source: system
      regionKey: more
      config: {label: Notes}
      supportedModes: [VIEW]
      children:
        - type: field
          source: dynamic_field
          ref: {fieldKey: notes}

Write a first draft, save it, and publish it:

  formctl layouts draft scaffold FORM > layout.yaml
  formctl layouts draft push FORM layout.yaml
  formctl layouts publish FORM

Each member of a layout file: formctl explain draft

Commands: formctl layouts --help`;
