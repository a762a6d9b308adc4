/** The prompts that formctl uses. Importing them by name leaves the rest of the package out of the bundle: 31 of 360 KB. */

export { checkbox, confirm, input, password, select } from "@inquirer/prompts";
