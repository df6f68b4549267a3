import { appendFileSync, copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

const MAX_BYTES = 3 << 20;
let count = 0;

/**
 * Stands around `verifyLedger` while the tests run: keeps a copy of what each call was given and what it said, so that
 * the same can be asked of every mutant.
 */
export function recorded(verifyLedger) {
  return async (path, options = {}) => {
    const kept = keep(path, options);
    const report = await verifyLedger(path, options);
    if (kept !== null) {
      const { verdict, finding } = report;
      appendFileSync(
        join(process.env.SUB_CASES, `${process.pid}.jsonl`),
        `${JSON.stringify({ ...kept, verdict, class: finding?.class ?? null, detail: finding?.detail ?? '' })}\n`,
      );
    }
    return report;
  };
}

function keep(path, options) {
  const {
    headsLog,
    sealKeyPath,
    signal: _signal,
    onProgress: _onProgress,
    workerUrl: _url,
    ...rest
  } = options;
  if (!isFile(path) || statSync(path).size > MAX_BYTES) return null;
  count += 1;
  const folder = join(process.env.SUB_CASES, `${process.pid}-${count}`);
  mkdirSync(folder);
  const copy = (from) => {
    for (const end of ['', '-wal', '-journal', '.next'])
      if (isFile(from + end)) copyFileSync(from + end, join(folder, basename(from) + end));
    return join(folder, basename(from));
  };
  return {
    path: copy(path),
    options: {
      ...rest,
      ...(headsLog === undefined ? {} : { headsLog: isFile(headsLog) ? copy(headsLog) : headsLog }),
      ...(sealKeyPath === undefined ? {} : { sealKeyPath: copy(sealKeyPath) }),
    },
  };
}

function isFile(path) {
  return existsSync(path) && statSync(path).isFile();
}
