/** What an id or key in a path is made of. */

export const IDENTIFIER = /^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

/** Whether `text` can be an id or a key in a path: no slash, no `..`, 128 characters at most. */
export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text);
}
