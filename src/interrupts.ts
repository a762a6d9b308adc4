/** Ctrl-C and SIGTERM: the work in hand is finished first; a second signal stops at once. */

const EXIT_OF_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const;

/** @returns the exit code of `work`, or the signal's where one came while it ran */
export async function interruptible(work: Promise<number>): Promise<number> {
  let interrupted: number | undefined;
  const handlers = (["SIGINT", "SIGTERM"] as const).map((signal) => {
    const handler = () => {
      if (interrupted !== undefined) process.exit(EXIT_OF_SIGNAL[signal]);
      interrupted = EXIT_OF_SIGNAL[signal];
    };
    process.on(signal, handler);
    return { signal, handler };
  });
  try {
    const exitCode = await work;
    return interrupted ?? exitCode;
  } finally {
    for (const { signal, handler } of handlers) process.removeListener(signal, handler);
  }
}
