import type { BytePath } from '../files/byte-path.js';

/** Sorts of things in a folder. `other`: a pipe, a socket, a device. */
export type Kind = 'file' | 'folder' | 'link' | 'other';

/** A thing in a folder, as it was when it was looked at. */
export interface FileState {
  readonly kind: Kind;
  /** Its permissions, with set-id bits and the sticky one. */
  readonly mode: number;
  /** Bytes of a file; of anything else 0. */
  readonly size: number;
  readonly inode: bigint;
  /** When its name, mode or content was last changed, in nanoseconds: nobody can set it but by the clock. */
  readonly changedAt: bigint;
  /** When its content was last changed, in nanoseconds, as its owner says. */
  readonly modifiedAt: bigint;
  /** SHA-256 of a file's bytes, in hex; undefined for anything else, and for a file that was not read. */
  readonly sha256: string | undefined;
  /** The text of a link; undefined for anything else. */
  readonly target: BytePath | undefined;
}

/**
 * The way in which a world changed a path: `replaced` by another sort of thing, `touched` if only its time
 * is another.
 */
export type How = 'added' | 'modified' | 'deleted' | 'mode' | 'replaced' | 'touched';

/** A difference between a project and what a world sees of it. */
export interface Change {
  readonly path: BytePath;
  readonly how: How;
  /** In the project, when the change was first seen; undefined for what is added. */
  readonly before: FileState | undefined;
  /** In the layer; undefined for what is deleted. */
  readonly after: FileState | undefined;
  /**
   * The project had changed there behind the world's back before the change was first seen: what `before`
   * says is not what the world began with.
   */
  readonly isStale: boolean;
}

/** All that differs, in the order of paths, folders before what stands in them. */
export interface Diff {
  readonly changes: readonly Change[];
  /** There are more than were looked at, in number, bytes, depth or time. */
  readonly isTruncated: boolean;
}
