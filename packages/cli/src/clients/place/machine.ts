import { readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { isMissing } from '@subluminal/ipc';
import type { Where } from '../client.js';

/** Larger files beside configurations are not looked into. */
const MAX_BYTES = 16 * 1024 * 1024;

/** This machine, as clients see it. They go by `HOME`; nothing here decides for a gateway. */
export function thisMachine(env: Where['env'], project: string): Where {
  return {
    userHome: homedir(),
    project: resolve(project),
    platform: process.platform,
    env,
    readText(path) {
      try {
        const stats = statSync(path);
        if (!stats.isFile()) throw new Error('it is no file');
        if (stats.size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    list(path) {
      try {
        return readdirSync(path).toSorted();
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
  };
}
