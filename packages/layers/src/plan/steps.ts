import type { FileState } from '../diff/change.js';
import type { BytePath } from '../files/byte-path.js';
import type { Conflict, Refusal } from './left.js';
import type { Risk } from '../risk/risk.js';

interface Common {
  readonly path: BytePath;
  /** The project's as it was planned with; undefined: there was none. */
  readonly now: FileState | undefined;
}

/** One thing that a commit does to the project. Permissions have no set-id bits but those of a folder. */
export type CommitStep =
  | (Common & { readonly does: 'make_folder'; readonly mode: number })
  | (Common & {
      readonly does: 'put_file';
      /** The file in the layer. */
      readonly from: FileState;
      readonly mode: number;
    })
  | (Common & { readonly does: 'put_link'; readonly target: BytePath })
  | (Common & { readonly does: 'set_mode'; readonly mode: number })
  /** In nanoseconds since 1970. */
  | (Common & { readonly does: 'set_time'; readonly modifiedAt: bigint })
  | (Common & { readonly does: 'remove' })
  | (Common & { readonly does: 'remove_folder' });

/** A change that a person has to be asked about, and why. */
export interface Ask {
  readonly path: BytePath;
  readonly risks: readonly Risk[];
  /** The pattern of the policy that asks; undefined: the risks alone do. */
  readonly pattern: string | undefined;
}

/** A change to which a person has said yes, as they were shown it: nothing else is taken over by that yes. */
export interface Agreed extends Ask {
  /** A file's bytes are pinned by their hash; undefined: it is deleted. */
  readonly after: FileState | undefined;
}

/** All that a commit would do, and all that it would leave. */
export interface CommitPlan {
  /** In their order: objects of git before what names them, folders before what stands in them. */
  readonly steps: readonly CommitStep[];
  /** The project has them already. */
  readonly already: readonly BytePath[];
  readonly conflicts: readonly Conflict[];
  readonly refusals: readonly Refusal[];
  /** Changes that wait for a yes, and are left until then. */
  readonly waiting: readonly Ask[];
  /** Those that have had it, and are taken over. */
  readonly agreed: readonly Agreed[];
  /** Files that git keeps for itself: objects that the world has not any more, locks, half-written files. */
  readonly gitsOwn: readonly BytePath[];
  /** Those that lose their set-id bits. */
  readonly stripped: readonly BytePath[];
  /** The layer has more changes than the diff knows. */
  readonly isPartial: boolean;
}
