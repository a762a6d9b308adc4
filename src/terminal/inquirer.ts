/** The prompts that formctl uses. Named imports keep all other prompts out of the bundle, and save 31 of 360 KB. */

export { checkbox, confirm, input, password, search, select } from "@inquirer/prompts";
