/**
 * The story of Northwind Staffing, short and in chapters: command lines of an administrator with their expected results.
 * `demo.ts` runs them.
 */

export type Step = {
  /** The purpose of the step, printed above the command line. */
  why: string;
  /** The words after `formctl`. `{name}` is replaced with a value that an earlier step captured. */
  words: readonly string[];
  /** The expected exit code; 0 by default. */
  exit?: number;
  /** Texts that the output contains. */
  output?: readonly string[];
  /** Captures the first group of the pattern for later steps. */
  capture?: { name: string; pattern: RegExp };
};

export type Chapter = { title: string; steps: readonly Step[] };

const FILES = "examples/northwind";
const INTAKE = "staffing/candidate/Candidate intake";
const PROFILE = "staffing/candidate/Candidate profile";
const DESK = "staffing/placement/Placement desk";
const REVIEW = "compliance/document_check/Document review";

const setUp: Chapter = {
  title: "Set up",
  steps: [
    {
      why: "The local store contains the whole service in one file.",
      words: ["local", "init"],
      output: ["Created the local store"],
    },
    {
      why: "Seed objects, fields, roles and members from a file, because the API has no endpoints for them.",
      words: ["local", "seed", `${FILES}/organization.yaml`],
      output: ["recruiter, account_manager", "full_name, email"],
    },
  ],
};

const firstForm: Chapter = {
  title: "Create and publish a form",
  steps: [
    {
      why: "Create a form. It gets a layout with an empty draft.",
      words: ["forms", "create", "staffing/candidate", "--name", "Candidate intake", "--types", "CREATE", "--public"],
      output: ["CREATE draft only"],
    },
    {
      why: "Set the title, and the message after submission.",
      words: ["forms", "update", INTAKE, "--title", "Work with Northwind", "--success-message", "We will call you."],
      output: ["Work with Northwind"],
    },
    {
      why: "Save the layout from a draft file.",
      words: ["layouts", "draft", "push", INTAKE, `${FILES}/drafts/candidate-intake.yaml`],
      output: ["version 1", "valid"],
    },
    {
      why: "Publish the layout, so that the form can be used.",
      words: ["layouts", "publish", INTAKE],
      output: ["can be used for: CREATE"],
    },
    {
      why: "Make the form the default for creating candidates.",
      words: ["forms", "defaults", "set", "staffing/candidate", "CREATE=Candidate intake"],
      output: ["usable"],
    },
    {
      why: "Simulate a file that is uploaded through the public form.",
      words: ["local", "uploads", "add", INTAKE, `${FILES}/uploads/mia-park.txt`],
      output: ["Added mia-park.txt"],
    },
    {
      why: "Simulate another upload.",
      words: ["local", "uploads", "add", INTAKE, `${FILES}/uploads/jon-vale.txt`],
      output: ["Added jon-vale.txt"],
    },
  ],
};

const versions: Chapter = {
  title: "Versions",
  steps: [
    {
      why: "Create a second form for viewing and editing candidates.",
      words: ["forms", "create", "staffing/candidate", "--name", "Candidate profile", "--types", "VIEW,EDIT"],
    },
    {
      why: "Save and publish a draft with one command.",
      words: ["layouts", "draft", "push", PROFILE, `${FILES}/drafts/candidate-profile-first.yaml`, "--publish"],
      output: ["Published it as version 1"],
    },
    {
      why: "Later, publish a version with tabs and a sidebar.",
      words: ["layouts", "draft", "push", PROFILE, `${FILES}/drafts/candidate-profile.yaml`, "--publish"],
      output: ["Published it as version 2"],
    },
    {
      why: "Compare the two versions.",
      words: ["layouts", "versions", "diff", PROFILE, "1", "2"],
      output: ["f_rate"],
    },
    {
      why: "Restore version 1 as the draft. The published version does not change.",
      words: ["layouts", "versions", "restore", PROFILE, "1"],
      output: ["version 3"],
    },
    {
      why: "List the versions: version 2 is still published.",
      words: ["layouts", "versions", "list", PROFILE],
      output: ["PUBLISHED", "ARCHIVED", "DRAFT"],
    },
  ],
};

