import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../corpus', import.meta.url));
/** Larger finds are not worth a place in the repository. */
const MAX_KEPT_BYTES = 2048;

/** The inputs that are kept for a target: what reached further once, and what broke a promise once. */
export function keptInputs(target: string): Buffer[] {
  const folder = join(FOLDER, target);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .toSorted()
    .map((name) => readFileSync(join(folder, name)));
}

/** Keeps inputs under the hash of their bytes. */
export function keepInputs(target: string, inputs: readonly Buffer[]): void {
  const folder = join(FOLDER, target);
  mkdirSync(folder, { recursive: true });
  for (const input of inputs) {
    if (input.length > MAX_KEPT_BYTES) continue;
    writeFileSync(join(folder, createHash('sha256').update(input).digest('hex').slice(0, 16)), input);
  }
}
