import { API, type RunsPage } from '../../src/protocol/index.js';
import { termText } from '../filter/terms.js';
import { shortRun } from '../parts/names.js';
import type { Api } from '../wire/api.js';

/** The names of the agents of runs, for the rows that name a run alone. */
export interface Agents {
  of(run: string): string;
  /** Terms of a filter for the runs that are known. */
  terms(): readonly string[];
  /** Reads them again. */
  read(): Promise<void>;
}

const PAGE = 100;
const MOST = 5000;

/** Reads names by the newest runs; a run that is not among them has none. */
export function agentsOf(api: Api): Agents {
  const names = new Map<string, string>();
  const terms = new Set<string>();
  return {
    of: (run) => names.get(run) ?? '',
    terms: () => [...terms],
    async read() {
      const { runs } = await api.get<RunsPage>(API.runs, { limit: PAGE });
      if (names.size > MOST) for (const known of [names, terms]) known.clear();
      for (const { run, agent, client } of runs) {
        names.set(run, agent || client);
        terms.add(termText('run', shortRun(run)));
        if (agent !== '') terms.add(termText('agent', agent));
        if (client !== '') terms.add(termText('client', client));
      }
    },
  };
}
