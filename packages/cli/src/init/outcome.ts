import type { SublError } from '@subluminal/core-types';
import type { ClientOutcome } from '../clients/command/import-lines.js';

/** The names of the servers that are, or would be, routed. */
export function routedIn(files: ClientOutcome['files']): readonly string[] {
  return files.flatMap(({ planned }) =>
    planned.filter(({ becomes }) => becomes === 'routed').map(({ entry }) => entry.name),
  );
}

/** The mistakes that a client, or one of its files, has. */
export function problemsOf({
  problem,
  files,
}: Pick<ClientOutcome, 'problem' | 'files'>): readonly SublError[] {
  return [problem, ...files.map((file) => file.problem)].flatMap((one) => one ?? []);
}
