/**
 * Confines the code of migrations. What a migration prints does not reach stdout, which contains only the document of
 * the command. A migration can't end the process before its work is recorded.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { Console } from "node:console";
import { Writable } from "node:stream";
import { FormctlError } from "../base/error.ts";

/** Where the running migration prints: the methods of a console, and plain text. `onStray` receives stray errors. */
type Output = { console: Console; print: (text: string) => void; onStray: (error: unknown) => void };

const output = new AsyncLocalStorage<Output>();
let isInstalled = false;

/**
 * Returns a function that runs a part of a migration. What the part prints with `console` or `process.stdout` is passed
 * to `print`. This includes what callbacks and timers of the part print later. In the part, `process.exit` throws
 * MIGRATION_FAILED. Code outside the part is not affected, even while the part runs.
 *
 * @param onStray receives the rejections that the part does not handle, and the errors of its timers
 */
export function confine(print: (text: string) => void, onStray: (error: unknown) => void): <T>(work: () => T) => T {
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      print(chunk.toString());
      done();
    },
  });
  const own: Output = { console: new Console({ stdout: stream, stderr: stream }), print, onStray };
  return (work) => {
    install();
    return output.run(own, work);
  };
}

/**
 * Replaces the functions of `console`, `process.stdout.write` and `process.exit`. The new functions check whether a
 * migration calls them.
 */
function install(): void {
  if (isInstalled) return;
  isInstalled = true;
  const original: Record<string, unknown> = { ...console };
  for (const [name, method] of Object.entries(original)) {
    if (typeof method !== "function" || !Object.hasOwn(Console.prototype, name)) continue;
    (console as unknown as Record<string, unknown>)[name] = (...values: unknown[]): unknown => {
      const own = output.getStore()?.console as unknown as Record<string, typeof method> | undefined;
      return own?.[name] ? Reflect.apply(own[name], own, values) : Reflect.apply(method, console, values);
    };
  }
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    const own = output.getStore();
    if (own === undefined) return (write as (...values: unknown[]) => boolean)(chunk, ...rest);
    own.print(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
    const done = rest.at(-1);
    if (typeof done === "function") process.nextTick(done);
    return true;
  };
  receiveStray("unhandledRejection");
  receiveStray("uncaughtException");
  const exit = process.exit.bind(process);
  process.exit = (code) => {
    if (output.getStore() === undefined) return exit(code);
    throw new FormctlError(
      "MIGRATION_FAILED",
      "the migration calls process.exit",
      "Return from the function to end it, or throw an error to stop the migration.",
    );
  };
}

/** Passes an error of a migration to its `onStray`. Any other error ends the process, as without this function. */
function receiveStray(event: "unhandledRejection" | "uncaughtException"): void {
  const receive = (error: unknown) => {
    const own = output.getStore();
    if (own) return own.onStray(error);
    // The program that uses the library may handle such errors itself.
    if (process.listenerCount(event) > 1) return;
    process.removeListener(event, receive);
    setImmediate(() => {
      throw error;
    });
  };
  process.on(event, receive);
}
