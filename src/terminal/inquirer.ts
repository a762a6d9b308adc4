/** The prompts that formctl uses. Importing them by name keeps the other prompts out of the bundle: 31 of 360 KB. */

export { checkbox, confirm, input, password, select } from "@inquirer/prompts";
