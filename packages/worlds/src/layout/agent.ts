import { isWithin } from './folder.js';
import type { Toolchain } from './toolchains.js';

/** A file that a world has for itself: what is written there is gone with it. */
export interface OwnFile {
  readonly path: string;
  readonly text: string;
}

/** The files of an agent in its world, besides those that every program finds there. */
export interface AgentView {
  /** The ticket of its run, as JSON. */
  readonly ticket: string;
  /** The text of the program by which its client starts `sub`. */
  readonly launcher: string;
  /** `sub` itself, its Node, and the client, which it may run. */
  readonly programs: readonly Toolchain[];
  /** Folders that are empty but for the files. */
  readonly folders: readonly string[];
  readonly files: readonly OwnFile[];
}

/** The gateway's door in a world, and who goes through it. */
export interface AgentDoor {
  readonly view: AgentView;
  /** The folder of its socket on this machine: the next gateway makes another one there. */
  readonly folder: string;
  /** The gateway's home: in the world a folder of that name has the launcher and the door, and no more. */
  readonly home: string;
}

/**
 * Where whoever is inside finds the ticket (`ipc/src/credential/world-ticket.ts`). A mount of its own: nobody
 * inside can put another in its place.
 */
const TICKET_FOLDER = '/run/subluminal-run';

/** The folders of an agent, before what is shown in them: each may have so many bytes, which are memory. */
export function folderArguments({ view }: AgentDoor, size: string): string[] {
  return view.folders.flatMap((folder) => ['--size', size, '--tmpfs', folder]);
}

/** The surroundings of a door's arguments. */
export interface DoorParts {
  /** Paths that the operator shows: a file that stands there is their own, and is left as it is. */
  readonly shown: readonly string[];
  /** Bytes of each folder that is memory. */
  readonly size: string;
  /** The descriptor of a file with that text. */
  readonly add: (text: string) => string;
  /** The place of a file that is mapped. */
  readonly sourceOf: (path: string) => string;
}

/** The arguments of bubblewrap for the door and the files of an agent. */
export function doorArguments(
  { view, folder, home }: AgentDoor,
  { shown, size, add, sourceOf }: DoorParts,
): string[] {
  const file = (path: string, mode: string, text: string): string[] => [
    '--perms',
    mode,
    '--file',
    add(text),
    path,
  ];
  const run = `${home}/run`;
  return [
    ...view.files
      .filter(({ path }) => !shown.some((one) => isWithin(path, one)))
      .flatMap(({ path, text }) => file(path, '0600', text)),
    '--perms',
    '0700',
    '--size',
    size,
    '--tmpfs',
    home,
    ...file(`${home}/sub`, '0555', view.launcher),
    // Nobody inside starts a gateway.
    ...file(`${home}/config.toml`, '0400', 'autostart = false\n'),
    '--perms',
    '0700',
    '--size',
    size,
    '--tmpfs',
    run,
    // As `ipc/src/home/world-door.ts` finds it; a mount, too.
    '--ro-bind',
    sourceOf(folder),
    `${home}/door`,
    '--remount-ro',
    home,
    '--size',
    size,
    '--tmpfs',
    TICKET_FOLDER,
    ...file(`${TICKET_FOLDER}/ticket`, '0400', view.ticket),
    '--remount-ro',
    TICKET_FOLDER,
  ];
}