const access: Chapter = {
  title: "Access and defaults",
  steps: [
    {
      why: "Grant access to a role.",
      words: ["forms", "access", "grant", PROFILE, "--role", "Recruiter", "--types", "VIEW,EDIT"],
      output: ["Recruiter"],
    },
    {
      why: "Grant access to one member.",
      words: ["forms", "access", "grant", PROFILE, "--member", "dana@northwind.example", "--types", "VIEW"],
      output: ["dana@northwind.example"],
    },
    {
      why: "Make the profile the default for viewing and editing.",
      words: ["forms", "defaults", "set", "staffing/candidate", "VIEW=Candidate profile", "EDIT=Candidate profile"],
    },
    {
      why: "List the forms.",
      words: ["forms", "list", "staffing/candidate"],
      output: ["CREATE usable", "VIEW usable, EDIT usable", "1 user, 1 role"],
    },
  ],
};

const brokenDraft: Chapter = {
  title: "An invalid draft",
  steps: [
    {
      why: "Create a form for the compliance team.",
      words: [
        "forms",
        "create",
        "compliance/document_check",
        "--name",
        "Document review",
        "--types",
        "CREATE,VIEW,EDIT",
      ],
    },
    {
      why: "Save an invalid draft. The command lists all problems with their lines, and the service keeps the draft.",
      words: ["layouts", "draft", "push", REVIEW, `${FILES}/drafts/document-review-broken.yaml`],
      exit: 3,
      output: ["document-review-broken.yaml:9:74", "FIELD_UNKNOWN", "REQUIRED_FIELD_MISSING", "2 errors"],
    },
    {
      why: "An invalid draft can't be published.",
      words: ["layouts", "publish", REVIEW],
      exit: 3,
      output: ["FIELD_UNKNOWN", "REQUIRED_FIELD_MISSING", "can't be published"],
    },
    {
      why: "Save the corrected draft.",
      words: ["layouts", "draft", "push", REVIEW, `${FILES}/drafts/document-review.yaml`],
      capture: { name: "draft", pattern: /Saved draft (ver_\w+)/ },
      output: ["valid"],
    },
    {
      why: "Meanwhile another user saves a draft of the same layout.",
      words: ["layouts", "draft", "push", REVIEW, `${FILES}/drafts/document-review.yaml`],
    },
    {
      why: "Publish only the draft that was checked: the command fails, because it is no longer the current draft.",
      words: ["layouts", "publish", REVIEW, "--draft", "{draft}"],
      exit: 6,
      output: ["is not the current draft"],
    },
    {
      why: "Publish the current draft after reviewing it.",
      words: ["layouts", "publish", REVIEW],
      output: ["can be used for: CREATE, VIEW, EDIT"],
    },
  ],
};

const dataModel: Chapter = {
  title: "A layout that changes fields",
  steps: [
    {
      why: "A subordinate object has no forms: milestones are edited in their placement.",
      words: ["forms", "create", "staffing/placement_milestone", "--name", "Milestone", "--types", "CREATE"],
      exit: 6,
      output: ["subordinate object"],
    },
    {
      why: "Create a form for placements.",
      words: ["forms", "create", "staffing/placement", "--name", "Placement desk", "--types", "CREATE,VIEW,EDIT"],
    },
    {
      why: "Save a draft that stages a new field, the PO number. A warning does not prevent publishing.",
      words: ["layouts", "draft", "push", DESK, `${FILES}/drafts/placement-desk.yaml`],
      output: ["LABEL_MISSING", "valid, with warnings"],
    },
    {
      why: "Publish the layout, which creates the field.",
      words: ["layouts", "publish", DESK],
      output: ["po_number"],
    },
    {
      why: "Save a draft that stages the deletion of a field with values.",
      words: ["layouts", "draft", "push", DESK, `${FILES}/drafts/placement-desk-without-pay-rate.yaml`],
      output: ["57 values"],
    },
    {
      why: "Compare the published version with the draft.",
      words: ["layouts", "versions", "diff", DESK, "latest", "draft"],
      output: ["f_pay", "stagedFieldDefinitions"],
    },
    {
      why: "Publishing requires confirmation, because it deletes values.",
      words: ["layouts", "publish", DESK],
      exit: 8,
      output: ["pay_rate", "57 values", "--confirm-field-change d_pay"],
    },
    {
      why: "Confirm the deletion and publish.",
      words: ["layouts", "publish", DESK, "--confirm-field-change", "d_pay"],
      output: ["Published version 2", "pay_rate"],
    },
  ],
};

