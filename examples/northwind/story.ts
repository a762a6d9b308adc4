/**
 * The story of Northwind Staffing: what an operator types, and how each line ends. `demo.ts` tells it, the tests hold the
 * program to it.
 */

export type Step = {
  /** Why somebody types this. */
  why: string;
  /** The words after `formctl`. `{name}` stands for what an earlier step kept. */
  words: readonly string[];
  /** The exit code; 0 unless told. */
  exit?: number;
  /** What the answer says, among other things. */
  says?: readonly string[];
  /** What a later step needs of the answer: the first group of the pattern. */
  keeps?: { name: string; pattern: RegExp };
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
      why: "The whole service is one file on this machine.",
      words: ["local", "init"],
      says: ["Created the local store"],
    },
    {
      why: "Objects, fields, roles and members come from a file: the API has no endpoint for them.",
      words: ["local", "seed", `${FILES}/organization.yaml`],
      says: ["recruiter, account_manager", "full_name, email"],
    },
  ],
};

const firstForm: Chapter = {
  title: "A form, from nothing to use",
  steps: [
    {
      why: "A form comes with a layout and an empty draft of it.",
      words: ["forms", "create", "staffing/candidate", "--name", "Candidate intake", "--types", "CREATE", "--public"],
      says: ["CREATE draft only"],
    },
    {
      why: "What people read above it, and after they have sent it.",
      words: ["forms", "update", INTAKE, "--title", "Work with Northwind", "--success-message", "We will call you."],
      says: ["Work with Northwind"],
    },
    {
      why: "The fields and where they stand are a draft file.",
      words: ["layouts", "draft", "push", INTAKE, `${FILES}/drafts/candidate-intake.yaml`],
      says: ["version 1", "valid"],
    },
    {
      why: "Only a published layout can be used.",
      words: ["layouts", "publish", INTAKE],
      says: ["can be used for: CREATE"],
    },
    {
      why: "When nobody names a form, candidates are created with this one.",
      words: ["forms", "defaults", "set", "staffing/candidate", "CREATE=Candidate intake"],
      says: ["usable"],
    },
    {
      why: "The form is public: somebody sends a file through it.",
      words: ["local", "uploads", "add", INTAKE, `${FILES}/uploads/mia-park.txt`],
      says: ["Added mia-park.txt"],
    },
    {
      why: "And somebody else.",
      words: ["local", "uploads", "add", INTAKE, `${FILES}/uploads/jon-vale.txt`],
      says: ["Added jon-vale.txt"],
    },
  ],
};

const versions: Chapter = {
  title: "Versions",
  steps: [
    {
      why: "A second form, to look at candidates and to edit them.",
      words: ["forms", "create", "staffing/candidate", "--name", "Candidate profile", "--types", "VIEW,EDIT"],
    },
    {
      why: "Push and publish in one go.",
      words: ["layouts", "draft", "push", PROFILE, `${FILES}/drafts/candidate-profile-first.yaml`, "--publish"],
      says: ["Published it as version 1"],
    },
    {
      why: "A week later the profile has tabs and a sidebar.",
      words: ["layouts", "draft", "push", PROFILE, `${FILES}/drafts/candidate-profile.yaml`, "--publish"],
      says: ["Published it as version 2"],
    },
    {
      why: "What has changed?",
      words: ["layouts", "versions", "diff", PROFILE, "1", "2"],
      says: ["f_rate"],
    },
    {
      why: "Version 1 was better? It becomes the draft again; what people use stays as it is.",
      words: ["layouts", "versions", "restore", PROFILE, "1"],
      says: ["version 3"],
    },
    {
      why: "So version 2 is still the published one.",
      words: ["layouts", "versions", "list", PROFILE],
      says: ["PUBLISHED", "ARCHIVED", "DRAFT"],
    },
  ],
};

const access: Chapter = {
  title: "Who may use it, and when",
  steps: [
    {
      why: "A role gets access.",
      words: ["forms", "access", "grant", PROFILE, "--role", "Recruiter", "--types", "VIEW,EDIT"],
      says: ["Recruiter"],
    },
    {
      why: "So does one person.",
      words: ["forms", "access", "grant", PROFILE, "--member", "dana@northwind.example", "--types", "VIEW"],
      says: ["dana@northwind.example"],
    },
    {
      why: "The profile is what people see and edit by default.",
      words: ["forms", "defaults", "set", "staffing/candidate", "VIEW=Candidate profile", "EDIT=Candidate profile"],
    },
    {
      why: "All of it at a glance.",
      words: ["forms", "list", "staffing/candidate"],
      says: ["CREATE usable", "VIEW usable, EDIT usable", "1 user, 1 role"],
    },
  ],
};

