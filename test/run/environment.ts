/** Removes the tester's settings from the environment of a test run. Each test sets the variables that it needs. */

/** The variables that a run keeps: how to find programs, folders and the keychain, and the variables of vitest. */
const KEPT =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TMP|TEMP|SYSTEMROOT|NODE_V8_COVERAGE|DBUS_SESSION_BUS_ADDRESS|VITEST\w*|TEST|TEST_WITHOUT_SHELLS|TEST_DEEP|MODE|DEV|PROD|SSR|BASE_URL|NODE_ENV)$/i;

/** Deletes all other variables, and chooses a locale and a time zone that every system has. */
export function removeSettings(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(environment)) if (!KEPT.test(name)) delete environment[name];
  Object.assign(environment, { LANG: "C.UTF-8", TZ: "UTC" });
}
