/** The outcome of a look at the disk; undefined where the system refuses it. */
export function fromDisk<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return undefined;
    throw error;
  }
}
