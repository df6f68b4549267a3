import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One of the policies that are shipped. */
export interface Starter {
  readonly name: string;
  /** The first sentence of it. */
  readonly about: string;
  readonly policy: string;
  readonly cases: string;
}

/** The policies that are shipped, by name. */
export function starters(folder: string): readonly Starter[] {
  const names = readdirSync(folder).filter((file) => file.endsWith('.yaml') && !file.endsWith('.test.yaml'));
  return names
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((file) => {
      const name = file.slice(0, -'.yaml'.length);
      const policy = readFileSync(join(folder, file), 'utf8');
      const about = /^description: *"?([^"\n]*)"?$/m.exec(policy)?.[1] ?? '';
      return { name, about, policy, cases: readFileSync(join(folder, `${name}.test.yaml`), 'utf8') };
    });
}

/** The cases of a starter policy, for a policy in that file. */
export function casesFor({ name, cases }: Starter, file: string): string {
  return cases.replace(`policy: ${name}.yaml`, `policy: ${file}`);
}

/** The starter policy whose cases these are, whatever file they are for. */
export function starterOfCases(folder: string, text: string): Starter | undefined {
  const file = /^policy: (.*)$/m.exec(text)?.[1] ?? '';
  return starters(folder).find((starter) => casesFor(starter, file) === text);
}
