import { RecentIds } from './recent-ids.js';
import type { Refusal } from './reply.js';

/** All that is remembered of the frames of one connection. */
export class FrameStream {
  /** The request ids that it has used. */
  readonly recent = new RecentIds();
  /** It has shown, in a signed request, that it speaks our protocol. */
  introduced = false;
  /** The refusal of everything on it: its client speaks another protocol. */
  stranger: Refusal | undefined;
  /** Ends when the frame that is read in turns of the event loop is read; undefined while there is none. */
  reading: Promise<unknown> | undefined;
}
