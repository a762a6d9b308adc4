/** The types of each operation, for code that handles any operation. A test compares them with the schemas. */

import type {
  AccessAnswer,
  CurrencyAnswer,
  DefaultsAnswer,
  FormAnswer,
  FormPageAnswer,
  LayoutAnswer,
  PublishedAnswer,
  SavedDraftAnswer,
  SurfacesAnswer,
  VersionAnswer,
} from "./answers.ts";
import type { Currency } from "./currency.ts";
import type { AccessMatrix, Form, FormDefaults, FormPage } from "./form.ts";
import type { Layout, LayoutVersion, Published, SavedDraft, SurfaceDefinitions } from "./layout.ts";
import type * as requests from "./requests.ts";

/** `input`: the request. `answer`: the answer of any server. `output`: the answer of formctl's own engine. */
export interface OperationTypes {
  createForm: { input: requests.CreateFormInput; answer: FormAnswer; output: Form };
  listForms: { input: requests.ListFormsInput; answer: FormPageAnswer; output: FormPage };
  listAvailableForms: { input: requests.ListAvailableFormsInput; answer: FormAnswer[]; output: Form[] };
  updateFormDefaults: { input: requests.UpdateFormDefaultsInput; answer: DefaultsAnswer; output: FormDefaults };
  getForm: { input: requests.GetFormInput; answer: FormAnswer; output: Form };
  updateForm: { input: requests.UpdateFormInput; answer: FormAnswer; output: Form };
  deleteForm: { input: requests.DeleteFormInput; answer: void; output: void };
  getFormAccess: { input: requests.GetFormAccessInput; answer: AccessAnswer; output: AccessMatrix };
  replaceFormAccess: { input: requests.ReplaceFormAccessInput; answer: AccessAnswer; output: AccessMatrix };
  createLayout: { input: requests.CreateLayoutInput; answer: LayoutAnswer; output: Layout };
  listLayouts: { input: requests.ListLayoutsInput; answer: LayoutAnswer[]; output: Layout[] };
  getSurfaceDefinitions: {
    input: requests.GetSurfaceDefinitionsInput;
    answer: SurfacesAnswer;
    output: SurfaceDefinitions;
  };
  getLayout: { input: requests.GetLayoutInput; answer: LayoutAnswer; output: Layout };
  updateLayout: { input: requests.UpdateLayoutInput; answer: LayoutAnswer; output: Layout };
  saveDraft: { input: requests.SaveDraftInput; answer: SavedDraftAnswer; output: SavedDraft };
  publishLayout: { input: requests.PublishLayoutInput; answer: PublishedAnswer; output: Published };
  listVersions: { input: requests.ListVersionsInput; answer: VersionAnswer[]; output: LayoutVersion[] };
  getVersion: { input: requests.GetVersionInput; answer: VersionAnswer; output: LayoutVersion };
  restoreDraft: { input: requests.RestoreDraftInput; answer: SavedDraftAnswer; output: SavedDraft };
  replaceAssignments: { input: requests.ReplaceAssignmentsInput; answer: LayoutAnswer; output: Layout };
  archiveLayout: { input: requests.ArchiveLayoutInput; answer: void; output: void };
  listCurrencies: { input: requests.ListCurrenciesInput; answer: CurrencyAnswer[]; output: Currency[] };
}

export type OperationName = keyof OperationTypes;

/** The input of an operation. */
export type Input<N extends OperationName> = OperationTypes[N]["input"];

/** The answer of an operation of any server. */
export type Answer<N extends OperationName> = OperationTypes[N]["answer"];

/** The answer of an operation of formctl's own engine. It has every member. */
export type Output<N extends OperationName> = OperationTypes[N]["output"];
