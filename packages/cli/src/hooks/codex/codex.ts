import { CODEX_INPUTS } from '@subluminal/hooks';
import { codexFiles, codexHome, projectFolders } from '../../clients/codex/files.js';
import type { Where } from '../../clients/client.js';
import { pathsOf } from '../../clients/place/paths.js';
import { readDocument } from '../../text/toml/document.js';
import { sameMeaning, type Table } from '../../text/toml/meaning.js';
import { TextProblem } from '../../text/text-problem.js';
import { codexHandler } from './codex-trust.js';
import { codexConfig, tableAt } from './codex-config.js';
import { type Guarded, guardGroups, guardIn, isOurs } from './codex-guard.js';
import { blockedAfter, type HookClient, type HookFile, type HookSetup } from '../hook-client.js';
import { CODEX_TOOLS } from '../known-tools.js';
import { eventsIn, handlersIn, hasExactly, withGroups, withoutGroups } from '../json-groups.js';

/** Codex: hooks beside the user's configuration, answered by a server that Codex starts. */
export const codexHooks: HookClient = {
  name: 'codex',
  title: 'Codex',
  files: (where) => {
    const { join } = pathsOf(where);
    const hooks = join(codexHome(where), 'hooks.json');
    return [hooksFile(hooks), codexConfig(join(codexHome(where), 'config.toml'), hooks, where)];
  },
  obstacles: (where) =>
    codexFiles(where)
      .filter(({ path }) => switchesOff(where, path))
      .map(({ path }) => ({ path, why: '`hooks = false` under `[features]` switches every hook off' })),
  foreign: (where) => {
    const { join } = pathsOf(where);
    return projectFolders(where).flatMap((folder) => {
      const path = join(folder, '.codex', 'hooks.json');
      const events = [...new Set(foreignEvents(where, path))];
      return events.length === 0 ? [] : [{ path, events }];
    });
  },
  canBlockWhenAway: true,
  tools: CODEX_TOOLS,
};

/** Whether a configuration, or a profile in it, has `features.hooks = false`, in whatever form. */
function switchesOff(where: Where, path: string): boolean {
  let meaning: Table;
  try {
    meaning = readDocument(where.readText(path) ?? '').meaning;
  } catch (error) {
    if (error instanceof TextProblem) return false;
    throw error;
  }
  const profiles = [...(tableAt(meaning, 'profiles') ?? new Map<string, unknown>()).keys()];
  return [[], ...profiles.map((name) => ['profiles', name])].some((under) =>
    ['hooks', 'codex_hooks'].some((name) =>
      sameMeaning(tableAt(meaning, ...under, 'features')?.get(name) ?? '', { scalar: 'boolean false' }),
    ),
  );
}

function hooksFile(path: string): HookFile {
  const asking = [...CODEX_INPUTS.keys()].map((event) => ({
    event,
    group: { hooks: [codexHandler(event)] },
  }));
  const groupsOf = (guarded: Guarded) => [...asking, ...guardGroups(guarded)];
  return {
    path,
    installed: (text, setup) => withGroups(text, groupsOf(joined(setup, text)), isOurs),
    removed: (text) => withoutGroups(text, isOurs),
    contents: (text) => ({
      ...eventsIn(text, isOurs),
      blockedWhenAway: text.trim() === '' ? [] : guardIn(handlersIn(text)).blockedWhenAway,
      starts: [],
    }),
    isWhole: (text) => hasExactly(text, groupsOf(guardIn(handlersIn(text))), isOurs),
  };
}

/** Tools that are guarded already stay so. */
function joined(setup: HookSetup, text: string): Guarded {
  const was = text.trim() === '' ? [] : guardIn(handlersIn(text)).blockedWhenAway;
  return { home: setup.home, blockedWhenAway: blockedAfter(was, setup) };
}

function foreignEvents(where: Where, path: string): readonly string[] {
  try {
    return eventsIn(where.readText(path) ?? '', isOurs).others;
  } catch {
    return [];
  }
}
