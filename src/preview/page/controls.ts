/** Renders the control of a field: an input that fits the type of the field. */

import { attributes, type Content, html, type Html } from "./html.ts";
import { sampleOf } from "./samples.ts";

export type ControlOptions = {
  /** The id of the element, to which the label refers. */
  id: string;
  /** Identifies the control across updates of the page. Its typed text is kept. */
  key: string;
  /** The ids of the elements that describe the control. */
  describedBy: string | undefined;
  type: string | undefined;
  /** The label and the key of the field. They determine the sample value. */
  label: string;
  fieldKey: string | undefined;
  options: readonly string[];
  /** The currency of a CURRENCY field, such as `EUR`. Undefined if it is unknown. */
  currency: string | undefined;
  isRequired: boolean;
  /** Shows a sample value that can't be edited. */
  isReadOnly: boolean;
  /** Whether the block was removed, so that its control can't be used. */
  isDisabled: boolean;
};

/** The maximum number of checkboxes. A field with several values and more options is shown as a list. */
const MAX_CHECKBOXES = 12;

const INPUT_TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  NUMBER: { type: "number", step: "1" },
  DECIMAL: { type: "number", step: "any" },
  CURRENCY: { type: "number", step: "0.01", placeholder: "0.00" },
  DATE: { type: "date" },
  DATETIME: { type: "datetime-local" },
  EMAIL: { type: "email", placeholder: "name@example.com" },
  PHONE: { type: "tel" },
  URL: { type: "url", placeholder: "https://" },
  REFERENCE: { type: "search", placeholder: "Search records" },
  USER: { type: "search", placeholder: "Search users" },
  USER_MULTI: { type: "search", placeholder: "Search users" },
  CONTRACTOR: { type: "search", placeholder: "Search contractors" },
  CONTRACTOR_MULTI: { type: "search", placeholder: "Search contractors" },
};

/** Whether the control is a group of inputs. Such a group has a legend instead of a label. */
export function isGroup({ type, options, isReadOnly }: Pick<ControlOptions, "type" | "options" | "isReadOnly">) {
  return type === "MULTI_SELECT" && !isReadOnly && options.length > 0 && options.length <= MAX_CHECKBOXES;
}

export function renderControl(options: ControlOptions): Html {
  const { type = "TEXT", isReadOnly, id, currency, describedBy } = options;
  if (type === "CURRENCY" && currency !== undefined) {
    const currencyId = `${id}-currency`;
    const described = [currencyId, describedBy].filter((each) => each !== undefined).join(" ");
    return html`<div class="money">
      ${renderControl({ ...options, currency: undefined, describedBy: described })}<span id="${currencyId}"
        >${currency}</span
      >
    </div>`;
  }
  if (type === "BOOLEAN") return checkbox(options);
  if (isReadOnly) return readOnlyValue(options, type);
  switch (type) {
    case "TEXTAREA":
    case "CUSTOM_HTML":
      return html`<textarea rows="4" ${commonAttributes(options)}></textarea>`;
    case "SELECT":
      return html`<select ${commonAttributes(options)}>
        <option value="">Select…</option>
        ${optionList(options)}
      </select>`;
    case "MULTI_SELECT":
      return isGroup(options)
        ? checkboxes(options)
        : html`<select multiple size="5" ${commonAttributes(options)}>
            ${optionList(options)}
          </select>`;
    case "FILE":
    case "FILES":
      return html`<input type="file" ${attributes({ multiple: type === "FILES" })} ${commonAttributes(options)} />`;
    default:
      return html`<input ${attributes(INPUT_TYPES[type] ?? { type: "text" })} ${commonAttributes(options)} />`;
  }
}

function commonAttributes({ id, key, describedBy, isRequired, isDisabled }: ControlOptions): Html {
  return attributes({
    id,
    "data-key": key,
    "aria-describedby": describedBy,
    required: isRequired,
    disabled: isDisabled,
    autocomplete: "off",
  });
}

function readOnlyValue(options: ControlOptions, type: string): Html {
  const { id, describedBy, isDisabled } = options;
  const common = attributes({ id, readonly: true, disabled: isDisabled, "aria-describedby": describedBy });
  const sample = sampleOf({ ...options, type });
  // HTML ignores the first line break in a text area.
  return type === "TEXTAREA" || type === "CUSTOM_HTML"
    ? html`<textarea rows="3" ${common}>${sample}</textarea>`
    : html`<input type="text" value="${sample}" ${common} />`;
}

/** A checkbox can't be read-only in HTML, so it is disabled instead. */
function checkbox({ id, key, describedBy, isReadOnly, isDisabled, isRequired }: ControlOptions): Html {
  const state = attributes({
    disabled: isReadOnly || isDisabled,
    checked: isReadOnly,
    required: isRequired && !isReadOnly,
    "data-key": isReadOnly ? undefined : key,
    "aria-describedby": describedBy,
  });
  return html`<input type="checkbox" id="${id}" ${state} />`;
}

function checkboxes({ id, key, options, isDisabled }: ControlOptions): Html {
  const boxes = options.map((option, index) => {
    const members = { id: `${id}-${index}`, "data-key": `${key}=${option}`, disabled: isDisabled };
    return html`<label class="chip"><input type="checkbox" ${attributes(members)} />${option}</label>`;
  });
  return html`<div class="chips">${boxes}</div>`;
}

function optionList({ options }: ControlOptions): Content {
  return options.map((option) => html`<option>${option}</option>`);
}
