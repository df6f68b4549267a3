import { linkSync, mkdirSync, renameSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';

/** The calls that change files. Passed in: a test ends it before any of its steps, as a kill would. */
export interface FileHands {
  readonly link: (from: string, to: string) => void;
  /** 0700, with the folders above it; one that is there is left as it is. */
  readonly makeFolder: (path: string) => void;
  /** 0700; throws where anything has that name. */
  readonly makeNewFolder: (path: string) => void;
  readonly rename: (from: string, to: string) => void;
  /** A file. */
  readonly remove: (path: string) => void;
  /** An empty folder. */
  readonly removeFolder: (path: string) => void;
  /** Whatever is there, with all in it. */
  readonly removeAll: (path: string) => void;
  /** 0600. */
  readonly write: (path: string, text: string) => void;
}

export const FILE_HANDS: FileHands = {
  link: linkSync,
  makeFolder: (path) => void mkdirSync(path, { recursive: true, mode: 0o700 }),
  makeNewFolder: (path) => mkdirSync(path, { mode: 0o700 }),
  rename: renameSync,
  remove: unlinkSync,
  removeFolder: (path) => rmdirSync(path),
  removeAll: (path) => rmSync(path, { recursive: true, force: true }),
  write: (path, text) => writeFileSync(path, text, { mode: 0o600 }),
};