const brokenDraft: Chapter = {
  title: "A draft that is wrong",
  steps: [
    {
      why: "A form for the compliance team.",
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
      why: "Every mistake of a draft is told at once, at its line. The draft is kept, so that work is not lost.",
      words: ["layouts", "draft", "push", REVIEW, `${FILES}/drafts/document-review-broken.yaml`],
      exit: 3,
      says: ["document-review-broken.yaml:9:74", "FIELD_UNKNOWN", "REQUIRED_FIELD_MISSING", "2 errors"],
    },
    {
      why: "It can't be published.",
      words: ["layouts", "publish", REVIEW],
      exit: 3,
      says: ["FIELD_UNKNOWN", "REQUIRED_FIELD_MISSING", "can't be published"],
    },
    {
      why: "Corrected.",
      words: ["layouts", "draft", "push", REVIEW, `${FILES}/drafts/document-review.yaml`],
      keeps: { name: "draft", pattern: /Saved draft (ver_\w+)/ },
      says: ["valid"],
    },
    {
      why: "Meanwhile a colleague pushes a draft of the same layout.",
      words: ["layouts", "draft", "push", REVIEW, `${FILES}/drafts/document-review.yaml`],
    },
    {
      why: "Who publishes the draft that was checked, and no other, is told that it is not the present one.",
      words: ["layouts", "publish", REVIEW, "--draft", "{draft}"],
      exit: 6,
      says: ["is not the draft"],
    },
    {
      why: "Having looked at it:",
      words: ["layouts", "publish", REVIEW],
      says: ["can be used for: CREATE, VIEW, EDIT"],
    },
  ],
};

const dataModel: Chapter = {
  title: "A layout that changes the data",
  steps: [
    {
      why: "Milestones belong to their placement and are edited there: they have no forms.",
      words: ["forms", "create", "staffing/placement_milestone", "--name", "Milestone", "--types", "CREATE"],
      exit: 6,
      says: ["subordinate object"],
    },
    {
      why: "Placements do.",
      words: ["forms", "create", "staffing/placement", "--name", "Placement desk", "--types", "CREATE,VIEW,EDIT"],
    },
    {
      why: "This draft stages a new field, the PO number. A warning stops nothing.",
      words: ["layouts", "draft", "push", DESK, `${FILES}/drafts/placement-desk.yaml`],
      says: ["LABEL_MISSING", "valid, with warnings"],
    },
    {
      why: "The field is made when the layout is published.",
      words: ["layouts", "publish", DESK],
      says: ["po_number"],
    },
    {
      why: "The next draft stages the end of another field, which has values.",
      words: ["layouts", "draft", "push", DESK, `${FILES}/drafts/placement-desk-without-pay-rate.yaml`],
      says: ["57 values"],
    },
    {
      why: "What would change?",
      words: ["layouts", "versions", "diff", DESK, "latest", "draft"],
      says: ["f_pay", "stagedFieldDefinitions"],
    },
    {
      why: "Values are not thrown away by accident.",
      words: ["layouts", "publish", DESK],
      exit: 8,
      says: ["pay_rate", "57 values", "--confirm-field-change d_pay"],
    },
    {
      why: "They are thrown away on purpose.",
      words: ["layouts", "publish", DESK, "--confirm-field-change", "d_pay"],
      says: ["Published version 2", "pay_rate"],
    },
  ],
};

const narrowing: Chapter = {
  title: "Taking a mode from a form",
  steps: [
    {
      why: "The profile is the default for editing, so it must be able to.",
      words: ["forms", "update", PROFILE, "--remove-type", "EDIT"],
      exit: 6,
      says: ["is the default for EDIT"],
    },
    {
      why: "First the default goes.",
      words: ["forms", "defaults", "clear", "staffing/candidate", "EDIT"],
    },
    {
      why: "Then there is access to lose, which is said before it happens.",
      words: ["forms", "update", PROFILE, "--remove-type", "EDIT"],
      exit: 8,
      says: ["access of role Recruiter: EDIT", "--yes"],
    },
    {
      why: "Yes.",
      words: ["forms", "update", PROFILE, "--remove-type", "EDIT", "--yes"],
    },
    {
      why: "What is left:",
      words: ["forms", "access", "show", PROFILE],
      says: ["Recruiter", "dana@northwind.example"],
    },
  ],
};

