import { exactMask, maskedObject, type HiddenValue } from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';

/** Values of one run; the bindings of its servers give far fewer. */
const MAX_VALUES = 512;

type Mask = (text: string) => string;

/**
 * The secrets that the servers of live runs have: nothing that is recorded of such a run holds one, wherever it came from. In
 * memory alone; after a restart shims tell what their servers have.
 */
export class RunSecrets {
  readonly #runs = new Map<string, { readonly values: HiddenValue[]; mask: Mask | undefined }>();

  /** False where a run has too many, and these were not taken. */
  add(runId: string, values: readonly HiddenValue[]): boolean {
    if (values.length === 0) return true;
    const known = this.#runs.get(runId)?.values ?? [];
    const fresh = values.filter(({ value }) => !known.some((one) => one.value === value));
    if (known.length + fresh.length > MAX_VALUES) return false;
    const all = [...known, ...fresh];
    this.#runs.set(runId, { values: all, mask: exactMask(all) });
    return true;
  }

  /** The run has ended. */
  forget(runId: string): void {
    this.#runs.delete(runId);
  }

  /** The entry as it may be recorded. */
  hide(entry: EntryInput): EntryInput {
    if (this.#runs.size === 0 || entry.runId === null) return entry;
    const mask = this.#runs.get(entry.runId)?.mask;
    if (mask === undefined) return entry;
    const { tool, blobs, data } = entry;
    return {
      ...entry,
      ...(tool === undefined || tool === null ? {} : { tool: maskedTool(mask, tool) }),
      ...(blobs === undefined ? {} : { blobs: maskedBlobs(mask, blobs) }),
      data: maskedObject(data, mask),
    };
  }
}

function maskedTool(
  mask: Mask,
  tool: string | readonly [string, string],
): string | readonly [string, string] {
  return typeof tool === 'string' ? mask(tool) : [mask(tool[0]), mask(tool[1])];
}

function maskedBlobs(mask: Mask, blobs: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(blobs).map(([slot, text]) => [slot, mask(text)]));
}
