/**
 * Does `work` every `intervalMs`. A turn that throws (no file descriptor left, a folder that somebody removed) is told
 * to `onError` and the next one comes: what looks after the gateway must not end it. Returns the function that stops it.
 */
export function startTicking(
  intervalMs: number,
  onError: (error: unknown) => void,
  work: () => void,
): () => void {
  const timer = setInterval(() => {
    try {
      work();
    } catch (error) {
      onError(error);
    }
  }, intervalMs);
  return () => clearInterval(timer);
}
