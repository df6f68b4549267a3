import type { FileState } from '../diff/change.js';
import type { BytePath } from '../files/byte-path.js';

/**
 * A change that is left in the layer: the project is not as it has to be, or the system does not let it.
 * - `changed`: the project has changed there since the world saw it;
 * - `stale`: it changed there, and the world may not have seen it before it wrote;
 * - `exists`: something else has that name now;
 * - `gone`: it is not there any more;
 * - `parent`: its folder is gone, or is something else now;
 * - `holds_others`: a folder to be taken away holds what the world did not know, or what was left;
 * - `git_index`: the index of git has changed on both sides;
 * - `git_objects`: it names objects of git of which one was left;
 * - `layer_changed`: it changed in the layer meanwhile;
 * - `denied`: the system does not let it; `system` has its word;
 * - `not_reached`: the commit stopped before it, since no room is left.
 */
export type ConflictKind =
  | 'changed'
  | 'stale'
  | 'exists'
  | 'gone'
  | 'parent'
  | 'holds_others'
  | 'git_index'
  | 'git_objects'
  | 'layer_changed'
  | 'denied'
  | 'not_reached';

export interface Conflict {
  readonly path: BytePath;
  readonly why: ConflictKind;
  /** The code of the system's error, as `EACCES`. */
  readonly system?: string;
  /** Of one that overwriting ends: as the project was there; its `state` is undefined for nothing. */
  readonly found?: { readonly state: FileState | undefined };
  /** Where in the project the thing that had the name stands now: it could not be put back. */
  readonly aside?: BytePath;
}

/**
 * A change that no commit takes over.
 * - `leads_out`: a link that may lead out of the project;
 * - `special`: a socket, a pipe or a device;
 * - `name`: a name that is none, or that a commit keeps for itself;
 * - `hole`: a file of which nearly all is a hole, itself too large or with the others;
 * - `git_object`: git names it by its content, and that has changed.
 */
export type RefusalKind = 'leads_out' | 'special' | 'name' | 'hole' | 'git_object';

export interface Refusal {
  readonly path: BytePath;
  readonly why: RefusalKind;
}

const EITHER =
  'to see both: `sub world diff --patch PATH`; to keep yours: `sub world discard PATH`; to take the one of the world: `sub world commit --overwrite PATH`';

/** The sentence for people, and what they can do: `PATH` in its commands stands for the path in question. */
export interface LeftWords {
  readonly what: string;
  readonly help: string;
}

/** Those of each conflict. */
export const CONFLICT_WORDS: Readonly<Record<ConflictKind, LeftWords>> = {
  changed: {
    what: 'the project has changed there, too',
    help: EITHER,
  },
  stale: {
    what: 'the project changed there, and the world may not have seen it before it wrote',
    help: EITHER,
  },
  exists: {
    what: 'the project has something else of that name',
    help: EITHER,
  },
  gone: {
    what: 'it is not in the project any more',
    help: 'to leave it so: `sub world discard PATH`; to have the one of the world: `sub world commit --overwrite PATH`',
  },
  parent: {
    what: 'its folder is not in the project any more, or is something else',
    help: 'to leave it so: `sub world discard PATH`; to have the one of the world, with its folder: `sub world commit --overwrite PATH`',
  },
  holds_others: {
    what: 'the folder holds what the world did not know, or what was left',
    help: 'look into it, and remove it yourself',
  },
  git_index: { what: "git's index was left", help: '`git reset` makes it anew' },
  git_objects: {
    what: 'it names objects of git that were left',
    help: 'commit it again, with all of `.git`',
  },
  layer_changed: { what: 'it changed in the layer meanwhile', help: 'commit it again' },
  denied: { what: 'the system does not let it', help: 'look at the permissions of the file and its folder' },
  not_reached: { what: 'no room is left there', help: 'make room, and commit again' },
};

/** Those of each refusal. */
export const REFUSAL_WORDS: Readonly<Record<RefusalKind, LeftWords>> = {
  leads_out: {
    what: 'the link may lead out of the project',
    help: 'make it in the project yourself, if you want it there',
  },
  special: {
    what: 'sockets, pipes and devices are not taken over',
    help: 'the program that needs it makes it: discard it',
  },
  name: { what: 'a commit keeps such names for itself', help: 'give it another name in the world' },
  hole: {
    what: 'nearly all of the file is a hole',
    help: 'discard it, or have its program write a smaller one',
  },
  git_object: {
    what: 'git names it by its content, which has changed',
    help: '`git fsck` in the world says what is wrong; discard it',
  },
};
