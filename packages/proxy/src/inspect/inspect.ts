import type { Behind } from '../behind.js';
import type { Flow, Reached } from '../judge/reach.js';
import { Inspection, type InspectionParts } from './inspection.js';

type Limits = Pick<InspectionParts, 'firstMs' | 'maxHeadBytes'>;

/** The bounds of an inspected connection, among those of all. */
export function limitsOf({ limits }: Pick<Behind, 'limits'>): Limits {
  return { firstMs: limits.headMs, maxHeadBytes: limits.maxHeadBytes };
}

/** What an inspected connection is made of. */
export type InspectParts = Limits &
  Pick<InspectionParts, 'client' | 'share' | 'spend' | 'monotonic' | 'lingerMs'> & {
    readonly reached: Reached;
    readonly port: number;
  };

/** Begins to carry an inspected connection, with what was read of the client already. */
export function inspect({ reached, port, ...parts }: InspectParts, rest: Buffer | undefined): Flow {
  const { inject, server, host } = reached;
  if (inject === undefined) throw new Error('a connection is inspected without anything to put in');
  const inspection = new Inspection({ ...parts, ...inject, server, place: { host, port } });
  inspection.start(rest);
  return { carriage: inspection, hello: () => inspection.hello, tally: () => inspection.tally };
}
