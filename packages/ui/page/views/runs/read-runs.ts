import { signal, type ReadonlySignal } from '@preact/signals';
import { API, type ListedRun, type RunsPage } from '../../../src/protocol/index.js';
import { asRefused, type Api, type Refused } from '../../wire/api.js';

const PAGE = 100;
/** Pages that one search for words reads by itself. */
const MOST_PAGES = 20;

/** The runs that were read so far, from the newest on without a gap. */
export interface ReadRuns {
  /** Null until the first answer. */
  readonly runs: ReadonlySignal<readonly ListedRun[] | null>;
  /** Older ones are there. */
  readonly isMore: ReadonlySignal<boolean>;
  readonly problem: ReadonlySignal<Refused | null>;
  /** Reads the newest again; what was read before stays. */
  newest(): Promise<void>;
  /**
   * Reads older ones, one page after the other, until it is enough or there are none. Asked again meanwhile,
   * the reading goes on for what is asked now.
   */
  older(isEnough: () => boolean): Promise<void>;
}

/** Begins a list of runs. */
export function readRuns(api: Pick<Api, 'get'>): ReadRuns {
  const runs = signal<readonly ListedRun[] | null>(null);
  const next = signal<number | null>(null);
  const isMore = signal(false);
  const problem = signal<Refused | null>(null);
  let isReading = false;
  let asked = { isEnough: (): boolean => true, left: 0 };
  const read = async (before: number | null): Promise<boolean> => {
    try {
      const answer = await api.get<RunsPage>(API.runs, { before, limit: PAGE });
      problem.value = null;
      // The list began anew meanwhile.
      if (before !== null && before !== next.value) return true;
      const byRun = new Map(runs.value?.map((run) => [run.run, run]));
      // More began than one page has: the older ones are read anew, so that none is left out.
      const isGap = before === null && !answer.runs.some(({ run }) => byRun.has(run));
      if (isGap) byRun.clear();
      for (const run of answer.runs) byRun.set(run.run, run);
      runs.value = [...byRun.values()];
      if (before !== null || isGap) next.value = answer.next;
      isMore.value = next.value !== null;
      return true;
    } catch (error) {
      problem.value = asRefused(error);
      return false;
    }
  };
  return {
    runs,
    isMore,
    problem,
    newest: async () => void (await read(null)),
    async older(isEnough) {
      asked = { isEnough, left: MOST_PAGES };
      if (isReading) return;
      isReading = true;
      while (next.value !== null && asked.left > 0 && !asked.isEnough()) {
        asked.left -= 1;
        if (!(await read(next.value))) break;
      }
      isReading = false;
    },
  };
}
