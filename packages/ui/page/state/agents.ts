import { signal } from '@preact/signals';
import { API, type Agents as Named } from '../../src/protocol/index.js';
import { termText } from '../filter/terms.js';
import { shortRun } from '../parts/names.js';
import { plainText } from '../parts/plain-text.js';
import type { Api } from '../wire/api.js';

/** The names of the agents of runs, for the rows that name a run alone. */
export interface Agents {
  of(run: string): string;
  /** `fixer · 0H4N66`: the agent of a run, if it is known, and the end of its id. */
  named(run: string): string;
  /** The folder that it works in; empty if that is not known. */
  folder(run: string): string;
  /** Terms of a filter for the runs that are known. */
  terms(): readonly string[];
  /** Reads them again. */
  read(): Promise<void>;
}

const MOST = 5000;

/** Reads names by the newest runs; a run that is not among them has none. */
export function agentsOf(api: Api): Agents {
  const names = new Map<string, string>();
  const folders = new Map<string, string>();
  const terms = new Set<string>();
  const reads = signal(0);
  const nameOf = (run: string): string => {
    // A view that told a name is drawn again once names were read.
    void reads.value;
    return names.get(run) ?? '';
  };
  return {
    of: nameOf,
    named: (run) => [plainText(nameOf(run), 40), shortRun(run)].filter((part) => part !== '').join(' · '),
    folder(run) {
      void reads.value;
      return folders.get(run) ?? '';
    },
    terms: () => [...terms],
    async read() {
      const { runs } = await api.get<Named>(API.agents);
      if (names.size > MOST) for (const known of [names, folders, terms]) known.clear();
      for (const { run, agent, client, folder } of runs) {
        folders.set(run, folder ?? '');
        names.set(run, agent || client);
        terms.add(termText('run', shortRun(run)));
        if (agent !== '') terms.add(termText('agent', agent));
        if (client !== '') terms.add(termText('client', client));
      }
      reads.value += 1;
    },
  };
}
