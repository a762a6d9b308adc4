/** `formctl forms list`: all forms of an object, or one page of them. */

import type { FormListedAnswer } from "../../schemas/answers.ts";
import { listAllForms } from "../../lists/all-forms.ts";
import type { Output } from "../../schemas/operations.ts";
import { printTable } from "../../terminal/table.ts";
import { formatObject } from "../addresses.ts";
import { defineCommand, list, option, wholeNumber } from "../command.ts";
import { chosenObject, objectArgument } from "./chosen-object.ts";
import { LIST_COLUMNS } from "./form-view.ts";
import { allOf, FILTER_HELP, parseCondition, parseSort } from "./list-query.ts";

type Listing = { object: string; forms: FormListedAnswer[]; isFiltered: boolean; page?: Output<"listForms">["meta"] };

export default defineCommand({
  about: "List the forms of an object",
  details: `Without --page and --limit all forms are listed.\n\n${FILTER_HELP}`,
  examples: [
    "formctl forms list staffing/candidate",
    "formctl forms list staffing/candidate --filter types=VIEW --filter active=true --sort -createdAt",
    "formctl forms list staffing/candidate --limit 1 -o json",
  ],
  args: { object: objectArgument },
  options: {
    page: option("--page <number>", "Only this page", wholeNumber(1)),
    limit: option("--limit <number>", "Forms on a page, 100 at most", wholeNumber(1, 100)),
    sort: list("--sort <fields>", "Order: name, createdAt, updatedAt; -name is from last to first", parseSort),
    filter: list("--filter <condition>", "Only forms that fit; may be repeated", parseCondition),
  },
  async run(context, { object: typed, page, limit, sort, filter }): Promise<Listing> {
    const address = chosenObject(context, typed);
    const service = await context.service();
    const filters = allOf(filter);
    const query = { ...(sort.length > 0 && { sort: sort.flat() }), ...(filters && { filters }) };
    const listing = { object: formatObject(address), isFiltered: filters !== undefined };
    if (page === undefined && limit === undefined) {
      return { ...listing, forms: await listAllForms(service, address, query) };
    }
    const window = { ...(page !== undefined && { page }), ...(limit !== undefined && { limit }) };
    const { data, meta } = await service.listForms({ ...address, query: { ...query, ...window } });
    return { ...listing, forms: data, page: meta };
  },
  view(listing, terminal) {
    const { forms, page } = listing;
    printTable(terminal, LIST_COLUMNS, forms, whenEmpty(listing));
    if (!page || forms.length === 0) return;
    const total = page.total === undefined ? "" : ` of ${page.total}`;
    const more = page.hasMore ? `; the next: --page ${page.page + 1}` : "";
    terminal.hint(`Page ${page.page}: ${forms.length}${total}${more}`);
  },
  document: ({ forms }) => forms,
});

function whenEmpty({ object, isFiltered, page }: Listing): string {
  if (isFiltered) return `No form of ${object} fits.`;
  if (page && page.page > 1) return `${object} has no page ${page.page}.`;
  return `${object} has no forms. Create one: formctl forms create ${object} --name NAME --types VIEW`;
}
