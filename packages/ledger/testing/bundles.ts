import { canonicalize, isJsonObject, parseJson } from '@subluminal/core-types';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BUNDLE_FILES,
  exportRun,
  LedgerProver,
  openLedgerReader,
  type BundleManifest,
  type ExportRunOptions,
} from '../src/index.js';

/** Exports a run of the ledger at `path` to `target`. */
export async function exportTo(
  path: string,
  runId: string,
  target: string,
  options: Partial<ExportRunOptions> = {},
): Promise<BundleManifest> {
  const reader = openLedgerReader(path);
  const prover = new LedgerProver(path);
  try {
    return await exportRun({
      reader,
      prover,
      runId,
      target,
      replace: false,
      policy: () => null,
      nowMs: 1_760_000_000_000,
      version: '0.1.0',
      draft: `${target}.new-1`,
      ...options,
    });
  } finally {
    prover.close();
    reader.close();
  }
}

/** A copy of a bundle, to be tampered with. */
export function copyOf(folder: string, name: string): Forged {
  const target = `${folder}-${name}`;
  cpSync(folder, target, { recursive: true });
  return new Forged(target);
}

/** A bundle in the hands of somebody who can write its files, and its manifest to fit. */
export class Forged {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  write(name: string, text: string | Uint8Array): this {
    writeFileSync(join(this.folder, name), text);
    return this;
  }

  /** Edits the lines of a file. */
  lines(name: string, edit: (lines: string[]) => readonly string[]): this {
    return this.write(
      name,
      edit(this.read(name).split('\n').slice(0, -1))
        .map((line) => `${line}\n`)
        .join(''),
    );
  }

  /** Makes the manifest say what the files are now, and what else is given. */
  settle(said: Readonly<Record<string, boolean | number | string>> = {}): this {
    const manifest = parseJson(this.read('manifest.json'));
    if (!isJsonObject(manifest)) throw new TypeError('no manifest');
    const names = Object.values(BUNDLE_FILES).filter((name) => existsSync(join(this.folder, name)));
    const files = Object.fromEntries(
      names.map((name) => {
        const bytes = readFileSync(join(this.folder, name));
        return [name, { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }];
      }),
    );
    return this.write('manifest.json', `${canonicalize({ ...manifest, files, ...said })}\n`);
  }

  get names(): readonly string[] {
    return readdirSync(this.folder).toSorted();
  }
}
