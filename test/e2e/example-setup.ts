/** The setup of examples: the commands that run before an example. */

const NEW_MIGRATION = "formctl migrate new 20261122-1000-replace-pay-rate";

const MIGRATION =
  "mkdir -p migrations && " +
  "echo 'export default { form: (form) => ({ ...form, isActive: true }) };' > migrations/20261122-1000-replace-pay-rate.mjs";
const SCRIPT = "echo 'formctl forms list staffing/candidate' > release.sh";

const TWO_STORES = [
  "formctl local init --demo --store staging.db",
  "formctl local init --demo --store production.db",
  "formctl profiles add staging --store ./staging.db",
  "formctl profiles add production --store ./production.db",
].join(" && ");

/** The setup of a line: the command that creates a necessary file or record. */
export const before: Readonly<Record<string, string>> = {
  'formctl forms access set "staffing/candidate/Candidate profile" -f access.yaml --dry-run':
    "echo '{users: [], roles: []}' > access.yaml",
  "formctl apply plan.json --yes": "formctl plan forms/candidate.yaml --out plan.json",
  "formctl diff --from staging --to production": TWO_STORES,
  "formctl diff --from staging --to ./production.db#northwind staffing/candidate": TWO_STORES,
  "formctl promote --from staging --to production": TWO_STORES,
  "formctl promote --from staging --to production staffing/candidate --out plan.json": TWO_STORES,
  'formctl local uploads add "staffing/candidate/Candidate intake" cv.pdf': "echo Mia Park > cv.pdf",
  'formctl local uploads add "staffing/candidate/Candidate intake" cv.pdf -o name': "echo Mia Park > cv.pdf",
  "formctl local reset --store ./test.db --yes": "formctl local init --store ./test.db",
  "formctl local copy forms.db archive.db": "formctl local init --demo --store forms.db",
  "formctl local copy forms.db postgres://formctl@db.example.com/formctl": "formctl local init --demo --store forms.db",
  "formctl local restore before-upgrade.db --yes": "formctl local backup before-upgrade.db",
  "formctl local restore before-upgrade.db --store ./copy.db": "formctl local backup before-upgrade.db",
  "formctl local tokens revoke ci": "formctl local tokens create --name ci",
  "formctl local tokens revoke ci --organization northwind": "formctl local tokens create --name ci",
  "formctl migrate status --detailed-exitcode -o json": NEW_MIGRATION,
  "formctl migrate baseline 20261122-1000-replace-pay-rate --yes": NEW_MIGRATION,
  "formctl migrate baseline 20261122-1000-replace-pay-rate --dry-run": NEW_MIGRATION,
  "formctl migrate plan --detailed-exitcode": MIGRATION,
  "formctl migrate run migrations.plan.json --yes": `${MIGRATION} && formctl migrate plan --out migrations.plan.json`,
  "formctl codemod replace-pay-rate forms --dry-run": MIGRATION,
  "formctl codemod 20261122-1000-replace-pay-rate forms --yes": MIGRATION,
  "formctl rehearse release.sh --yes": SCRIPT,
  "formctl rehearse release.sh --yes -o json -- staffing/candidate 3": SCRIPT,
  "formctl profiles remove prod": "formctl profiles add prod --base-url https://forms.example.com",
  "formctl profiles remove sandbox": "formctl profiles add sandbox --store ./sandbox.db",
  "formctl profiles use sandbox": "formctl profiles add sandbox --store ./sandbox.db",
  "formctl profiles use prod": "formctl profiles add prod --base-url https://forms.example.com",
};

/** The setup of lines that need a profile of a server. A line that uses a token also needs a stored token. */
const PROFILE = "formctl profiles add prod --base-url $FORMCTL_TEST_URL";
const LOGIN = "formctl auth login --profile prod --token-file ./token.txt";
/** Sets the server as the target of the next commands. */
const SERVER = "export FORMCTL_BASE_URL=$FORMCTL_TEST_URL FORMCTL_TOKEN=$(cat ./token.txt)";
export const onServer: Readonly<Record<string, string>> = {
  "formctl auth login --profile prod": `${PROFILE} && exec < ./token.txt`,
  "formctl auth login --profile prod --token-file ./token.txt": PROFILE,
  "pass show formctl | formctl auth login --profile prod": `${PROFILE} && pass() { cat ./token.txt; }`,
  "formctl auth logout --profile prod": `${PROFILE} && ${LOGIN}`,
  "FORMCTL_PROFILE=prod formctl auth logout": `${PROFILE} && ${LOGIN}`,
  "formctl auth status --profile prod": `${PROFILE} && ${LOGIN}`,
  "formctl auth status --profile prod -o json --query source": `${PROFILE} && ${LOGIN}`,
  "formctl doctor --contract --from recording.har": `${SERVER} && formctl currencies list -q --har recording.har > /dev/null`,
  "formctl doctor --contract --save contract.json": SERVER,
  "formctl doctor --contract --compare contract.json": `${SERVER} && formctl doctor --contract --save contract.json -q`,
};
