/** How this process waits. */

/** In milliseconds; ends sooner when `until` is aborted. */
export function sleep(milliseconds: number, until?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      until?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, until?.aborted ? 0 : milliseconds);
    until?.addEventListener("abort", end);
  });
}
