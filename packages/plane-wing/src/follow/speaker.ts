import { sha256Hex, startOf } from '@subluminal/core-types';
import * as z from 'zod';

/** The agent of a client's session. */
export const speakerSchema = z.strictObject({
  client: z.string(),
  session: z.string(),
  /** A subagent; empty for the agent of the session itself. */
  agent: z.string(),
  /** The type of a subagent, as its client tells it; empty for none. */
  type: z.string().default(''),
});

export type Speaker = Readonly<z.infer<typeof speakerSchema>>;

/** The longest name that an entry takes, in characters, and how much of a longer one stays readable. */
const MAX_NAME = 256;
const READABLE = 128;

/** A speaker by the names that a client gives, of any length. A session without one is that of its run. */
export function speakerNamed(runId: string, { agent, client, session, type }: Speaker): Speaker {
  return {
    client,
    session: session === '' ? runId : short(session),
    agent: short(agent),
    type: short(type),
  };
}

/** Two long names that begin alike stay two: a hash of the whole ends them. */
function short(name: string): string {
  return name.length <= MAX_NAME ? name : `${startOf(name, READABLE)}~${sha256Hex(name)}`;
}
