import { API, type RunsPage } from '../../src/protocol/index.js';
import type { Api } from '../wire/api.js';

/** The names of the agents of runs, for the rows that name a run alone. */
export interface Agents {
  of(run: string): string;
  /** Reads them again. */
  read(): Promise<void>;
}

const PAGE = 100;
const MOST = 5000;

/** Reads names by the newest runs; a run that is not among them has none. */
export function agentsOf(api: Api): Agents {
  const names = new Map<string, string>();
  return {
    of: (run) => names.get(run) ?? '',
    async read() {
      const { runs } = await api.get<RunsPage>(API.runs, { limit: PAGE });
      if (names.size > MOST) names.clear();
      for (const { run, agent, client } of runs) names.set(run, agent || client);
    },
  };
}
