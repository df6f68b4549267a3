const POLL_MS = 500;

/**
 * Calls `onGone` once when the process that started this one has ended: then the system gives us another
 * parent. A client that is killed leaves its ends of our pipes to whatever it started, so the end of stdin
 * alone does not tell.
 */
export function watchParent(onGone: () => void): { stop: () => void } {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, POLL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