const narrowing: Chapter = {
  title: "Remove a mode from a form",
  steps: [
    {
      why: "A mode can't be removed while the form is its default.",
      words: ["forms", "update", PROFILE, "--remove-type", "EDIT"],
      exit: 6,
      output: ["is the default for EDIT"],
    },
    {
      why: "Clear the default first.",
      words: ["forms", "defaults", "clear", "staffing/candidate", "EDIT"],
    },
    {
      why: "Removing the mode removes access, so it requires confirmation.",
      words: ["forms", "update", PROFILE, "--remove-type", "EDIT"],
      exit: 8,
      output: ["access of role Recruiter: EDIT", "--yes"],
    },
    {
      why: "Confirm with --yes.",
      words: ["forms", "update", PROFILE, "--remove-type", "EDIT", "--yes"],
    },
    {
      why: "Show the remaining access.",
      words: ["forms", "access", "show", PROFILE],
      output: ["Recruiter", "dana@northwind.example"],
    },
  ],
};

const requiredField: Chapter = {
  title: "A new required field",
  steps: [
    {
      why: "Add a required field without a default value.",
      words: ["local", "seed", `${FILES}/new-required-field.yaml`],
      output: ["consent_given"],
    },
    {
      why: "The form for creating candidates is no longer usable, because it lacks the field.",
      words: ["forms", "get", INTAKE],
      output: ["CREATE invalid", "consent_given"],
    },
    {
      why: "Publish a version with the field.",
      words: ["layouts", "draft", "push", INTAKE, `${FILES}/drafts/candidate-intake-with-consent.yaml`, "--publish"],
      output: ["Published it as version 2"],
    },
    {
      why: "The form is usable again.",
      words: ["forms", "get", INTAKE],
      output: ["CREATE usable"],
    },
    {
      why: "Restoring the previous version gives an invalid draft.",
      words: ["layouts", "versions", "restore", INTAKE, "1"],
      exit: 3,
      output: ["REQUIRED_FIELD_MISSING"],
    },
  ],
};

const deletion: Chapter = {
  title: "Delete a form",
  steps: [
    {
      why: "A default form can't be deleted.",
      words: ["forms", "delete", INTAKE],
      exit: 6,
      output: ["is the default for CREATE"],
    },
    {
      why: "Clear the default.",
      words: ["forms", "defaults", "clear", "staffing/candidate", "CREATE"],
    },
    {
      why: "Deleting the form requires confirmation. The command lists what is deleted.",
      words: ["forms", "delete", INTAKE],
      exit: 8,
      output: ["2 uploaded files", "--allow-delete"],
    },
    {
      why: "Confirm with --allow-delete.",
      words: ["forms", "delete", INTAKE, "--allow-delete"],
      output: ["Deleted the form"],
    },
    {
      why: "The uploaded files of the form are deleted too.",
      words: ["local", "uploads", "list", INTAKE],
      exit: 5,
      output: ["does not exist"],
    },
  ],
};

const neighbors: Chapter = {
  title: "A second organization",
  steps: [
    {
      why: "Add another organization to the store.",
      words: ["local", "seed", `${FILES}/contoso.yaml`],
      output: ["contoso care/visit"],
    },
    {
      why: "The organization must be specified now.",
      words: ["forms", "list", "staffing/candidate"],
      exit: 64,
      output: ["contoso, northwind", "--organization"],
    },
    {
      why: "List the forms of Northwind.",
      words: ["forms", "list", "staffing/candidate", "--organization", "northwind"],
      output: ["Candidate profile"],
    },
    {
      why: "Contoso can't access them.",
      words: ["forms", "list", "staffing/candidate", "--organization", "contoso"],
      exit: 5,
      output: ["does not exist"],
    },
    {
      why: "Check the integrity of the store.",
      words: ["local", "check"],
      output: ["No problems found."],
    },
  ],
};

const CODE = ["--store", "code.db"];
const MANIFESTS = `${FILES}/manifests`;

