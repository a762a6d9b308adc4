/** Decides whether a form matches a filter, for servers that do not filter the list of forms. */

import type { FormListedAnswer } from "../schemas/answers.ts";
import type { Filter, FilterCondition } from "../schemas/page.ts";
import { notShown } from "../service.ts";

/**
 * Returns the forms that match the filter.
 *
 * @throws NOT_SHOWN if a form may match, but lacks a member
 */
export function formsMatching(forms: readonly FormListedAnswer[], filter: Filter): FormListedAnswer[] {
  return forms.filter((form) => {
    const isMatch = matchesFilter(form, filter);
    if (isMatch !== undefined) return isMatch;
    throw notShown(
      `whether the form "${form.name}" (${form.id}) matches the filter`,
      "Remove the filter. If you use --columns, add the filtered columns.",
    );
  });
}

/** Whether a form matches a filter. Undefined if the form lacks a member on which the result depends. */
function matchesFilter(form: FormListedAnswer, { op, items }: Filter): boolean | undefined {
  const results = items.map((item) => ("op" in item ? matchesFilter(form, item) : matchesCondition(form, item)));
  const decisive = op === "or";
  if (results.includes(decisive)) return decisive;
  return results.includes(undefined) ? undefined : !decisive;
}

function matchesCondition(form: FormListedAnswer, condition: FilterCondition): boolean | undefined {
  switch (condition.field) {
    case "id":
      return form.id.startsWith(condition.value);
    case "name":
      return matchesName(form.name, condition);
    case "types":
      return matchesTypes(form.types, condition);
    default: {
      const shown = form[condition.field];
      return shown === undefined ? undefined : (shown === condition.value) === (condition.operator === "eq");
    }
  }
}

function matchesName(name: string, condition: Extract<FilterCondition, { field: "name" }>): boolean {
  switch (condition.operator) {
    case "in":
      return condition.value.includes(name);
    case "startsWith":
      return name.startsWith(condition.value);
    case "contains":
      return name.toLowerCase().includes(condition.value.toLowerCase());
    default:
      return (name === condition.value) === (condition.operator === "eq");
  }
}

function matchesTypes(types: readonly string[], condition: Extract<FilterCondition, { field: "types" }>): boolean {
  if (condition.operator === "contains") return types.includes(condition.value);
  if (condition.operator === "in") return condition.value.some((mode) => types.includes(mode));
  const isSame = [...new Set(condition.value)].toSorted().join() === [...new Set(types)].toSorted().join();
  return isSame === (condition.operator === "eq");
}
