/**
 * A file system that takes longer holds up no decision: the rules decide without, and those that forbid hold.
 * An answer takes well under a millisecond; on a machine whose cores are all busy some take hundreds.
 */
const DEADLINE_MS = 1000;

/** An answer of the file system, or `late` if it has none in time or fails. */
export async function inTime<Found>(ask: (isLate: () => boolean) => Promise<Found>): Promise<Found | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const late = new Promise<'late'>((done) => {
    // After a turn that was long, answers that are there by then are heard before it is too late.
    timer = setTimeout(() => setImmediate(() => done('late')), DEADLINE_MS);
  });
  try {
    return await Promise.race([ask(() => isOver), late]);
  } catch {
    return 'late';
  } finally {
    // Steps that are still under way stop at the next one.
    isOver = true;
    clearTimeout(timer);
  }
}
