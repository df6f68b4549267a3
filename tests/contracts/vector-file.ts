import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const folder = fileURLToPath(new URL('../../vectors/contracts', import.meta.url));

const Case = { name: z.string().min(1), kind: z.string(), value: z.unknown() };
const VectorFile = z.strictObject({
  about: z.string(),
  kinds: z.record(
    z.string(),
    z.strictObject({
      required: z.array(z.string()),
      unknown_fields: z.enum(['ignored', 'ignored at the top', 'refused']),
    }),
  ),
  valid: z.array(z.strictObject({ ...Case, parsed: z.unknown().optional() })),
  invalid: z.array(z.strictObject({ ...Case, at: z.array(z.string()), reason: z.string().min(1) })),
});
export type VectorFile = z.infer<typeof VectorFile>;

/** Names of the files that stand in vectors/contracts, without their ending. */
export function contractNames(): string[] {
  return readdirSync(folder).map((name) => name.replace(/\.json$/, ''));
}

/** Reads one file of vectors/contracts and checks its own form. */
export function readVectors(name: string): VectorFile {
  return VectorFile.parse(JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8')));
}

/** The first valid value of a kind: the least that is accepted, from which the fields are taken away. */
export function leastOf(file: VectorFile, kind: string): unknown {
  const found = file.valid.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`no valid value of ${kind}`);
  return found.value;
}

/** A copy of `value` without the member at the dotted `path`; throws where there is none. */
export function without(value: unknown, path: string): unknown {
  const copy = structuredClone(value);
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  const parent = steps.reduce((at: unknown, step) => (at as Record<string, unknown>)[step], copy);
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, last))
    throw new Error(`there is no ${path} to take away`);
  delete (parent as Record<string, unknown>)[last];
  return copy;
}

/** Copies of `value`, each with one unknown member in another of its objects, the value itself first. */
export function withUnknownFields(value: unknown): unknown[] {
  const places: string[][] = [];
  const visit = (at: unknown, path: string[]) => {
    if (typeof at !== 'object' || at === null) return;
    if (!Array.isArray(at)) places.push(path);
    for (const [key, child] of Object.entries(at)) visit(child, [...path, key]);
  };
  visit(value, []);
  return places.map((path) => {
    const copy = structuredClone(value);
    const place = path.reduce((at: unknown, step) => (at as Record<string, unknown>)[step], copy);
    (place as Record<string, unknown>)['x_from_a_later_version'] = { anything: [1, null] };
    return copy;
  });
}