const asCode: Chapter = {
  title: "Layouts as code",
  steps: [
    {
      why: "Create a test environment with only the organization.",
      words: ["local", "init", ...CODE],
      output: ["Created the local store"],
    },
    {
      why: "Seed the same file.",
      words: ["local", "seed", `${FILES}/organization.yaml`, ...CODE, "-o", "name"],
    },
    {
      why: "Validate the manifests of forms and layouts in a repository.",
      words: ["validate", MANIFESTS, ...CODE],
      output: ["LABEL_MISSING", "9 manifests", "1 warning"],
    },
    {
      why: "Show the changes needed in the test environment.",
      words: ["plan", MANIFESTS, ...CODE, "-q"],
      output: ["+ create form staffing/candidate/Candidate intake", "creates the field po_number", "9 to create"],
    },
    {
      why: "Apply the changes.",
      words: ["apply", MANIFESTS, ...CODE, "--yes", "-q"],
      output: ["9 created"],
    },
    {
      why: "Apply again: there is nothing to do, and no request is sent.",
      words: ["apply", MANIFESTS, ...CODE, "-q"],
      output: ["No changes"],
    },
    {
      why: "Change a form without changing its manifest.",
      words: ["forms", "update", INTAKE, "--title", "Come to Northwind", ...CODE, "-o", "name"],
    },
    {
      why: "The status shows the drift.",
      words: ["status", MANIFESTS, ...CODE, "-q"],
      output: ["changed on target"],
    },
    {
      why: "Apply the manifests again, which undoes the change.",
      words: ["apply", MANIFESTS, ...CODE, "--yes", "-q"],
      output: ["1 updated, 8 unchanged"],
    },
    {
      why: "Create a form without a manifest.",
      words: ["forms", "create", "staffing/candidate", "--name", "Trial", "--types", "VIEW", ...CODE, "-o", "name"],
    },
    {
      why: "Deleting it requires --prune and --allow-delete: with --prune alone nothing is deleted.",
      words: ["apply", MANIFESTS, ...CODE, "--prune", "--yes", "-q"],
      exit: 8,
      output: ["Trial", "--allow-delete"],
    },
    {
      why: "Delete it.",
      words: ["apply", MANIFESTS, ...CODE, "--prune", "--yes", "--allow-delete", "-q"],
      output: ["1 deleted"],
    },
  ],
};

/** The story on one screen: a form, a refusal, a publication, a restored version, a plan and its apply. */
export const shortStory: Chapter = {
  title: "Northwind Staffing",
  steps: [
    {
      why: "The local store contains the whole service in one file, here with an example organization.",
      words: ["local", "init", "--demo", "-q"],
      output: ["Created the local store", "5 forms, 5 layouts"],
    },
    {
      why: "These forms of candidates were created. Each has a layout, and a default for each mode.",
      words: ["forms", "list", "staffing/candidate"],
      output: ["CREATE usable", "VIEW usable, EDIT usable"],
    },
    {
      why: "Save a layout with mistakes. Each is reported at its line, and the draft can't be published.",
      words: ["layouts", "draft", "push", REVIEW, `${FILES}/drafts/document-review-broken.yaml`, "-q"],
      exit: 3,
      output: ["document-review-broken.yaml:9:74", "FIELD_UNKNOWN", "2 errors"],
    },
    {
      why: "Save and publish another layout. It lacks the tabs and the sidebar of the published version.",
      words: ["layouts", "draft", "push", PROFILE, `${FILES}/drafts/candidate-profile-first.yaml`, "--publish", "-q"],
      output: ["Published it as version 3"],
    },
    {
      why: "Restore the previous version, and publish it.",
      words: ["layouts", "versions", "restore", PROFILE, "2", "--publish", "-q"],
      output: ["Published it as version 4"],
    },
    {
      why: "All versions stay.",
      words: ["layouts", "versions", "list", PROFILE],
      output: ["PUBLISHED", "ARCHIVED"],
    },
    {
      why: "Forms are also files in a repository. Change one without its file.",
      words: ["forms", "update", INTAKE, "--title", "Come to Northwind", "-o", "name", "-q"],
    },
    {
      why: "The plan shows what differs from the files.",
      words: ["plan", `${FILES}/manifests/candidate.yaml`, "-q"],
      output: ['"Come to Northwind" → "Work with Northwind"', "1 to change"],
    },
    {
      why: "Apply the plan: the target equals the files again.",
      words: ["apply", `${FILES}/manifests/candidate.yaml`, "--yes", "-q"],
      output: ["1 updated, 1 unchanged"],
    },
  ],
};

export const story: readonly Chapter[] = [
  setUp,
  firstForm,
  versions,
  access,
  brokenDraft,
  dataModel,
  narrowing,
  requiredField,
  deletion,
  neighbors,
  asCode,
];