const requiredField: Chapter = {
  title: "A required field arrives",
  steps: [
    {
      why: "Somebody makes a new field required, without a default.",
      words: ["local", "seed", `${FILES}/new-required-field.yaml`],
      says: ["consent_given"],
    },
    {
      why: "A form that creates candidates and does not ask for it can't work any more.",
      words: ["forms", "get", INTAKE],
      says: ["CREATE invalid", "consent_given"],
    },
    {
      why: "The next version asks.",
      words: ["layouts", "draft", "push", INTAKE, `${FILES}/drafts/candidate-intake-with-consent.yaml`, "--publish"],
      says: ["Published it as version 2"],
    },
    {
      why: "Usable again.",
      words: ["forms", "get", INTAKE],
      says: ["CREATE usable"],
    },
    {
      why: "The former version would be no way back: as a draft it is invalid now.",
      words: ["layouts", "versions", "restore", INTAKE, "1"],
      exit: 3,
      says: ["REQUIRED_FIELD_MISSING"],
    },
  ],
};

const deletion: Chapter = {
  title: "Deleting a form",
  steps: [
    {
      why: "It is the default for creating candidates.",
      words: ["forms", "delete", INTAKE],
      exit: 6,
      says: ["is the default for CREATE"],
    },
    {
      why: "Not any more.",
      words: ["forms", "defaults", "clear", "staffing/candidate", "CREATE"],
    },
    {
      why: "What goes with it is said first.",
      words: ["forms", "delete", INTAKE],
      exit: 8,
      says: ["2 uploaded files", "--allow-delete"],
    },
    {
      why: "Agreed.",
      words: ["forms", "delete", INTAKE, "--allow-delete"],
      says: ["Deleted the form"],
    },
    {
      why: "Its files are gone with it.",
      words: ["local", "uploads", "list", INTAKE],
      exit: 5,
      says: ["does not exist"],
    },
  ],
};

const neighbours: Chapter = {
  title: "A second organization",
  steps: [
    {
      why: "Another organization moves into the same store.",
      words: ["local", "seed", `${FILES}/contoso.yaml`],
      says: ["contoso care/visit"],
    },
    {
      why: "From now on it must be said whose forms are meant.",
      words: ["forms", "list", "staffing/candidate"],
      exit: 64,
      says: ["contoso, northwind", "--organization"],
    },
    {
      why: "Northwind's are where they were.",
      words: ["forms", "list", "staffing/candidate", "--organization", "northwind"],
      says: ["Candidate profile"],
    },
    {
      why: "For Contoso they do not exist.",
      words: ["forms", "list", "staffing/candidate", "--organization", "contoso"],
      exit: 5,
      says: ["does not exist"],
    },
    {
      why: "After all that, is the store sound?",
      words: ["local", "check"],
      says: ["No problems found."],
    },
  ],
};

const CODE = ["--store", "code.db"];
const MANIFESTS = `${FILES}/manifests`;

const asCode: Chapter = {
  title: "All of it as code",
  steps: [
    {
      why: "A test environment, which has nothing but the organization.",
      words: ["local", "init", ...CODE],
      says: ["Created the local store"],
    },
    {
      why: "The same file as in the beginning.",
      words: ["local", "seed", `${FILES}/organization.yaml`, ...CODE, "-o", "name"],
    },
    {
      why: "Forms and layouts are in a repository. Is anything wrong with them?",
      words: ["validate", MANIFESTS, ...CODE],
      says: ["LABEL_MISSING", "9 manifests", "1 warning"],
    },
    {
      why: "What would they change here?",
      words: ["plan", MANIFESTS, ...CODE, "-q"],
      says: ["+ create form staffing/candidate/Candidate intake", "creates the field po_number", "9 to create"],
    },
    {
      why: "Do it.",
      words: ["apply", MANIFESTS, ...CODE, "--yes", "-q"],
      says: ["9 created"],
    },
    {
      why: "Once more: there is nothing left to do, and nothing is sent.",
      words: ["apply", MANIFESTS, ...CODE, "-q"],
      says: ["No changes"],
    },
    {
      why: "Somebody changes a form by hand.",
      words: ["forms", "update", INTAKE, "--title", "Come to Northwind", ...CODE, "-o", "name"],
    },
    {
      why: "Which is seen.",
      words: ["status", MANIFESTS, ...CODE, "-q"],
      says: ["changed there"],
    },
    {
      why: "And undone, if nobody puts it into the repository.",
      words: ["apply", MANIFESTS, ...CODE, "--yes", "-q"],
      says: ["1 updated, 8 unchanged"],
    },
    {
      why: "A form that no manifest names stays, unless it is said twice that it may go.",
      words: ["forms", "create", "staffing/candidate", "--name", "Trial", "--types", "VIEW", ...CODE, "-o", "name"],
    },
    {
      why: "Once:",
      words: ["apply", MANIFESTS, ...CODE, "--prune", "--yes", "-q"],
      exit: 8,
      says: ["Trial", "--allow-delete"],
    },
    {
      why: "Twice:",
      words: ["apply", MANIFESTS, ...CODE, "--prune", "--yes", "--allow-delete", "-q"],
      says: ["1 deleted"],
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
  neighbours,
  asCode,
];
