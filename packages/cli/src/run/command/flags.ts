import type { Values } from '../../program/flags.js';
import { choice, flag, string, strings } from '../../program/flags.js';

const CLIENTS = ['claude', 'codex', 'headless', 'custom', 'unknown'] as const;
const ENVS = ['dev', 'ci', 'prod'] as const;

/** The flags of every verb that runs a command as a run. */
export const RUN_FLAGS = {
  agent: string('<id>', 'the agent’s name in the record (default: the name of the command)'),
  env: choice('<name>', `where it runs (${ENVS.join(', ')}; default: ci in a CI job, else dev)`, ENVS),
  client: choice('<name>', `which client it is (${CLIENTS.join(', ')}; default: by the command)`, CLIENTS),
  strict: flag(
    'exit 3 when the agent did what it must not, 5 when that cannot be proved (also where none of its tools passed the gateway)',
  ),
  events: string('<file>', 'write the events of the run there, as JSON lines (`-`: stdout)'),
  meta: strings('<key=value>', 'what the run is about, for its record; may be repeated'),
  policy: string('<file>', 'a policy that narrows that of the home, for this run'),
};

/** The flags that say what a world shows besides the system and the folder of the project. */
export const WORLD_FLAGS = {
  read: strings('<path>', 'a file or folder that the world may read; may be repeated'),
  write: strings('<path>', 'one that it may write as well; may be repeated'),
  writeThrough: flag('have it write the project itself, without a layer'),
  pass: strings('<variable>', 'a variable that it gets as well; may be repeated'),
};

export type RunFlags = Values<typeof RUN_FLAGS>;
export type WorldFlags = Values<typeof WORLD_FLAGS>;
