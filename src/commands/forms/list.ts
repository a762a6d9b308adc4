/** `formctl forms list`: prints all forms of an object, or one page. */

import { FormctlError } from "../../base/error.ts";
import type { FormListedAnswer, FormPageAnswer } from "../../schemas/answers.ts";
import { listAllForms, requireFilteredPage } from "../../lists/forms.ts";
import { withProgress } from "../../terminal/progress.ts";
import { printTable } from "../../terminal/table.ts";
import { defaultObjectArgument } from "../address-arguments.ts";
import { type CommandContext, defineCommand, flag, list, option, wholeNumber } from "../command.ts";
import { watchOptions } from "../watch-options.ts";
import { objectText } from "../../lists/addresses.ts";
import { LIST_COLUMNS } from "./form-view.ts";
import {
  CONDITIONS,
  COUNTS,
  FILTER_HELP,
  SORTS,
  parseColumns,
  parseCondition,
  parseCount,
  parseSort,
  readFilters,
} from "./list-query.ts";

type Listing = {
  object: string;
  forms: FormListedAnswer[];
  isFiltered: boolean;
  /** The parent of a subordinate object. A subordinate object has no forms. */
  parent?: string | undefined;
  page?: FormPageAnswer["meta"];
  /** Whether the list is printed with its `meta` (`--meta`). */
  withMeta: boolean;
};

export default defineCommand({
  details: `Without --page, --limit and --count all forms are listed, and --meta reports {total}. With any of them one page is
listed, the first one by default. A server may ignore --columns and send all columns; formctl requires id, name and types.
If a server ignores a filter, formctl filters the whole list itself, and refuses to list one page.

${FILTER_HELP}`,
  examples: [
    "formctl forms list staffing/candidate",
    "formctl forms list staffing/candidate --filter types=VIEW --filter active=true --sort -createdAt",
    `formctl forms list staffing/candidate --filter-json '{op: or, items: [{field: isPublic, operator: eq, value: true}]}'`,
    "formctl forms list staffing/candidate --limit 1 --count hasMore -o json --meta",
  ],
  args: { object: defaultObjectArgument },
  options: {
    page: option("--page <number>", "Print only this page", wholeNumber(1)),
    limit: option("--limit <number>", "Forms per page, at most 100", wholeNumber(1, 100)),
    count: option(
      "--count <count>",
      `How a page reports the size of the list: ${COUNTS.join(", ")}`,
      parseCount,
      COUNTS,
    ),
    sort: list(
      "--sort <fields>",
      "Order by name, createdAt or updatedAt; -name sorts in descending order",
      parseSort,
      SORTS,
    ),
    columns: list("--columns <columns>", "Ask the server for these columns only, such as id,name,types", parseColumns),
    filter: list(
      "--filter <condition>",
      "Only forms that match this condition; may be repeated",
      parseCondition,
      CONDITIONS,
    ),
    filterJson: list("--filter-json <filter>", "Only forms that match this filter, as JSON; may be repeated"),
    file: option(
      "-f, --file <file>",
      "Only forms that match the filter in this YAML or JSON file; - is standard input",
    ),
    meta: flag("--meta", "Print {data, meta}; requires -o json"),
    ...watchOptions,
  },
  watches: true,
  async run(
    context,
    { object: address, page, limit, count, sort, columns, meta: withMeta, ...typedFilters },
  ): Promise<Listing> {
    if (withMeta) requireJson(context);
    const filters = await readFilters(context, typedFilters);
    const service = await context.service();
    const query = {
      ...(sort.length > 0 && { sort: sort.flat() }),
      ...(filters && { filters }),
      ...(columns.length > 0 && { columns: columns.flat() }),
    };
    const listing = { object: objectText(address), isFiltered: filters !== undefined, withMeta };
    if (page === undefined && limit === undefined && count === undefined) {
      const forms = await withProgress(context.terminal, { label: "Reading forms" }, (progress) =>
        listAllForms(service, address, query, (done, total) => progress.update(done, undefined, total)),
      );
      if (forms.length > 0 || filters) return { ...listing, forms };
      const { findParent } = await import("../local-names.ts");
      return { ...listing, forms, parent: await findParent(context, address) };
    }
    const window = {
      ...(page !== undefined && { page }),
      ...(limit !== undefined && { limit }),
      ...(count !== undefined && { count }),
    };
    const answer = await service.listForms({ ...address, query: { ...query, ...window } });
    if (filters) requireFilteredPage(answer, filters);
    return { ...listing, forms: answer.data, page: answer.meta };
  },
  view(listing, terminal) {
    const { forms, page } = listing;
    printTable(terminal, LIST_COLUMNS, forms, whenEmpty(listing));
    if (!page || forms.length === 0) return;
    const total = page.total === undefined ? "" : ` of ${page.total}`;
    const more = page.hasMore ? `; next page: --page ${page.page + 1}` : "";
    terminal.hint(`Page ${page.page}: ${forms.length}${total}${more}`);
  },
  document: ({ forms, page, withMeta }): FormListedAnswer[] | { data: FormListedAnswer[]; meta: object } =>
    withMeta ? { data: forms, meta: page ?? { total: forms.length } } : forms,
});

function requireJson({ settings }: CommandContext): void {
  const output = settings.get("output");
  if (output === "json") return;
  throw new FormctlError("USAGE", `--meta and -o ${output ?? "table"} can't be combined`, "Add -o json.");
}

function whenEmpty({ object, isFiltered, page, parent }: Listing): string {
  if (isFiltered) return `No form of ${object} matches.`;
  if (page && page.page > 1) return `${object} has no page ${page.page}.`;
  if (parent !== undefined) {
    return `${object} is a subordinate object, and subordinate objects have no forms. See the forms of its parent object: formctl forms list ${parent}`;
  }
  return `${object} has no forms. Create one: formctl forms create ${object} --name NAME --types VIEW`;
}
