import type { Output } from '../output/output.js';

/**
 * The obvious next step, as a last dim line on stderr. A person at a terminal sees it; programs, files and
 * `--json` never do.
 */
export function noteNext(output: Output, step: string): void {
  if (output.showsProgress && !output.json) output.note(output.paintError('dim', `next: ${step}`));
}
