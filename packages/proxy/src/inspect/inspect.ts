import type { Flow, Reached } from '../judge/reach.js';
import type { InjectWith } from './injector.js';
import { Inspection, type InspectionParts } from './inspection.js';

/** The parts of an inspected connection. */
export type InspectParts = Omit<InspectionParts, 'server' | 'place' | keyof InjectWith> & {
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
