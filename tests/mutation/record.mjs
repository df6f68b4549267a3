import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packed } from './pack.mjs';

const MAX_BYTES = 3 << 20;
/** Of calls of one function a test may make thousands. */
const MAX_CALLS = 1000;
const state = { count: 0 };

/**
 * Stands around `verifyLedger` while the tests run: keeps a copy of what each call was given and what it said, so that
 * the same can be asked of every mutant.
 */
export function recorded(verifyLedger) {
  return async (path, options = {}) => {
    const kept = keep(path, options);
    const report = await verifyLedger(path, options);
    if (kept !== null) write({ ...kept, report });
    return report;
  };
}

/** The same for a function that is nothing but its arguments and its answer. */
export function recordedCall(name, call) {
  let made = 0;
  return (...args) => {
    const answer = call(...args);
    made += 1;
    const given = name === 'readHeadsLog' && isFile(args[0]) ? [readFileSync(args[0])] : args;
    if (made <= MAX_CALLS) write({ call: name, args: packed(given), answer: packed(answer) });
    return answer;
  };
}

function write(one) {
  appendFileSync(join(process.env.SUB_CASES, `${process.pid}.jsonl`), `${JSON.stringify(one)}\n`);
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
  state.count += 1;
  const folder = join(process.env.SUB_CASES, `${process.pid}-${state.count}`);
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
