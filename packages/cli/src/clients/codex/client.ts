import type { Client } from '../client.js';
import { codexFiles } from './files.js';
import { forbidsOf } from './forbids.js';
import { readCodex } from './read.js';
import { routeCodex } from './route.js';
import { maskedCodex, sourcesOf } from './source.js';
import { unroutableOf } from './unroutable.js';
import { unrouteCodex } from './unroute.js';

/** Codex CLI. It takes no lock when it writes. */
export const codex: Client = {
  name: 'codex',
  title: 'Codex',
  locks: () => false,
  files: codexFiles,
  read: readCodex,
  route: routeCodex,
  sources: sourcesOf,
  unroute: unrouteCodex,
  masked: (_, text) => maskedCodex(text),
  forbids: forbidsOf,
  unroutable: unroutableOf,
};
