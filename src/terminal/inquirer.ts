/** The prompts that formctl uses. Named imports keep all other prompts, which take 31 KB, out of the bundle. */

export { checkbox, confirm, input, password, search, select } from "@inquirer/prompts";
